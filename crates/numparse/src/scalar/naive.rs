//! The way that everyone writes first.

use super::value;

/// One digit at a time, multiplying by ten.
#[inline]
pub fn naive(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |number, &digit| number.wrapping_mul(10).wrapping_add(value(digit)))
}
