//! SSE4.1: sixteen digits in one vector of 128 bits, the first digit in the lowest byte.
//!
//! What is shorter than nine digits is left to the scalar twin: filling a vector with it costs more than it saves.
#![allow(unsafe_code)]

use crate::scalar::{self, EIGHT, SIXTEEN, first_eight, last_eight, not_digits, shift, top_four};
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_madd_epi16, _mm_maddubs_epi16, _mm_min_epu8, _mm_movemask_epi8, _mm_packus_epi32, _mm_set1_epi8,
    _mm_set1_epi16, _mm_set1_epi32, _mm_shuffle_epi8, _mm_sub_epi8, _mm_unpacklo_epi64,
};

/// See [`scalar::trusted`].
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
pub(crate) fn trusted(digits: &[u8]) -> u64 {
    match digits.len() {
        9..17 => join_sixteen(low_nibbles(aligned_halves(digits))),
        17..21 => match digits.last_chunk() {
            Some(low) => {
                top_four(digits).wrapping_mul(SIXTEEN).wrapping_add(join_sixteen(low_nibbles(load(low))))
            }
            None => 0,
        },
        _ => scalar::trusted(digits),
    }
}

/// See [`scalar::checked`].
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
pub(crate) fn checked(text: &[u8]) -> Option<u64> {
    match text.len() {
        9..17 => {
            let bytes = halves(first_eight(text), last_eight(text));
            (digit_mask(values(bytes)) == ALL).then(|| join_sixteen(low_nibbles(aligned_halves(text))))
        }
        17..21 => {
            let low = values(load(text.last_chunk()?));
            if digit_mask(low) != ALL || not_digits(scalar::values(first_eight(text))) != 0 {
                return None;
            }
            top_four(text).checked_mul(SIXTEEN)?.checked_add(join_sixteen(low))
        }
        _ => scalar::checked(text),
    }
}

/// See [`scalar::prefix`].
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
pub(crate) fn prefix(text: &[u8]) -> (u64, usize) {
    let Some(sixteen) = text.first_chunk() else {
        return scalar::prefix(text);
    };
    let digits = values(load(sixteen));
    match digit_mask(digits).trailing_ones() as usize {
        0 => (0, 0),
        16 => {
            let digits = scalar::leading_digits(text, 16);
            checked(digits).map_or((0, 0), |number| (number, digits.len()))
        }
        count => (join_sixteen(align(digits, count)), count),
    }
}

/// Every byte of a vector.
pub(crate) const ALL: u32 = 0xffff;

/// The bits of the bytes that are digits, given what they stand for.
#[inline]
#[target_feature(enable = "sse4.1")]
fn digit_mask(values: __m128i) -> u32 {
    _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values)) as u32
}

/// What the digits stand for, and more than 9 for all else.
#[inline]
#[target_feature(enable = "sse4.1")]
fn values(bytes: __m128i) -> __m128i {
    _mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8))
}

/// What the digits stand for; zero bytes stay zero.
#[inline]
#[target_feature(enable = "sse4.1")]
pub(crate) fn low_nibbles(bytes: __m128i) -> __m128i {
    _mm_and_si128(bytes, _mm_set1_epi8(0x0f))
}

/// Moves the first `count` bytes to the end and puts zeros before them.
#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn align(values: __m128i, count: usize) -> __m128i {
    // Where the high bit is set, the shuffle gives zero. The window of sixteen begins at `count`.
    const NONE: u8 = 0x80;
    const SOURCES: [u8; 32] = [
        NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        NONE, //
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    ];
    match SOURCES.get(count..).and_then(|window| window.first_chunk()) {
        Some(window) => _mm_shuffle_epi8(values, load(window)),
        None => values,
    }
}

/// The number that sixteen values from 0 to 9 spell.
///
/// Neighbours are joined three times, as in the scalar twin, and the two halves once.
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
pub(crate) fn join_sixteen(values: __m128i) -> u64 {
    let pairs = _mm_maddubs_epi16(values, _mm_set1_epi16(10 | 1 << 8));
    let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
    let packed = _mm_packus_epi32(fours, fours);
    let eights = _mm_madd_epi16(packed, _mm_set1_epi32(10_000 | 1 << 16));
    let both = _mm_cvtsi128_si64(eights) as u64;
    (both & 0xffff_ffff) * EIGHT + (both >> 32)
}

/// Nine to sixteen digits at the end of the vector, zero bytes before them.
#[inline]
#[target_feature(enable = "sse4.1")]
fn aligned_halves(digits: &[u8]) -> __m128i {
    halves(first_eight(digits).wrapping_shl(shift(16, digits)), last_eight(digits))
}

#[inline]
#[target_feature(enable = "sse4.1")]
pub(crate) fn halves(first: u64, last: u64) -> __m128i {
    _mm_unpacklo_epi64(_mm_cvtsi64_si128(first as i64), _mm_cvtsi64_si128(last as i64))
}

#[inline(always)]
pub(crate) fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: sixteen bytes can be read behind the reference, and this load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}
