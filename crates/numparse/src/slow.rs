//! The way that is taken when the fast one has no answer: a plus sign, more than 20 digits, or something wrong.
//!
//! It reads digit by digit, accepts all that is a number, and knows the place of what is not.

use crate::ParseError;

/// The result of a conversion in two registers.
///
/// A [`Result`] of this size is returned in memory. Where the fast way and this one meet, it would keep the result of
/// the fast one in memory too.
#[derive(Clone, Copy)]
pub(crate) struct Packed {
    /// The bits of the number, or the offset of what is wrong.
    payload: u64,
    /// One of the constants in the two lowest bits, above them the bytes that were used.
    tag: u64,
}

const NUMBER: u64 = 0;
const EMPTY: u64 = 1;
const INVALID_DIGIT: u64 = 2;
const OVERFLOW: u64 = 3;

impl Packed {
    #[inline(always)]
    pub(crate) const fn found(number: u64, used: usize) -> Packed {
        // No text is so long that bits are lost.
        Packed { payload: number, tag: (used as u64) << 2 | NUMBER }
    }

    const fn wrong(error: ParseError) -> Packed {
        match error {
            ParseError::Empty => Packed { payload: 0, tag: EMPTY },
            ParseError::InvalidDigit { at } => Packed { payload: at as u64, tag: INVALID_DIGIT },
            ParseError::Overflow { at } => Packed { payload: at as u64, tag: OVERFLOW },
        }
    }

    /// The bits of the number and the bytes that it takes.
    #[inline(always)]
    pub(crate) const fn unpack(self) -> Result<(u64, usize), ParseError> {
        match self.tag & 3 {
            NUMBER => Ok((self.payload, (self.tag >> 2) as usize)),
            EMPTY => Err(ParseError::Empty),
            INVALID_DIGIT => Err(ParseError::InvalidDigit { at: self.payload as usize }),
            _ => Err(ParseError::Overflow { at: self.payload as usize }),
        }
    }
}

/// The number at the start of the text, from `least` to `greatest`; a minus sign is allowed where there is something
/// below zero.
#[cold]
#[inline(never)]
pub(crate) fn prefix(text: &[u8], least: i64, greatest: u64) -> Packed {
    match read(text, least, greatest) {
        Ok((number, used)) => Packed::found(number, used),
        Err(error) => Packed::wrong(error),
    }
}

/// The same where the number must be the whole text.
#[cold]
#[inline(never)]
pub(crate) fn whole(text: &[u8], least: i64, greatest: u64) -> Packed {
    match read(text, least, greatest) {
        Ok((number, used)) if used == text.len() => Packed::found(number, used),
        Ok((_, used)) => Packed::wrong(ParseError::InvalidDigit { at: used }),
        Err(error) => Packed::wrong(error),
    }
}

fn read(text: &[u8], least: i64, greatest: u64) -> Result<(u64, usize), ParseError> {
    let (negative, start) = match text.first() {
        Some(b'-') if least < 0 => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let limit = if negative { least.unsigned_abs() } else { greatest };
    let (tenth, last) = (limit / 10, limit % 10);
    let mut number = 0;
    let mut end = start;
    for byte in text.iter().skip(start) {
        let digit = u64::from(byte.wrapping_sub(b'0'));
        if digit > 9 {
            break;
        }
        if number > tenth || (number == tenth && digit > last) {
            return Err(ParseError::Overflow { at: end });
        }
        number = number * 10 + digit;
        end += 1;
    }
    match end {
        _ if end > start => Ok((if negative { number.wrapping_neg() } else { number }, end)),
        _ if end == text.len() => Err(ParseError::Empty),
        at => Err(ParseError::InvalidDigit { at }),
    }
}
