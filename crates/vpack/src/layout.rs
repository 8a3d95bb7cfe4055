//! Sizes and offsets: the arithmetic of the format. Every function is total on any bytes.

/// Longest chain of tags before one value that is understood.
pub(crate) const TAGS_MAX: usize = 8;

/// Reads a little-endian unsigned integer of 1 to 8 bytes.
#[inline]
pub(crate) fn read_uint(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    Some(match *field {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)),
    })
}

#[inline]
pub(crate) fn read_usize(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    usize::try_from(read_uint(bytes, at, width)?).ok()
}

/// Reads a variable-length number that grows towards higher addresses: value and bytes used.
pub(crate) fn read_varint(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    varint(bytes.get(at..)?.iter())
}

/// Reads a variable-length number that starts at the last byte and grows towards lower addresses.
pub(crate) fn read_varint_backward(bytes: &[u8]) -> Option<(usize, usize)> {
    varint(bytes.iter().rev())
}

fn varint<'a>(bytes: impl Iterator<Item = &'a u8>) -> Option<(usize, usize)> {
    let mut number = 0u64;
    for (index, &byte) in bytes.take(8).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(number).ok()?, index + 1));
        }
    }
    None
}

/// Sizes that the first byte decides alone; 0 where more must be read.
const FIXED_SIZE: [u8; 256] = {
    let mut sizes = [0u8; 256];
    let mut head = 0usize;
    while head < 256 {
        sizes[head] = match head {
            0x00 | 0x01 | 0x0a | 0x17..=0x1a | 0x1e | 0x1f | 0x30..=0x3f => 1,
            0x1b | 0x1c => 9,
            0x20..=0x27 => head as u8 - 0x1f + 1,
            0x28..=0x2f => head as u8 - 0x27 + 1,
            0x40..=0xbe => head as u8 - 0x40 + 1,
            0xf0 => 2,
            0xf1 => 3,
            0xf2 => 5,
            0xf3 => 9,
            _ => 0,
        };
        head += 1;
    }
    sizes
};

/// Size of the value at the start of `bytes`; `None` when it is cut off or has no legal first byte.
///
/// The answer is at least 1 and at most `bytes.len()`.
#[inline]
pub(crate) fn value_size(bytes: &[u8]) -> Option<usize> {
    let head = *bytes.first()?;
    let fixed = usize::from(FIXED_SIZE[usize::from(head)]);
    let size = if fixed != 0 { fixed } else { variable_size(bytes, head)? };
    (size <= bytes.len()).then_some(size)
}

fn variable_size(bytes: &[u8], head: u8) -> Option<usize> {
    let size = match head {
        0x02..=0x09 | 0x0b..=0x12 => {
            let size = read_usize(bytes, 1, length_width(head))?;
            // Guards against a size that does not even cover the fields that state it.
            return (size > length_width(head)).then_some(size);
        }
        0x13 | 0x14 => {
            let (size, used) = read_varint(bytes, 1)?;
            return (size > 1 + used).then_some(size);
        }
        0xbf => read_usize(bytes, 1, 8)?.checked_add(9)?,
        0xc0..=0xc7 => payload_size(bytes, 0, usize::from(head - 0xbf))?,
        0xc8..=0xcf => payload_size(bytes, 4, usize::from(head - 0xc7))?,
        0xd0..=0xd7 => payload_size(bytes, 4, usize::from(head - 0xcf))?,
        0xee | 0xef => {
            let tags = tags_size(bytes)?;
            let inner = bytes.get(tags..)?;
            // A chain of tags ends in something else, so this does not recurse further.
            value_size(inner)?.checked_add(tags)?
        }
        0xf4..=0xf6 => payload_size(bytes, 0, 1)?,
        0xf7..=0xf9 => payload_size(bytes, 0, 2)?,
        0xfa..=0xfc => payload_size(bytes, 0, 4)?,
        0xfd..=0xff => payload_size(bytes, 0, 8)?,
        _ => return None,
    };
    Some(size)
}

