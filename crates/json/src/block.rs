//! Sixteen bytes of text examined at once: a bit for each byte that a question is true of.
#![allow(unsafe_code)]

impl Block {
    /// The bytes in which two texts agree, of the sixteen from `at` on; none beyond the end.
    #[inline(always)]
    pub(crate) fn equal_bytes<const N: usize>(left: &[u8; N], right: &[u8; N], at: usize) -> u32 {
        let block = |text: &[u8; N]| text.get(at..).and_then(|rest| rest.first_chunk()).map(Block::load);
        match (block(left), block(right)) {
            (Some(left), Some(right)) => left.equal(right),
            _ => 0,
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::Block;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use words::Block;

/// What examines a block, in the words of [`crate::IMPLEMENTATION`].
pub(crate) const IMPLEMENTATION: &str = if cfg!(target_arch = "x86_64") { "SSE2" } else { "64-bit words" };

/// How many bytes a block has.
pub(crate) const BLOCK: usize = 16;

/// Bits that keep the value of the last `count` of sixteen digits and of nothing else.
#[inline(always)]
fn keep_last(count: usize) -> &'static [u8; BLOCK] {
    const KEEP: [u8; 2 * BLOCK] = {
        let mut keep = [0; 2 * BLOCK];
        let mut at = BLOCK;
        while at < 2 * BLOCK {
            keep[at] = 0x0f;
            at += 1;
        }
        keep
    };
    KEEP.get(count..).and_then(|rest| rest.first_chunk()).unwrap_or(&[0x0f; BLOCK])
}

/// SSE2, which every x86-64 processor has.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi16, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_loadu_si128,
        _mm_madd_epi16, _mm_min_epu8, _mm_movemask_epi8, _mm_mullo_epi16, _mm_or_si128, _mm_packs_epi32,
        _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_srli_epi16, _mm_sub_epi8,
    };

    use super::{BLOCK, keep_last};

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Block(__m128i);

    impl Block {
        #[inline(always)]
        pub(crate) fn load(bytes: &[u8; BLOCK]) -> Block {
            // SAFETY: the reference covers sixteen readable bytes, and the instruction needs no alignment.
            Block(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
        }

        /// Bytes that cannot stand for themselves in a string: quotes, backslashes and control characters.
        #[inline(always)]
        pub(crate) fn special(self) -> u32 {
            // SAFETY: the instructions are there on every x86-64 processor and work on values only.
            unsafe {
                let control = _mm_cmpeq_epi8(_mm_min_epu8(self.0, _mm_set1_epi8(0x1f)), self.0);
                _mm_movemask_epi8(_mm_or_si128(control, self.either(b'"', b'\\'))) as u32
            }
        }

        /// Bytes beyond ASCII.
        #[inline(always)]
        pub(crate) fn beyond_ascii(self) -> u32 {
            // SAFETY: the instruction is there on every x86-64 processor and works on values only.
            unsafe { _mm_movemask_epi8(self.0) as u32 }
        }

        /// White space between tokens.
        #[inline(always)]
        pub(crate) fn blank(self) -> u32 {
            let (line, column) = (self.either(b'\n', b'\r'), self.either(b' ', b'\t'));
            // SAFETY: the instructions are there on every x86-64 processor and work on values only.
            unsafe { _mm_movemask_epi8(_mm_or_si128(line, column)) as u32 }
        }

        /// Bytes that are the same in both.
        #[inline(always)]
        pub(super) fn equal(self, other: Block) -> u32 {
            // SAFETY: the instructions are there on every x86-64 processor and work on values only.
            unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, other.0)) as u32 }
        }

        /// Decimal digits.
        #[inline(always)]
        pub(crate) fn digits(self) -> u32 {
            // SAFETY: the instructions are there on every x86-64 processor and work on values only.
            unsafe {
                let value = _mm_sub_epi8(self.0, _mm_set1_epi8(b'0' as i8));
                let digit = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
                _mm_movemask_epi8(digit) as u32
            }
        }

        /// The number that the last `count` bytes spell, which are digits.
        #[inline(always)]
        pub(crate) fn join(self, count: usize) -> u64 {
            let keep = Block::load(keep_last(count));
            // SAFETY: the instructions are there on every x86-64 processor and work on values only.
            let eights = unsafe {
                let digits = _mm_and_si128(self.0, keep.0);
                let tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xff)), _mm_set1_epi16(10));
                let pairs = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8));
                let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
                let fours = _mm_packs_epi32(fours, fours);
                _mm_cvtsi128_si64(_mm_madd_epi16(fours, _mm_set1_epi32(1 << 16 | 10_000))) as u64
            };
            (eights & 0xffff_ffff) * 100_000_000 + (eights >> 32)
        }

        /// All bits of bytes that are one or the other.
        #[inline(always)]
        fn either(self, one: u8, other: u8) -> __m128i {
            // SAFETY: the instructions are there on every x86-64 processor and work on values only.
            unsafe {
                let one = _mm_cmpeq_epi8(self.0, _mm_set1_epi8(one as i8));
                _mm_or_si128(one, _mm_cmpeq_epi8(self.0, _mm_set1_epi8(other as i8)))
            }
        }
    }
}

