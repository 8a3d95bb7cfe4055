//! Without a loop.

use super::{naive, value};

const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// A jump by length to straight code that multiplies each digit by its power of ten, all independent of each other.
#[inline]
pub fn unrolled(digits: &[u8]) -> u64 {
    macro_rules! by_length {
        ($($length:literal)*) => {
            match digits.len() {
                0 => 0,
                $($length => digits.first_chunk::<$length>().map_or(0, sum),)*
                _ => naive(digits),
            }
        };
    }
    by_length!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
}

/// The compiler knows the length, so nothing of the loop is left.
#[inline(always)]
fn sum<const LENGTH: usize>(digits: &[u8; LENGTH]) -> u64 {
    let mut sum = 0u64;
    let mut at = 0;
    while at < LENGTH {
        sum = sum.wrapping_add(value(digits[at]).wrapping_mul(POWERS[LENGTH - 1 - at]));
        at += 1;
    }
    sum
}