fn payload_size(bytes: &[u8], extra: usize, width: usize) -> Option<usize> {
    read_usize(bytes, 1, width)?.checked_add(1 + width + extra)
}

/// Bytes taken by the tags before a value; `None` when they are cut off or more than [`TAGS_MAX`].
pub(crate) fn tags_size(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for _ in 0..=TAGS_MAX {
        match *bytes.get(at)? {
            0xee => at += 2,
            0xef => at += 9,
            _ => return Some(at),
        }
    }
    None
}

/// Width in bytes of the length field (and count and table entries) of an array or object.
#[inline]
pub(crate) const fn length_width(head: u8) -> usize {
    let step = match head {
        0x02..=0x05 => head - 0x02,
        0x06..=0x09 => head - 0x06,
        0x0b..=0x0e => head - 0x0b,
        0x0f..=0x12 => head - 0x0f,
        _ => 0,
    };
    1 << step
}

/// Where the members of an array or object lie and how to reach one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members {
    /// Number of members; never more than bytes between `start` and `end`.
    pub(crate) count: usize,
    /// Offset of the first member.
    pub(crate) start: usize,
    /// Offset just behind the last member.
    pub(crate) end: usize,
    pub(crate) access: Access,
}

/// How the n-th member is found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// All members have this size.
    Stride(usize),
    /// The offset table follows the members; entries have this width.
    Table { width: usize, sorted: bool },
    /// Only by walking from the start.
    Walk,
}

/// Reads the header of the array or object that fills `bytes`; `None` when it contradicts itself.
#[inline]
pub(crate) fn members(bytes: &[u8]) -> Option<Members> {
    let head = *bytes.first()?;
    match head {
        0x02..=0x05 => {
            let start = first_member(bytes, 1 + length_width(head))?;
            let stride = value_size(bytes.get(start..)?)?;
            let count = (bytes.len() - start) / stride;
            Some(Members { count, start, end: bytes.len(), access: Access::Stride(stride) })
        }
        0x06..=0x08 | 0x0b..=0x0d | 0x0f..=0x11 => {
            let width = length_width(head);
            let count = read_usize(bytes, 1 + width, width)?;
            let start = first_member(bytes, 1 + 2 * width)?;
            indexed(head, count, start, bytes.len(), width)
        }
        0x09 | 0x0e | 0x12 => {
            let end = bytes.len().checked_sub(8)?;
            let count = read_usize(bytes, end, 8)?;
            indexed(head, count, 9, end, 8)
        }
        0x13 | 0x14 => {
            let (_, used) = read_varint(bytes, 1)?;
            let start = 1 + used;
            let (count, used) = read_varint_backward(bytes.get(start..)?)?;
            let end = bytes.len() - used;
            (start + count <= end).then_some(Members { count, start, end, access: Access::Walk })
        }
        _ => Some(Members { count: 0, start: 1, end: 1, access: Access::Walk }),
    }
}

fn indexed(head: u8, count: usize, start: usize, end: usize, width: usize) -> Option<Members> {
    let end = end.checked_sub(count.checked_mul(width)?)?;
    if start.checked_add(count)? > end {
        return None;
    }
    let sorted = matches!(head, 0x0b..=0x0e);
    Some(Members { count, start, end, access: Access::Table { width, sorted } })
}

/// Padding fills length and count to eight bytes, so members start at `natural` or at 9.
#[inline]
fn first_member(bytes: &[u8], natural: usize) -> Option<usize> {
    match *bytes.get(natural)? {
        0 if natural < 9 => Some(9).filter(|&at| at < bytes.len()),
        _ => Some(natural),
    }
}

impl Members {
    /// Offset of the n-th table entry's target, when it points at the members.
    #[inline]
    pub(crate) fn table_entry(&self, bytes: &[u8], index: usize, width: usize) -> Option<usize> {
        let at = read_usize(bytes, self.end + index * width, width)?;
        (at >= self.start && at < self.end).then_some(at)
    }
}
