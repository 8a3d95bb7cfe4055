//! VelocyPack to JSON text in the form that clients expect.
//!
//! No white space, `/` and non-ASCII characters as they are, control characters as the short escapes or `\u00XX`,
//! attributes in stored order. Kinds that JSON cannot express are `null`; dates are their milliseconds.

use persea_vpack::{
    DEPTH_MAX, DoubleText, IntegerText, Kind, Slice, append_between, append_short, attribute_name,
};

use crate::block::{BLOCK, Block};

/// Appends the value as JSON text.
pub fn write(value: Slice<'_>, out: &mut Vec<u8>) {
    if put(value.bytes(), value.byte_size(), out, DEPTH_MAX).is_none() {
        put_null(out);
    }
}

/// The value as JSON text.
pub fn to_string(value: Slice<'_>) -> String {
    let mut out = Vec::with_capacity(value.byte_size() * 2);
    write(value, &mut out);
    match String::from_utf8(out) {
        Ok(text) => text,
        // Only values that were never validated hold other bytes.
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Writes the value at the start of `rest` and returns its size; `None`, and nothing written, when there is none.
///
/// Only `limit` bytes are those of the container that the value is in. Others may be looked at, but as containers
/// never reach beyond it, the work is bounded by the size of the bytes times their depth, whatever they are.
fn put(rest: &[u8], limit: usize, out: &mut Vec<u8>, depth_left: usize) -> Option<usize> {
    let head = *rest.first()?;
    match head {
        0x40..=0xbe => {
            let length = usize::from(head - 0x40);
            let rest = rest.get(1..).filter(|rest| rest.len() >= length)?;
            put_string(rest, length, b"\"", out);
            Some(1 + length)
        }
        0x30..=0x39 => {
            append_short(out, &[head], 1);
            Some(1)
        }
        0x3a..=0x3f => {
            append_short(out, &[b'-', b'0' + 0x40 - head], 2);
            Some(1)
        }
        0x20..=0x2f => {
            let width = 1 + usize::from(head & 7);
            let bits = read_uint(rest.get(1..)?, width)?;
            let text = if head < 0x28 {
                IntegerText::new(extend_sign(bits, width))
            } else {
                IntegerText::unsigned(bits)
            };
            text.append_to(out);
            Some(1 + width)
        }
        0x1b => {
            let bits = u64::from_le_bytes(*rest.get(1..)?.first_chunk()?);
            DoubleText::append(f64::from_bits(bits), out);
            Some(9)
        }
        0x18 => {
            append_short(out, b"null", 4);
            Some(1)
        }
        0x19 => {
            append_short(out, b"false", 5);
            Some(1)
        }
        0x1a => {
            append_short(out, b"true", 4);
            Some(1)
        }
        0x02 | 0x0b if let Some(narrow) = Narrow::of(rest, head, limit) => {
            match (depth_left.checked_sub(1), narrow.count) {
                (None, _) => put_null(out),
                (Some(depth_left), None) => put_equal_members(rest, &narrow, out, depth_left),
                (Some(depth_left), Some(count)) => {
                    let (start, end) = (narrow.start, narrow.size);
                    put_pairs(rest.get(start..).unwrap_or(&[]), end - start, count, out, depth_left);
                }
            }
            Some(narrow.size)
        }
        0x01..=0x14 => put_container(Slice::trusted(rest.get(..limit).unwrap_or(rest)), out, depth_left),
        _ => put_rare(Slice::trusted(rest.get(..limit).unwrap_or(rest)), out, depth_left),
    }
}

/// An array without offsets, or an object, whose length is one byte and that has no padding: the form that most have.
struct Narrow {
    /// Where the members start.
    start: usize,
    /// Size of the whole.
    size: usize,
    /// Number of pairs of an object; arrays of this form do not tell.
    count: Option<usize>,
}

impl Narrow {
    #[inline(always)]
    fn of(rest: &[u8], head: u8, limit: usize) -> Option<Narrow> {
        let &[_, size, count, first] = rest.first_chunk()?;
        let size = usize::from(size);
        let (start, member, count) =
            if head == 0x02 { (2, count, None) } else { (3, first, Some(usize::from(count))) };
        (member != 0 && start < size && size <= limit).then_some(Narrow { start, size, count })
    }
}

/// Writes the members of an array.
#[inline]
fn put_equal_members(array: &[u8], narrow: &Narrow, out: &mut Vec<u8>, depth_left: usize) {
    out.push(b'[');
    let mut at = narrow.start;
    while let Some(size) =
        array.get(at..).and_then(|rest| put(rest, narrow.size.saturating_sub(at), out, depth_left))
    {
        at += size;
        if at >= narrow.size {
            out.push(b']');
            return;
        }
        out.push(b',');
    }
    // Broken bytes; so far the text ends in a bracket or comma.
    out.extend_from_slice(b"null]");
}

fn put_container(value: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) -> Option<usize> {
    match (value.kind(), depth_left.checked_sub(1)) {
        (Kind::Array, Some(depth_left)) => put_array(value, out, depth_left),
        (Kind::Object, Some(depth_left)) => put_object(value, out, depth_left),
        (Kind::Array | Kind::Object, None) => put_null(out),
        // Cut off.
        _ => return None,
    }
    Some(value.byte_size())
}

/// Kinds that documents seldom hold.
#[cold]
#[inline(never)]
fn put_rare(value: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) -> Option<usize> {
    match value.kind() {
        Kind::None => return None,
        Kind::String => write_string(value.as_str_bytes().unwrap_or(&[]), out),
        Kind::UtcDate => IntegerText::new(value.as_utc_date().unwrap_or(0)).append_to(out),
        Kind::Tagged => match value.untagged() {
            // A tag chain too long to follow.
            inner if inner.kind() == Kind::Tagged => put_null(out),
            inner => {
                if put(inner.bytes(), inner.byte_size(), out, depth_left).is_none() {
                    put_null(out);
                }
            }
        },
        _ => put_null(out),
    }
    Some(value.byte_size())
}

fn put_array(array: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) {
    let (mut rest, count) = array.stored_members();
    out.push(b'[');
    for index in 0..count {
        if index > 0 {
            out.push(b',');
        }
        match put(rest, rest.len(), out, depth_left).and_then(|size| rest.get(size..)) {
            Some(behind) => rest = behind,
            None => {
                // Broken bytes; so far the text ends in a bracket or comma.
                put_null(out);
                break;
            }
        }
    }
    out.push(b']');
}

fn put_object(object: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) {
    let (members, count) = object.stored_members();
    put_pairs(members, members.len(), count, out, depth_left);
}

/// Writes the pairs of an object, which are in the first `limit` bytes.
fn put_pairs(members: &[u8], limit: usize, count: usize, out: &mut Vec<u8>, depth_left: usize) {
    let mut at = 0;
    out.push(b'{');
    for index in 0..count {
        let before = out.len();
        if index > 0 {
            out.push(b',');
        }
        let end = members.get(at..).and_then(|pair| {
            let value = at + put_name(pair, out)?;
            Some(value + put(members.get(value..)?, limit.checked_sub(value)?, out, depth_left)?)
        });
        match end {
            Some(end) => at = end,
            None => {
                // Broken bytes.
                out.truncate(before);
                break;
            }
        }
    }
    out.push(b'}');
}

/// Writes the attribute name at the start of `rest` and a colon; returns its size.
#[inline]
fn put_name(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let head = *rest.first()?;
    match head {
        0x40..=0xbe => {
            let length = usize::from(head - 0x40);
            let rest = rest.get(1..).filter(|rest| rest.len() >= length)?;
            put_string(rest, length, b"\":", out);
            Some(1 + length)
        }
        0x31..=0x35 => {
            let name = attribute_name(u64::from(head - 0x30))?;
            put_string(name.as_bytes(), name.len(), b"\":", out);
            Some(1)
        }
        _ => {
            let key = Slice::trusted(rest);
            let name = match key.as_u64() {
                Some(code) => attribute_name(code)?.as_bytes(),
                None => key.as_str_bytes()?,
            };
            put_string(name, name.len(), b"\":", out);
            Some(key.byte_size())
        }
    }
}

fn put_null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

/// Reads a little-endian unsigned integer of 1 to 8 bytes.
#[inline]
fn read_uint(rest: &[u8], width: usize) -> Option<u64> {
    let unused_bits = 64 - 8 * width as u32;
    match rest.first_chunk::<8>() {
        Some(&eight) => Some(u64::from_le_bytes(eight) << unused_bits >> unused_bits),
        None => {
            let field = rest.get(..width)?;
            Some(field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
        }
    }
}

#[inline]
fn extend_sign(bits: u64, width: usize) -> i64 {
    let unused_bits = 64 - 8 * width as u32;
    (bits << unused_bits) as i64 >> unused_bits
}

/// Appends UTF-8 text as a JSON string with its quotes.
fn write_string(text: &[u8], out: &mut Vec<u8>) {
    put_string(text, text.len(), b"\"", out);
}

/// Appends the first `length` bytes as a JSON string, up to the closing quote, which is in `tail`. More bytes behind
/// them make it cheaper.
#[inline(always)]
fn put_string<const M: usize>(text: &[u8], length: usize, tail: &[u8; M], out: &mut Vec<u8>) {
    if length <= BLOCK {
        if let Some(block) = text.first_chunk::<BLOCK>()
            && (Block::load(block).special() | 1 << length).trailing_zeros() as usize == length
        {
            return append_between(out, b'"', block, length, tail);
        }
    } else if length <= 2 * BLOCK
        && let Some(blocks) = text.first_chunk::<{ 2 * BLOCK }>()
        && let (Some(low), Some(high)) = (blocks.first_chunk(), blocks.last_chunk())
    {
        let special = u64::from(Block::load(low).special() | Block::load(high).special() << BLOCK);
        if (special | 1 << length).trailing_zeros() as usize == length {
            return append_between(out, b'"', blocks, length, tail);
        }
    }
    put_any_string(text, length, out);
    append_short(out, tail, M);
}

#[inline(never)]
fn put_any_string(text: &[u8], length: usize, out: &mut Vec<u8>) {
    out.reserve(length + BLOCK + 2);
    out.push(b'"');
    let mut at = 0;
    while at < length {
        let rest = text.get(at..).unwrap_or(&[]);
        let here = (length - at).min(BLOCK);
        let block = match rest.first_chunk::<BLOCK>() {
            Some(block) => *block,
            None => padded(rest),
        };
        let special = Block::load(&block).special() | 1 << here;
        let plain = special.trailing_zeros() as usize;
        append_short(out, &block, plain);
        at += plain;
        if plain < here {
            escape(block.get(plain).copied().unwrap_or(0), out);
            at += 1;
        }
    }
}

/// Less than a block of text, with blanks behind.
#[inline]
fn padded(text: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    block.iter_mut().zip(text).for_each(|(target, byte)| *target = *byte);
    block
}

#[inline(never)]
fn escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 };
            return append_short(out, &[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xf)], 6);
        }
    };
    append_short(out, &[b'\\', short], 2);
}
