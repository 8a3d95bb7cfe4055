//! AVX-512: loads that read only the wanted bytes put text of any length at the end of a vector, without branches.
//!
//! A load begins before the text where the text is shorter than the vector. The bytes there are masked out, so they
//! are not touched, and it doesn't matter whose they are.
#![allow(unsafe_code)]

use crate::avx2::join_halves;
use crate::scalar::{self, EIGHT, SIXTEEN};
use crate::sse41::{align, join_sixteen};
use core::arch::x86_64::{
    __m128i, __m256i, _bzhi_u32, _mm_cmpgt_epu8_mask, _mm_maskz_loadu_epi8, _mm_maskz_sub_epi8,
    _mm_set1_epi8, _mm256_castsi256_si128, _mm256_cmpgt_epu8_mask, _mm256_mask_cmple_epu8_mask,
    _mm256_maskz_loadu_epi8, _mm256_maskz_sub_epi8, _mm256_set1_epi8, _mm256_sub_epi8,
};

/// See [`scalar::trusted`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(crate) fn trusted(digits: &[u8]) -> u64 {
    match digits.len() {
        0..17 => join_sixteen(last_sixteen(digits)),
        17..33 => {
            let (top, rest) = join_twenty(last_thirty_two(digits));
            top.wrapping_mul(SIXTEEN).wrapping_add(rest)
        }
        _ => scalar::naive(digits),
    }
}

/// See [`scalar::checked`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(crate) fn checked(text: &[u8]) -> Option<u64> {
    match text.len() {
        1..17 => {
            let values = last_sixteen(text);
            (_mm_cmpgt_epu8_mask(values, _mm_set1_epi8(9)) == 0).then(|| join_sixteen(values))
        }
        17..21 => {
            let values = last_thirty_two(text);
            if _mm256_cmpgt_epu8_mask(values, _mm256_set1_epi8(9)) != 0 {
                return None;
            }
            let (top, rest) = join_twenty(values);
            top.checked_mul(SIXTEEN)?.checked_add(rest)
        }
        _ => None,
    }
}

/// See [`scalar::prefix`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(crate) fn prefix(text: &[u8]) -> (u64, usize) {
    let wanted = _bzhi_u32(u32::MAX, text.len().min(32) as u32);
    // SAFETY: only bytes of the text are wanted.
    let bytes = unsafe { _mm256_maskz_loadu_epi8(wanted, text.as_ptr().cast()) };
    let values = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0' as i8));
    let digits = _mm256_mask_cmple_epu8_mask(wanted, values, _mm256_set1_epi8(9));
    match digits.trailing_ones() as usize {
        0 => (0, 0),
        count @ ..17 => (join_sixteen(align(_mm256_castsi256_si128(values), count)), count),
        count => {
            text.get(..count).and_then(|digits| checked(digits)).map_or((0, 0), |number| (number, count))
        }
    }
}

/// Up to sixteen bytes less the digit zero, with zeros before them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn last_sixteen(text: &[u8]) -> __m128i {
    // One bit for each byte of the text, from the highest of 16 downwards.
    let wanted = (0xffff_0000u32 >> text.len().min(16)) as u16;
    let start = text.as_ptr_range().end.wrapping_sub(16);
    // SAFETY: only bytes of the text are wanted.
    let bytes = unsafe { _mm_maskz_loadu_epi8(wanted, start.cast()) };
    _mm_maskz_sub_epi8(wanted, bytes, _mm_set1_epi8(b'0' as i8))
}

/// Up to 32 bytes less the digit zero, with zeros before them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn last_thirty_two(text: &[u8]) -> __m256i {
    let wanted = (0xffff_ffff_0000_0000u64 >> text.len().min(32)) as u32;
    let start = text.as_ptr_range().end.wrapping_sub(32);
    // SAFETY: only bytes of the text are wanted.
    let bytes = unsafe { _mm256_maskz_loadu_epi8(wanted, start.cast()) };
    _mm256_maskz_sub_epi8(wanted, bytes, _mm256_set1_epi8(b'0' as i8))
}

/// The number before the last sixteen of up to 24 digits, and the number that those spell.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn join_twenty(values: __m256i) -> (u64, u64) {
    let (lower, upper) = join_halves(values);
    (lower >> 32, (upper & 0xffff_ffff) * EIGHT + (upper >> 32))
}
