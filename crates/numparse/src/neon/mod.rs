//! NEON: sixteen digits in one vector of 128 bits, the first digit in the lowest byte.
//!
//! What is shorter than nine digits is left to the scalar twin: filling a vector with it costs more than it saves.
#![allow(unsafe_code)]

use crate::scalar::{self, EIGHT, SIXTEEN, first_eight, last_eight, not_digits, shift, top_four};
use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vcombine_u8, vcreate_u8, vdupq_n_u8, vgetq_lane_u64, vld1q_u8, vld1q_u16,
    vld1q_u32, vmaxvq_u8, vmulq_u8, vmulq_u16, vmulq_u32, vpaddlq_u8, vpaddlq_u16, vpaddlq_u32, vsubq_u8,
};

/// See [`scalar::trusted`].
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn trusted(digits: &[u8]) -> u64 {
    match digits.len() {
        9..17 => join_sixteen(aligned_halves(digits)),
        17..21 => match digits.last_chunk() {
            Some(low) => top_four(digits).wrapping_mul(SIXTEEN).wrapping_add(join_sixteen(load(low))),
            None => 0,
        },
        _ => scalar::trusted(digits),
    }
}

/// See [`scalar::checked`].
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn checked(text: &[u8]) -> Option<u64> {
    match text.len() {
        9..17 => {
            let valid = are_digits(halves(first_eight(text), last_eight(text)));
            valid.then(|| join_sixteen(aligned_halves(text)))
        }
        17..21 => {
            let low = load(text.last_chunk()?);
            if !are_digits(low) || not_digits(scalar::values(first_eight(text))) != 0 {
                return None;
            }
            top_four(text).checked_mul(SIXTEEN)?.checked_add(join_sixteen(low))
        }
        _ => scalar::checked(text),
    }
}

/// See [`scalar::prefix`].
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn prefix(text: &[u8]) -> (u64, usize) {
    scalar::prefix(text)
}

#[inline]
#[target_feature(enable = "neon")]
fn are_digits(bytes: uint8x16_t) -> bool {
    vmaxvq_u8(vsubq_u8(bytes, vdupq_n_u8(b'0'))) <= 9
}

/// The number that sixteen digits spell. A byte of 0 counts as the digit 0.
///
/// Neighbours are joined three times, as in the scalar twin, and the two halves once.
#[inline]
#[target_feature(enable = "neon")]
fn join_sixteen(bytes: uint8x16_t) -> u64 {
    const TENS: [u8; 16] = [10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1];
    const HUNDREDS: [u16; 8] = [100, 1, 100, 1, 100, 1, 100, 1];
    const TEN_THOUSANDS: [u32; 4] = [10_000, 1, 10_000, 1];
    // SAFETY: each of the three arrays has the sixteen bytes that its load reads.
    let (tens, hundreds, ten_thousands) =
        unsafe { (vld1q_u8(TENS.as_ptr()), vld1q_u16(HUNDREDS.as_ptr()), vld1q_u32(TEN_THOUSANDS.as_ptr())) };
    let values = vandq_u8(bytes, vdupq_n_u8(0x0f));
    let pairs = vpaddlq_u8(vmulq_u8(values, tens));
    let fours = vpaddlq_u16(vmulq_u16(pairs, hundreds));
    let eights = vpaddlq_u32(vmulq_u32(fours, ten_thousands));
    vgetq_lane_u64::<0>(eights) * EIGHT + vgetq_lane_u64::<1>(eights)
}

/// Nine to sixteen digits at the end of the vector, zero bytes before them.
#[inline]
#[target_feature(enable = "neon")]
fn aligned_halves(digits: &[u8]) -> uint8x16_t {
    halves(first_eight(digits).wrapping_shl(shift(16, digits)), last_eight(digits))
}

#[inline]
#[target_feature(enable = "neon")]
fn halves(first: u64, last: u64) -> uint8x16_t {
    vcombine_u8(vcreate_u8(first), vcreate_u8(last))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: sixteen bytes can be read behind the reference, and this load needs no alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}
