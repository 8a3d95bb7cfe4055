//! AVX2: as SSE4.1, with shifts inside the vector, and two vectors in one for more than sixteen digits.
#![allow(unsafe_code)]

use crate::scalar::{self, EIGHT, first_eight, first_four, last_eight, last_four, shift};
use crate::sse41::{self, halves, join_sixteen, load};
use core::arch::x86_64::{
    __m128i, __m256i, _mm_cmpeq_epi8, _mm_cvtsi32_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si32,
    _mm_cvtsi128_si64, _mm_madd_epi16, _mm_maddubs_epi16, _mm_min_epu8, _mm_movemask_epi8, _mm_packus_epi32,
    _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_sllv_epi32, _mm_sllv_epi64, _mm_sub_epi8,
    _mm256_add_epi32, _mm256_castsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_packus_epi32, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_sllv_epi32, _mm256_sub_epi8,
};

/// See [`scalar::trusted`].
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(crate) fn trusted(digits: &[u8]) -> u64 {
    match digits.len() {
        5..9 => join_eight(eight(digits), digits),
        9..17 => join_sixteen(align_first(sixteen(digits), digits)),
        17..21 => match (digits.first_chunk(), digits.last_chunk()) {
            (Some(first), Some(last)) => {
                let (top, rest) = join_twenty(twenty(first, last), digits);
                top.wrapping_mul(TOP).wrapping_add(rest)
            }
            _ => 0,
        },
        _ => scalar::trusted(digits),
    }
}

/// See [`scalar::checked`].
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(crate) fn checked(text: &[u8]) -> Option<u64> {
    match text.len() {
        5..9 => {
            let values = eight(text);
            let same = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
            (_mm_movemask_epi8(same) as u8 == 0xff).then(|| join_eight(values, text))
        }
        9..17 => {
            let values = sixteen(text);
            let same = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
            (_mm_movemask_epi8(same) == 0xffff).then(|| join_sixteen(align_first(values, text)))
        }
        17..21 => {
            let values = twenty(text.first_chunk()?, text.last_chunk()?);
            let same = _mm256_cmpeq_epi8(_mm256_min_epu8(values, _mm256_set1_epi8(9)), values);
            if _mm256_movemask_epi8(same) != -1 {
                return None;
            }
            let (top, rest) = join_twenty(values, text);
            top.checked_mul(TOP)?.checked_add(rest)
        }
        _ => scalar::checked(text),
    }
}

/// See [`scalar::prefix`].
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(crate) fn prefix(text: &[u8]) -> (u64, usize) {
    sse41::prefix(text)
}

/// What the digits before the last sixteen are multiplied with, which already stand for ten thousand times as much.
const TOP: u64 = EIGHT * 10_000;

/// The first and the last four of five to eight bytes in the lower half, less the digit zero.
#[inline]
#[target_feature(enable = "avx2")]
fn eight(text: &[u8]) -> __m128i {
    let bytes = u64::from(first_four(text)) | u64::from(last_four(text)) << 32;
    _mm_sub_epi8(_mm_cvtsi64_si128(bytes as i64), _mm_set1_epi8(b'0' as i8))
}

/// The number that five to eight digits spell.
#[inline]
#[target_feature(enable = "avx2")]
fn join_eight(values: __m128i, digits: &[u8]) -> u64 {
    // What the last four have too is shifted out of the first four. The upper half holds nothing, before and after.
    let aligned = _mm_sllv_epi32(values, _mm_cvtsi32_si128(shift(8, digits) as i32));
    let pairs = _mm_maddubs_epi16(aligned, _mm_set1_epi16(10 | 1 << 8));
    let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
    let packed = _mm_packus_epi32(fours, fours);
    let eights = _mm_madd_epi16(packed, _mm_set1_epi32(10_000 | 1 << 16));
    u64::from(_mm_cvtsi128_si32(eights) as u32)
}

/// The first and the last eight of nine to sixteen bytes, less the digit zero.
#[inline]
#[target_feature(enable = "avx2")]
fn sixteen(text: &[u8]) -> __m128i {
    _mm_sub_epi8(halves(first_eight(text), last_eight(text)), _mm_set1_epi8(b'0' as i8))
}

/// Shifts what the last eight have too out of the first eight.
#[inline]
#[target_feature(enable = "avx2")]
fn align_first(values: __m128i, text: &[u8]) -> __m128i {
    _mm_sllv_epi64(values, _mm_cvtsi64_si128(i64::from(shift(16, text))))
}

/// The first and the last sixteen bytes, less the digit zero.
#[inline]
#[target_feature(enable = "avx2")]
fn twenty(first: &[u8; 16], last: &[u8; 16]) -> __m256i {
    let bytes = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load(first)), load(last));
    _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8))
}

/// Ten thousand times the number before the last sixteen of 17 to 20 digits, and the number that those spell.
#[inline]
#[target_feature(enable = "avx2")]
fn join_twenty(values: __m256i, digits: &[u8]) -> (u64, u64) {
    // Of the lower half only the first four bytes are wanted, less what the upper half has too. A shift by all the
    // bits clears the others.
    let first = _mm256_castsi128_si256(_mm_cvtsi32_si128(shift(20, digits) as i32));
    let shifts = _mm256_add_epi32(first, _mm256_setr_epi32(0, 32, 32, 32, 0, 0, 0, 0));
    let aligned = _mm256_sllv_epi32(values, shifts);
    let (lower, upper) = join_halves(aligned);
    (lower & 0xffff_ffff, (upper & 0xffff_ffff) * EIGHT + (upper >> 32))
}

/// Joins sixteen values from 0 to 9 in each half to two numbers of eight digits; the first is in the low 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn join_halves(values: __m256i) -> (u64, u64) {
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi16(10 | 1 << 8));
    let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
    let packed = _mm256_packus_epi32(fours, fours);
    let eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(10_000 | 1 << 16));
    let lower = _mm_cvtsi128_si64(_mm256_castsi256_si128(eights));
    let upper = _mm_cvtsi128_si64(_mm256_extracti128_si256::<1>(eights));
    (lower as u64, upper as u64)
}
