//! Sixteen bytes of text examined at once: a bit for each byte that a question is true of.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::Block;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use words::Block;

/// How many bytes a block has.
pub(crate) const BLOCK: usize = 16;

/// SSE2, which every x86-64 processor has.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8,
    };

    use super::BLOCK;

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
    use super::BLOCK;

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
            self.bits(|word| below(word, 0x20) | equal(word, b'"') | equal(word, b'\\'))
        }

        /// Bytes beyond ASCII.
        #[inline(always)]
        pub(crate) fn beyond_ascii(self) -> u32 {
            self.bits(|word| word & TOPS)
        }

        /// White space between tokens.
        #[inline(always)]
        pub(crate) fn blank(self) -> u32 {
            self.bits(|word| equal(word, b' ') | equal(word, b'\t') | equal(word, b'\n') | equal(word, b'\r'))
        }

        #[inline(always)]
        fn bits(self, tops: impl Fn(u64) -> u64) -> u32 {
            // Brings the top bits of eight bytes together in the highest byte.
            let gather = |word: u64| (tops(word) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            (gather(self.0[0]) | gather(self.0[1]) << 8) as u32
        }
    }

    /// The top bit of bytes less than `limit`, which is at most 0x80.
    #[inline(always)]
    fn below(word: u64, limit: u64) -> u64 {
        // With the top bit set no byte borrows from its neighbour.
        !(word | ((word | TOPS) - ONES * limit)) & TOPS
    }

    /// The top bit of bytes equal to `byte`.
    #[inline(always)]
    fn equal(word: u64, byte: u8) -> u64 {
        below(word ^ (ONES * u64::from(byte)), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                    let block = Block::load(&bytes);
                    assert_eq!(
                        (block.special(), block.beyond_ascii(), block.blank()),
                        (special, beyond_ascii, blank)
                    );
                    let block = words::Block::load(&bytes);
                    assert_eq!(
                        (block.special(), block.beyond_ascii(), block.blank()),
                        (special, beyond_ascii, blank)
                    );
                }
            }
        }
    }
}
