//! Where values are written: the buffer, and where the members of the open containers lie in it.

use super::order::Orders;
use crate::append::{append_headed, append_short};
use crate::attribute_code;

/// The room that is kept for the header of a container is remembered for each depth up to this one.
const DEPTHS: usize = 16;
/// A header of the narrowest container: first byte, length, count.
const HEADER_NARROW: u8 = 3;

/// Writes values without asking whether one is due.
#[derive(Debug, Clone, Default)]
pub(super) struct Encoder {
    pub(super) buffer: Vec<u8>,
    /// Where the members of all open arrays start, innermost last, counted from the start of their array.
    pub(super) offsets: Vec<usize>,
    /// The keys of all open objects, innermost last.
    pub(super) keys: Vec<Key>,
    pub(super) orders: Orders,
    headers: Headers,
    pub(super) translate: bool,
    pub(super) reject_duplicates: bool,
}

/// Where a key lies, and enough of it to sort most objects by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// The first eight bytes of the key as a big-endian number, filled up with zeros.
    pub(super) prefix: u64,
    /// Offset from the start of the object.
    pub(super) offset: usize,
}

/// An array or object being written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    /// Offset of its first byte.
    pub(super) start: usize,
    /// Where its members begin in [`Encoder::offsets`] or [`Encoder::keys`].
    pub(super) first: usize,
    /// How many containers are around it.
    pub(super) depth: usize,
    /// How many bytes are kept for its header.
    pub(super) header: usize,
}

/// How long the header of the last container was, for each depth.
///
/// Neighbours are mostly of similar size, so that the header of the next one fits and nothing must be moved.
#[derive(Debug, Clone)]
struct Headers([u8; DEPTHS]);

impl Default for Headers {
    fn default() -> Headers {
        Headers([HEADER_NARROW; DEPTHS])
    }
}

