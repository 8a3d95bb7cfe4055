//! VelocyPack to JSON text in the form that clients expect.
//!
//! No white space, `/` and non-ASCII characters as they are, control characters as the short escapes or `\u00XX`,
//! attributes in stored order. Kinds that JSON cannot express are `null`; dates are their milliseconds.

use persea_numparse::{I64_TEXT_MAX, U64_TEXT_MAX, format_i64, format_u64};
use persea_vpack::{DEPTH_MAX, DoubleText, Kind, Slice};

/// Appends the value as JSON text.
pub fn write(value: Slice<'_>, out: &mut Vec<u8>) {
    put(value, out, DEPTH_MAX);
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

fn put(value: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) {
    match value.kind() {
        Kind::String => write_string(value.as_str_bytes().unwrap_or(&[]), out),
        Kind::Int => put_int(value.as_i64(), out),
        Kind::UInt => match value.as_u64() {
            Some(number) => out.extend_from_slice(format_u64(number, &mut [0; U64_TEXT_MAX]).as_bytes()),
            None => put_null(out),
        },
        Kind::Double => match value.as_f64() {
            Some(number) => out.extend_from_slice(DoubleText::new(number).as_bytes()),
            None => put_null(out),
        },
        Kind::Bool => out.extend_from_slice(if value.is_true() { b"true" } else { b"false" }),
        Kind::UtcDate => put_int(value.as_utc_date(), out),
        Kind::Array if depth_left > 0 => put_array(value, out, depth_left - 1),
        Kind::Object if depth_left > 0 => put_object(value, out, depth_left - 1),
        Kind::Tagged => match value.untagged() {
            // A tag chain too long to follow.
            inner if inner.kind() == Kind::Tagged => put_null(out),
            inner => put(inner, out, depth_left),
        },
        _ => put_null(out),
    }
}

fn put_array(array: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) {
    out.push(b'[');
    for (index, member) in array.array_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        put(member, out, depth_left);
    }
    out.push(b']');
}

fn put_object(object: Slice<'_>, out: &mut Vec<u8>, depth_left: usize) {
    out.push(b'{');
    let mut members = object.object_iter();
    let mut separated = false;
    while let Some((name, value)) = members.next_bytes() {
        if separated {
            out.push(b',');
        }
        separated = true;
        write_string(name, out);
        out.push(b':');
        put(value, out, depth_left);
    }
    out.push(b'}');
}

fn put_int(number: Option<i64>, out: &mut Vec<u8>) {
    match number {
        Some(number) => out.extend_from_slice(format_i64(number, &mut [0; I64_TEXT_MAX]).as_bytes()),
        None => put_null(out),
    }
}

fn put_null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

/// Appends UTF-8 text as a JSON string with its quotes.
pub fn write_string(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    loop {
        let length = plain_length(rest).unwrap_or(rest.len());
        let (plain, escaped) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = escaped.split_first() else { break };
        escape(byte, out);
        rest = after;
    }
    out.push(b'"');
}

const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x8080_8080_8080_8080;

/// How many bytes stand before the first one to escape; `None` when no byte needs it.
#[inline]
fn plain_length(text: &[u8]) -> Option<usize> {
    let (eights, tail) = text.as_chunks::<8>();
    for (index, &eight) in eights.iter().enumerate() {
        if let Some(at) = first_to_escape(eight) {
            return Some(index * 8 + at);
        }
    }
    match text.last_chunk::<8>() {
        // Overlaps with what has been looked at, where nothing was found.
        Some(_) if tail.is_empty() => None,
        Some(&eight) => first_to_escape(eight).map(|at| text.len() - 8 + at),
        None => tail.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\'),
    }
}

/// Position among eight bytes of the first one to escape.
#[inline]
fn first_to_escape(eight: [u8; 8]) -> Option<usize> {
    let bytes = u64::from_le_bytes(eight);
    // Each test sets the top bit of matching bytes, and possibly of bytes above a match, never below.
    let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    let quote = zero_bytes(bytes ^ (ONES * u64::from(b'"')));
    let backslash = zero_bytes(bytes ^ (ONES * u64::from(b'\\')));
    let found = (control | quote | backslash) & TOPS;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

#[inline]
const fn zero_bytes(bytes: u64) -> u64 {
    bytes.wrapping_sub(ONES) & !bytes
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend([byte >> 4, byte & 0xf].map(|nibble| match nibble {
                0..=9 => b'0' + nibble,
                _ => b'A' + nibble - 10,
            }));
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
