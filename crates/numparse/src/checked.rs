//! Conversions that say what is wrong, and where.
//!
//! An optional `+` and, for signed types, `-` may come first, as in the standard library. Leading zeros are allowed in
//! any number.

use crate::{Error, swar};

/// Up to here two blocks of eight digits cannot overflow.
const SIXTEEN_NINES: u64 = 9_999_999_999_999_999;

/// The whole text as a `u64`.
///
/// # Errors
/// Any [`Error`].
#[inline]
pub fn parse_u64(text: &[u8]) -> Result<u64, Error> {
    whole(text, parse_prefix_u64(text)?)
}

/// The whole text as an `i64`.
///
/// # Errors
/// Any [`Error`].
#[inline]
pub fn parse_i64(text: &[u8]) -> Result<i64, Error> {
    whole(text, parse_prefix_i64(text)?)
}

/// The whole text as a `u32`.
///
/// # Errors
/// Any [`Error`].
#[inline]
pub fn parse_u32(text: &[u8]) -> Result<u32, Error> {
    whole(text, parse_prefix_u32(text)?)
}

/// The whole text as an `i32`.
///
/// # Errors
/// Any [`Error`].
#[inline]
pub fn parse_i32(text: &[u8]) -> Result<i32, Error> {
    whole(text, parse_prefix_i32(text)?)
}

/// The number at the start of the text and the bytes it takes.
///
/// # Errors
/// [`Error::Empty`] for no text, [`Error::InvalidDigit`] when it does not start with a number, [`Error::Overflow`].
#[inline]
pub fn parse_prefix_u64(text: &[u8]) -> Result<(u64, usize), Error> {
    magnitude(text, usize::from(text.first() == Some(&b'+')), u64::MAX)
}

/// The number at the start of the text and the bytes it takes.
///
/// # Errors
/// Those of [`parse_prefix_u64`].
#[inline]
pub fn parse_prefix_i64(text: &[u8]) -> Result<(i64, usize), Error> {
    signed(text, i64::MAX as u64)
}

/// The number at the start of the text and the bytes it takes.
///
/// # Errors
/// Those of [`parse_prefix_u64`].
#[inline]
pub fn parse_prefix_u32(text: &[u8]) -> Result<(u32, usize), Error> {
    let (number, used) = magnitude(text, usize::from(text.first() == Some(&b'+')), u64::from(u32::MAX))?;
    Ok((number as u32, used))
}

/// The number at the start of the text and the bytes it takes.
///
/// # Errors
/// Those of [`parse_prefix_u64`].
#[inline]
pub fn parse_prefix_i32(text: &[u8]) -> Result<(i32, usize), Error> {
    let (number, used) = signed(text, i32::MAX as u64)?;
    Ok((number as i32, used))
}

#[inline]
fn whole<T>(text: &[u8], (number, used): (T, usize)) -> Result<T, Error> {
    if used == text.len() { Ok(number) } else { Err(Error::InvalidDigit { at: used }) }
}

#[inline]
fn signed(text: &[u8], limit: u64) -> Result<(i64, usize), Error> {
    match text.first() {
        Some(b'-') => {
            // The least number is one further from zero than the greatest.
            let (number, used) = magnitude(text, 1, limit + 1)?;
            Ok(((number as i64).wrapping_neg(), used))
        }
        first => {
            let (number, used) = magnitude(text, usize::from(first == Some(&b'+')), limit)?;
            Ok((number as i64, used))
        }
    }
}

/// The digits from `start` on as a number of at most `limit`, and where they end.
#[inline]
fn magnitude(text: &[u8], start: usize, limit: u64) -> Result<(u64, usize), Error> {
    let mut number = 0u64;
    let mut at = start;
    let blocks = if limit > SIXTEEN_NINES { 2 } else { 1 };
    for _ in 0..blocks {
        match text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(&eight) if swar::are_digits(eight) => {
                number = number * 100_000_000 + swar::join(eight);
                at += 8;
            }
            _ => break,
        }
    }
    // Too few digits to reach any limit of this width.
    let unlimited = start + if blocks == 2 { 18 } else { 9 };
    while let Some(&byte) = text.get(at).filter(|_| at < unlimited) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number * 10 + u64::from(digit);
        at += 1;
    }
    while let Some(&byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number
            .checked_mul(10)
            .and_then(|number| number.checked_add(u64::from(digit)))
            .filter(|&number| number <= limit)
            .ok_or(Error::Overflow { at })?;
        at += 1;
    }
    match at {
        _ if at > start => Ok((number, at)),
        _ if at == text.len() => Err(Error::Empty),
        _ => Err(Error::InvalidDigit { at }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<i64, Error>) {
        assert_eq!(parse_i64(text.as_bytes()), expected, "{text}");
    }

    #[test]
    fn errors_are_precise() {
        check("", Err(Error::Empty));
        check("-", Err(Error::Empty));
        check("+", Err(Error::Empty));
        check("x", Err(Error::InvalidDigit { at: 0 }));
        check("--1", Err(Error::InvalidDigit { at: 1 }));
        check("12345678x", Err(Error::InvalidDigit { at: 8 }));
        check("1234567x", Err(Error::InvalidDigit { at: 7 }));
        check("9223372036854775807", Ok(i64::MAX));
        check("9223372036854775808", Err(Error::Overflow { at: 18 }));
        check("-9223372036854775808", Ok(i64::MIN));
        check("-9223372036854775809", Err(Error::Overflow { at: 19 }));
        check("00000000000000000000000000000007", Ok(7));
        assert_eq!(parse_u64(b"-0"), Err(Error::InvalidDigit { at: 0 }));
        assert_eq!(parse_u64(b"18446744073709551616"), Err(Error::Overflow { at: 19 }));
        assert_eq!(parse_u32(b"4294967296"), Err(Error::Overflow { at: 9 }));
        assert_eq!(parse_i32(b"-2147483648"), Ok(i32::MIN));
        assert_eq!(parse_i32(b"2147483648"), Err(Error::Overflow { at: 9 }));
    }

    #[test]
    fn prefixes() {
        assert_eq!(parse_prefix_u64(b"12,3"), Ok((12, 2)));
        assert_eq!(parse_prefix_i64(b"-7e"), Ok((-7, 2)));
        assert_eq!(parse_prefix_i64(b"+7"), Ok((7, 2)));
        assert_eq!(parse_prefix_u32(b"12345678:"), Ok((12_345_678, 8)));
        assert_eq!(parse_prefix_i32(b",1"), Err(Error::InvalidDigit { at: 0 }));
    }
}
