//! One to four digits, for which everything else costs more than it saves.

use super::block::{first_four, join_four, not_digits, values};
use super::value;

/// The longest text that the functions here take.
pub(crate) const SHORT: usize = 4;

/// The number that up to four digits spell; some number for anything longer.
#[inline(always)]
pub(crate) fn short(digits: &[u8]) -> u64 {
    match *digits {
        [] => 0,
        [ones] => value(ones),
        [tens, ones] => value(tens) * 10 + value(ones),
        [hundreds, tens, ones] => value(hundreds) * 100 + value(tens) * 10 + value(ones),
        _ => join_four(values(first_four(digits).into()) as u32),
    }
}

/// The same when they are digits, else nothing.
#[inline(always)]
pub(crate) fn short_checked(text: &[u8]) -> Option<u64> {
    match text.len() {
        1..4 => {
            let mut number = digit(text, 0)?;
            if text.len() > 1 {
                number = number * 10 + digit(text, 1)?;
                if text.len() > 2 {
                    number = number * 10 + digit(text, 2)?;
                }
            }
            Some(number)
        }
        4 => {
            let four = values(first_four(text).into()) as u32;
            (not_digits(four.into()) as u32 == 0).then(|| join_four(four))
        }
        _ => None,
    }
}

#[inline(always)]
fn digit(text: &[u8], at: usize) -> Option<u64> {
    let value = value(*text.get(at)?);
    (value <= 9).then_some(value)
}