/// Two 64-bit words, for all other processors.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    use super::{BLOCK, keep_last};

    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Block([u64; 2]);

    impl Block {
        #[inline(always)]
        pub(crate) fn load(bytes: &[u8; BLOCK]) -> Block {
            let both = u128::from_le_bytes(*bytes);
            Block([both as u64, (both >> 64) as u64])
        }

        /// Bytes that cannot stand for themselves in a string: quotes, backslashes and control characters.
        #[inline(always)]
        pub(crate) fn special(self) -> u32 {
            self.bits(|word| below(word, 0x20) | same(word, b'"') | same(word, b'\\'))
        }

        /// Bytes beyond ASCII.
        #[inline(always)]
        pub(crate) fn beyond_ascii(self) -> u32 {
            self.bits(|word| word & TOPS)
        }

        /// White space between tokens.
        #[inline(always)]
        pub(crate) fn blank(self) -> u32 {
            self.bits(|word| same(word, b' ') | same(word, b'\t') | same(word, b'\n') | same(word, b'\r'))
        }

        /// Bytes that are the same in both.
        #[inline(always)]
        pub(super) fn equal(self, other: Block) -> u32 {
            Block([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]]).bits(|word| below(word, 1))
        }

        /// Decimal digits.
        #[inline(always)]
        pub(crate) fn digits(self) -> u32 {
            self.bits(|word| below(word, 0x3a) & !below(word, 0x30))
        }

        /// The number that the last `count` bytes spell, which are digits.
        #[inline(always)]
        pub(crate) fn join(self, count: usize) -> u64 {
            let keep = Block::load(keep_last(count));
            join_eight(self.0[0] & keep.0[0]) * 100_000_000 + join_eight(self.0[1] & keep.0[1])
        }

        #[inline(always)]
        fn bits(self, tops: impl Fn(u64) -> u64) -> u32 {
            // Brings the top bits of eight bytes together in the highest byte.
            let gather = |word: u64| (tops(word) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            (gather(self.0[0]) | gather(self.0[1]) << 8) as u32
        }
    }

    /// Joins digits to pairs, pairs to fours, fours to eight.
    #[inline(always)]
    fn join_eight(digits: u64) -> u64 {
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
        let high = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
        low.wrapping_add(high) >> 32
    }

    /// The top bit of bytes less than `limit`, which is at most 0x80.
    #[inline(always)]
    fn below(word: u64, limit: u64) -> u64 {
        // With the top bit set no byte borrows from its neighbour.
        !(word | ((word | TOPS) - ONES * limit)) & TOPS
    }

    /// The top bit of bytes equal to `byte`.
    #[inline(always)]
    fn same(word: u64, byte: u8) -> u64 {
        below(word ^ (ONES * u64::from(byte)), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_common() {
        let left: [u8; BLOCK] = std::array::from_fn(|at| at as u8 * 17);
        for place in 0..BLOCK {
            for change in [1, 0x80, 0xff] {
                let mut right = left;
                right[place] ^= change;
                let expected = 0xffff & !(1 << place);
                assert_eq!(Block::load(&left).equal(Block::load(&right)), expected);
                assert_eq!(words::Block::load(&left).equal(words::Block::load(&right)), expected);
            }
        }
    }

    #[test]
    fn digits_at_the_end() {
        for text in [b"9876543210123456", b"//::--  99999999", b"0000000000000001"] {
            for count in 0..=BLOCK {
                let expected =
                    text[BLOCK - count..].iter().fold(0, |number, byte| 10 * number + u64::from(byte & 0xf));
                if text[BLOCK - count..].iter().all(u8::is_ascii_digit) {
                    assert_eq!(Block::load(text).join(count), expected);
                    assert_eq!(words::Block::load(text).join(count), expected);
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255u8 {
            for other in [b'a', 0x00, 0x1f, 0x20, b'"', 0x80, 0xff] {
                for place in 0..BLOCK {
                    let mut bytes = [other; BLOCK];
                    bytes[place] = byte;
                    let expected = |test: fn(u8) -> bool| {
                        (0..BLOCK).map(|at| u32::from(test(bytes[at])) << at).sum::<u32>()
                    };
                    let special = expected(|byte| byte < 0x20 || byte == b'"' || byte == b'\\');
                    let beyond_ascii = expected(|byte| byte >= 0x80);
                    let blank = expected(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
                    let digits = expected(|byte| byte.is_ascii_digit());
                    let expected = [special, beyond_ascii, blank, digits];
                    let block = Block::load(&bytes);
                    let found = [block.special(), block.beyond_ascii(), block.blank(), block.digits()];
                    assert_eq!(found, expected);
                    let block = words::Block::load(&bytes);
                    let found = [block.special(), block.beyond_ascii(), block.blank(), block.digits()];
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