impl Encoder {
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        self.offsets.clear();
        self.keys.clear();
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.buffer.push(byte);
    }

    #[inline]
    pub(super) fn i64(&mut self, value: i64) {
        self.integer(value < 0, value.unsigned_abs());
    }

    #[inline]
    pub(super) fn u64(&mut self, value: u64) {
        self.integer(false, value);
    }

    /// An integer by sign and magnitude, which is at most 2^63 when it is negative.
    ///
    /// Neither sign nor size decide a branch: in a list of numbers both are hard to foresee.
    #[inline(always)]
    pub(super) fn integer(&mut self, negative: bool, magnitude: u64) {
        let sign = u64::from(negative);
        let bits = (magnitude ^ sign.wrapping_neg()).wrapping_add(sign);
        // Negative numbers need one bit more, for the sign.
        let highest_bit = 63 - (magnitude.wrapping_sub(sign) | 1).leading_zeros();
        let width = 1 + (highest_bit + sign as u32) / 8;
        let head = (0x27 - 8 * sign as u32).wrapping_add(width);
        // All ones for -6 to 9, which the first byte holds alone.
        let small = u32::from(magnitude <= 9 - 3 * sign).wrapping_neg();
        let head = (head & !small | (0x30 | bits as u32 & 0x0f) & small) as u8;
        let width = (width & !small) as usize;
        append_headed(&mut self.buffer, head, &bits.to_le_bytes(), width);
    }

    #[inline]
    pub(super) fn f64(&mut self, value: f64) {
        match value.is_finite() {
            true => self.number(0x1b, value.to_bits(), 8),
            false => self.byte(0x18),
        }
    }

    #[inline(always)]
    pub(super) fn finite_f64(&mut self, value: f64) {
        self.number(0x1b, value.to_bits(), 8);
    }

    #[inline]
    pub(super) fn number(&mut self, head: u8, bits: u64, width: usize) {
        append_headed(&mut self.buffer, head, &bits.to_le_bytes(), width);
    }

    pub(super) fn binary(&mut self, value: &[u8]) {
        let length = value.len() as u64;
        let width = (8 - length.leading_zeros() as usize / 8).max(1);
        self.number(0xbf + width as u8, length, width);
        self.buffer.extend_from_slice(value);
    }

    #[inline]
    pub(super) fn text(&mut self, text: &[u8]) {
        match text.len() {
            length @ 0..=126 => {
                self.buffer.reserve(1 + length);
                self.buffer.push(0x40 + length as u8);
            }
            length => self.number(0xbf, length as u64, 8),
        }
        self.buffer.extend_from_slice(text);
    }

    /// A string that is the first `length` bytes of a block.
    #[inline(always)]
    pub(super) fn short_text<const N: usize>(&mut self, block: &[u8; N], length: usize) {
        const { assert!(N <= 126) }
        append_headed(&mut self.buffer, 0x40 + length.min(N) as u8, block, length);
    }

    #[inline]
    pub(super) fn key(&mut self, object: &Frame, name: &[u8]) {
        self.keys.push(Key { prefix: prefix(name), offset: self.buffer.len() - object.start });
        match name.first() {
            Some(b'_') if self.translate => self.system_name(name),
            _ => self.text(name),
        }
    }

    /// A key that is the first `length` bytes of a block.
    #[inline(always)]
    pub(super) fn short_key<const N: usize>(&mut self, object: &Frame, block: &[u8; N], length: usize) {
        let prefix = block.first_chunk::<8>().map_or(0, |eight| {
            let unused_bits = 64 - 8 * length.min(8) as u32;
            u64::from_be_bytes(*eight) & u64::MAX.checked_shl(unused_bits).unwrap_or(0)
        });
        self.known_key(object, block, length, prefix);
    }

    /// The same, with the first eight bytes of the name, filled up with zeros, as a big-endian number.
    #[inline(always)]
    pub(super) fn known_key<const N: usize>(
        &mut self,
        object: &Frame,
        block: &[u8; N],
        length: usize,
        prefix: u64,
    ) {
        self.keys.push(Key { prefix, offset: self.buffer.len() - object.start });
        if self.translate && block.first() == Some(&b'_') {
            return self.system_name(block.get(..length).unwrap_or(block));
        }
        self.short_text(block, length);
    }

    fn system_name(&mut self, name: &[u8]) {
        match std::str::from_utf8(name).ok().and_then(attribute_code) {
            Some(code) => self.byte(0x30 + code),
            None => self.text(name),
        }
    }

    #[inline]
    pub(super) fn open_array(&mut self, depth: usize) -> Frame {
        self.open(self.offsets.len(), depth)
    }

    #[inline]
    pub(super) fn open_object(&mut self, depth: usize) -> Frame {
        self.open(self.keys.len(), depth)
    }

    #[inline]
    fn open(&mut self, first: usize, depth: usize) -> Frame {
        let header = usize::from(self.headers.of(depth));
        let start = self.buffer.len();
        append_short(&mut self.buffer, &[0; 9], header);
        Frame { start, first, depth, header }
    }

    /// Marks the start of the next member of an array.
    #[inline(always)]
    pub(super) fn member(&mut self, array: &Frame) {
        self.offsets.push(self.buffer.len() - array.start);
    }

    #[inline]
    pub(super) fn expect_header(&mut self, depth: usize, header: usize) {
        if let Some(expected) = self.headers.0.get_mut(depth.min(DEPTHS - 1)) {
            *expected = header as u8;
        }
    }
}

impl Headers {
    #[inline]
    fn of(&self, depth: usize) -> u8 {
        self.0.get(depth.min(DEPTHS - 1)).copied().unwrap_or(HEADER_NARROW)
    }
}

/// The first eight bytes as a number that sorts like them.
#[inline]
fn prefix(name: &[u8]) -> u64 {
    if let Some(&eight) = name.first_chunk::<8>() {
        return u64::from_be_bytes(eight);
    }
    if let (Some(&head), Some(&tail)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        // The two overlap; the bytes in common are the same in both.
        let low = u64::from(u32::from_be_bytes(tail)) << (64 - 8 * name.len());
        return u64::from(u32::from_be_bytes(head)) << 32 | low;
    }
    let mut number = 0;
    for (&byte, shift) in name.iter().zip([56, 48, 40]) {
        number |= u64::from(byte) << shift;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_sort_like_names() {
        let names =
            ["", "\0", "a", "a\0", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghi", "b", "zz"];
        for a in names {
            for b in names {
                if prefix(a.as_bytes()) != prefix(b.as_bytes()) {
                    assert_eq!(prefix(a.as_bytes()).cmp(&prefix(b.as_bytes())), a.cmp(b));
                }
            }
        }
        assert_eq!(prefix(b"abcdefg"), u64::from_be_bytes(*b"abcdefg\0"));
        assert_eq!(prefix(b"abcd"), u64::from_be_bytes(*b"abcd\0\0\0\0"));
        assert_eq!(prefix(b"abc"), u64::from_be_bytes(*b"abc\0\0\0\0\0"));
    }
}
