//! Integers to decimal text in a buffer of the caller.
#![allow(unsafe_code)]

/// Longest text of a `u64`.
pub const U64_TEXT_MAX: usize = 20;
/// Longest text of an `i64`, with its sign.
pub const I64_TEXT_MAX: usize = 20;

const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// The decimal text of a number, written to the end of the buffer.
#[inline]
pub fn format_u64(number: u64, buffer: &mut [u8; U64_TEXT_MAX]) -> &str {
    let start = put_digits(number, buffer);
    text(buffer, start)
}

/// The decimal text of a number, written to the end of the buffer.
#[inline]
pub fn format_i64(number: i64, buffer: &mut [u8; I64_TEXT_MAX]) -> &str {
    let mut start = put_digits(number.unsigned_abs(), buffer);
    if number < 0 {
        start = start.saturating_sub(1);
        if let Some(sign) = buffer.get_mut(start) {
            *sign = b'-';
        }
    }
    text(buffer, start)
}

/// Writes the digits right-aligned and returns where they start.
#[inline]
fn put_digits(mut number: u64, buffer: &mut [u8; U64_TEXT_MAX]) -> usize {
    let mut start = U64_TEXT_MAX;
    while number >= 100 {
        start -= 2;
        put_pair(buffer, start, (number % 100) as usize);
        number /= 100;
    }
    if number >= 10 {
        start -= 2;
        put_pair(buffer, start, number as usize);
    } else {
        start -= 1;
        if let Some(digit) = buffer.get_mut(start) {
            *digit = b'0' + number as u8;
        }
    }
    start
}

#[inline]
fn put_pair(buffer: &mut [u8; U64_TEXT_MAX], at: usize, pair: usize) {
    if let (Some(target), Some(digits)) = (buffer.get_mut(at..at + 2), PAIRS.get(pair)) {
        target.copy_from_slice(digits);
    }
}

#[inline]
fn text(buffer: &[u8; U64_TEXT_MAX], start: usize) -> &str {
    let written = buffer.get(start..).unwrap_or(&[]);
    // SAFETY: from `start` on, only ASCII digits and a minus sign were written, by the two callers just above.
    unsafe { core::str::from_utf8_unchecked(written) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn extremes_and_powers() {
        let mut buffer = [0; I64_TEXT_MAX];
        for number in [0, 9, 10, 99, 100, 101, -1, -10, -100, i64::MAX, i64::MIN] {
            assert_eq!(format_i64(number, &mut buffer), number.to_string());
        }
        let mut power = 1u64;
        while power < u64::MAX / 10 {
            for number in [power - 1, power, power + 1] {
                assert_eq!(format_u64(number, &mut buffer), number.to_string());
            }
            power *= 10;
        }
        assert_eq!(format_u64(u64::MAX, &mut buffer), u64::MAX.to_string());
    }
}
