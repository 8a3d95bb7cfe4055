//! Without multiplications.

use super::value;

/// One digit at a time; ten times a number is eight times and two times the number.
#[inline]
pub fn bitshift(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0u64, |number, &digit| (number << 3).wrapping_add(number << 1).wrapping_add(value(digit)))
}
