//! Conversions that say what is wrong, and where.
//!
//! Each asks for the fast way first and, where that has no answer, for the slow one, which knows the reason.

use crate::ParseError;
use crate::dispatch::{self, is_short};
use crate::scalar::short_checked;
use crate::slow::{self, Packed};
use core::hint::cold_path;

macro_rules! conversions {
    ($number:ident, $whole:ident, $prefix:ident) => {
        #[doc = concat!("The whole text as `", stringify!($number), "`.")]
        ///
        /// # Errors
        /// Any [`ParseError`].
        #[inline]
        pub fn $whole(text: &[u8]) -> Result<$number, ParseError> {
            whole(text, $number::MIN as i64, $number::MAX as u64).map(|number| number as $number)
        }

        #[doc = concat!("The `", stringify!($number), "` at the start of the text and the bytes it takes.")]
        ///
        /// # Errors
        /// [`ParseError::Empty`] for no text or a lone sign, [`ParseError::InvalidDigit`] when the text does not start
        /// with a number, [`ParseError::Overflow`].
        #[inline]
        pub fn $prefix(text: &[u8]) -> Result<($number, usize), ParseError> {
            prefix(text, $number::MIN as i64, $number::MAX as u64)
                .map(|(number, used)| (number as $number, used))
        }
    };
}

conversions!(u64, parse_u64, parse_prefix_u64);
conversions!(i64, parse_i64, parse_prefix_i64);
conversions!(u32, parse_u32, parse_prefix_u32);
conversions!(i32, parse_i32, parse_prefix_i32);

/// The bits of the number that is the whole text, from `least` to `greatest`.
#[inline(always)]
fn whole(text: &[u8], least: i64, greatest: u64) -> Result<u64, ParseError> {
    if least < 0
        && let [b'-', digits @ ..] = text
    {
        return negative_whole(text, digits, least, greatest).unpack().map(|(number, _)| number);
    }
    if is_short(text) {
        if let Some(number) = short_checked(text) {
            return Ok(number);
        }
    } else if let Some(number) = dispatch::checked(text)
        && number <= greatest
    {
        return Ok(number);
    }
    cold_path();
    slow::whole(text, least, greatest).unpack().map(|(number, _)| number)
}

/// The bits of the number at the start of the text and the bytes it takes.
#[inline(always)]
fn prefix(text: &[u8], least: i64, greatest: u64) -> Result<(u64, usize), ParseError> {
    match text {
        [b'-', digits @ ..] if least < 0 => negative_prefix(text, digits, least, greatest),
        _ => match dispatch::prefix(text) {
            (number, used @ 1..) if number <= greatest => return Ok((number, used)),
            _ => slow::prefix(text, least, greatest),
        },
    }
    .unpack()
}

// Numbers below zero have functions of their own, so that the way for all others stays short.

#[inline(never)]
fn negative_whole(text: &[u8], digits: &[u8], least: i64, greatest: u64) -> Packed {
    match fast(digits) {
        Some(number) if number <= least.unsigned_abs() => Packed::found(number.wrapping_neg(), text.len()),
        _ => slow::whole(text, least, greatest),
    }
}

#[inline(never)]
fn negative_prefix(text: &[u8], digits: &[u8], least: i64, greatest: u64) -> Packed {
    match dispatch::prefix(digits) {
        (number, used @ 1..) if number <= least.unsigned_abs() => {
            Packed::found(number.wrapping_neg(), used + 1)
        }
        _ => slow::prefix(text, least, greatest),
    }
}

/// The number when the text is nothing but digits. `None` asks for a closer look.
#[inline(always)]
fn fast(text: &[u8]) -> Option<u64> {
    if is_short(text) { short_checked(text) } else { dispatch::checked(text) }
}
