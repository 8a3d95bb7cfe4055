//! Conversions of text that is known to consist of digits only.
//!
//! None of them looks for other bytes or for overflow: such text gives some number, never undefined behaviour or a
//! panic. The empty text is 0. [`parse_u64`] picks the fastest by length; the others stand beside it to be compared.

use crate::swar;

/// One digit at a time, multiplying by ten.
#[inline]
pub fn naive(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |number, &digit| number.wrapping_mul(10).wrapping_add(value(digit)))
}

/// One digit at a time, ten times as eight times plus two times.
#[inline]
pub fn bitshift(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0u64, |number, &digit| (number << 3).wrapping_add(number << 1).wrapping_add(value(digit)))
}

/// Four digits at a time with independent multiplications.
#[inline]
pub fn unrolled(digits: &[u8]) -> u64 {
    let (fours, rest) = digits.as_chunks::<4>();
    let mut number = 0u64;
    for &[a, b, c, d] in fours {
        let low = value(c).wrapping_mul(10).wrapping_add(value(d));
        let high = value(a).wrapping_mul(1000).wrapping_add(value(b).wrapping_mul(100));
        number = number.wrapping_mul(10_000).wrapping_add(high).wrapping_add(low);
    }
    rest.iter().fold(number, |number, &digit| number.wrapping_mul(10).wrapping_add(value(digit)))
}

/// Eight digits at a time inside one register.
#[inline]
pub fn swar(digits: &[u8]) -> u64 {
    // The odd digits come first, so that every following block is a full one.
    let (head, eights) = digits.as_rchunks::<8>();
    let mut number = naive(head);
    for &eight in eights {
        number = number.wrapping_mul(100_000_000).wrapping_add(swar::join(eight));
    }
    number
}

/// The fastest way for the given length.
#[inline]
pub fn parse_u64(digits: &[u8]) -> u64 {
    if digits.len() < 8 { unrolled(digits) } else { swar(digits) }
}

#[inline]
fn value(digit: u8) -> u64 {
    u64::from(digit.wrapping_sub(b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    type Way = fn(&[u8]) -> u64;
    const WAYS: [Way; 5] = [naive, bitshift, unrolled, swar, parse_u64];

    #[test]
    fn one_to_four_digits_exhaustively() {
        for width in 1..=4usize {
            for number in 0..10u64.pow(width as u32) {
                let text = format!("{number:0width$}");
                for way in WAYS {
                    assert_eq!(way(text.as_bytes()), number, "{text}");
                }
            }
        }
    }

    #[test]
    fn every_length() {
        let digits = "12345678901234567890";
        for length in 0..=digits.len() {
            let text = &digits[..length];
            let expected = text.parse().unwrap_or(0);
            for way in WAYS {
                assert_eq!(way(text.as_bytes()), expected, "{text}");
            }
        }
    }

    #[test]
    fn any_bytes_are_harmless() {
        for way in WAYS {
            way(&[0xff; 100]);
            way(b"\0\x7f9-+ e.,");
        }
    }
}
