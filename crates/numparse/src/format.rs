//! Integers to decimal text in a buffer of the caller.
//!
//! A number is split into blocks of eight digits, those into fours and those into pairs, which lie ready in a table.
//! Each block has its fixed place at the end of the buffer.
#![allow(unsafe_code)]

/// Longest text of a `u64`.
pub const U64_TEXT_MAX: usize = 20;
/// Longest text of an `i64`, with its sign.
pub const I64_TEXT_MAX: usize = 20;

const EIGHT: u64 = 100_000_000;

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
        // Nineteen digits at most, so there is room.
        start = start.saturating_sub(1);
        if let Some(sign) = buffer.get_mut(start) {
            *sign = b'-';
        }
    }
    text(buffer, start)
}

/// Writes the digits right-aligned and returns where they start.
#[inline]
fn put_digits(number: u64, buffer: &mut [u8; U64_TEXT_MAX]) -> usize {
    if number < EIGHT {
        return put_up_to_eight(number as u32, 20, buffer);
    }
    put_eight((number % EIGHT) as u32, 12, buffer);
    let number = number / EIGHT;
    if number < EIGHT {
        return put_up_to_eight(number as u32, 12, buffer);
    }
    put_eight((number % EIGHT) as u32, 4, buffer);
    put_up_to_four((number / EIGHT) as u32, 4, buffer)
}

/// The digits of a number below 10^8 before `end`, without leading zeros. Returns where they start, as below.
#[inline(always)]
fn put_up_to_eight(number: u32, end: usize, buffer: &mut [u8; U64_TEXT_MAX]) -> usize {
    if number < 10_000 {
        return put_up_to_four(number, end, buffer);
    }
    put_four(number % 10_000, end - 4, buffer);
    put_up_to_four(number / 10_000, end - 4, buffer)
}

#[inline(always)]
fn put_up_to_four(number: u32, end: usize, buffer: &mut [u8; U64_TEXT_MAX]) -> usize {
    if number < 100 {
        return put_up_to_two(number, end, buffer);
    }
    put_pair(number % 100, end - 2, buffer);
    put_up_to_two(number / 100, end - 2, buffer)
}

#[inline(always)]
fn put_up_to_two(number: u32, end: usize, buffer: &mut [u8; U64_TEXT_MAX]) -> usize {
    if number < 10 {
        buffer[end - 1] = b'0' + number as u8;
        return end - 1;
    }
    put_pair(number, end - 2, buffer);
    end - 2
}

/// All eight digits of a number below 10^8, as below.
#[inline(always)]
fn put_eight(number: u32, at: usize, buffer: &mut [u8; U64_TEXT_MAX]) {
    put_four(number / 10_000, at, buffer);
    put_four(number % 10_000, at + 4, buffer);
}

#[inline(always)]
fn put_four(number: u32, at: usize, buffer: &mut [u8; U64_TEXT_MAX]) {
    put_pair(number / 100, at, buffer);
    put_pair(number % 100, at + 2, buffer);
}

#[inline(always)]
fn put_pair(number: u32, at: usize, buffer: &mut [u8; U64_TEXT_MAX]) {
    // All places are constants after inlining, so nothing is left of this check.
    buffer[at..at + 2].copy_from_slice(PAIRS.get(number as usize).unwrap_or(&[b'0'; 2]));
}

/// The text of each number below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

#[inline]
fn text(buffer: &[u8; U64_TEXT_MAX], start: usize) -> &str {
    let written = buffer.get(start..).unwrap_or(&[]);
    // SAFETY: from `start` on, only ASCII digits and a minus sign were written, by the two callers at the top.
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
