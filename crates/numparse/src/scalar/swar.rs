//! Several digits at a time inside ordinary registers ("SIMD within a register").
//!
//! Text is read as two or three blocks that overlap when its length is no multiple of theirs. What the first block
//! shares with the next is shifted out of it.

use super::block::{
    SIXTEEN, count_digits, first_eight, first_four, join_eight, join_eights, join_four, join_fours,
    last_eight, middle_eight, not_digits, shift, two_fours, up_to_eight, values,
};
use super::{naive, short, short_checked};

/// Four or eight digits at a time inside one register.
#[inline(always)]
pub fn swar(digits: &[u8]) -> u64 {
    match digits.len() {
        ..5 => short(digits),
        5..9 => join_fours(two_fours(digits), digits),
        9..17 => {
            let high = values(first_eight(digits)).wrapping_shl(shift(16, digits));
            join_eights(high, values(last_eight(digits)))
        }
        17..21 => {
            let rest = join_eights(values(middle_eight(digits)), values(last_eight(digits)));
            top_four(digits).wrapping_mul(SIXTEEN).wrapping_add(rest)
        }
        _ => naive(digits),
    }
}

/// The number when the text is 1 to 20 digits and fits. `None` asks for a closer look.
#[inline(always)]
pub(crate) fn checked(text: &[u8]) -> Option<u64> {
    match text.len() {
        ..5 => short_checked(text),
        5..9 => {
            let fours = two_fours(text);
            (not_digits(fours) == 0).then(|| join_fours(fours, text))
        }
        9..17 => {
            let (high, low) = (values(first_eight(text)), values(last_eight(text)));
            let valid = not_digits(high) | not_digits(low) == 0;
            valid.then(|| join_eights(high.wrapping_shl(shift(16, text)), low))
        }
        17..21 => {
            let top = values(first_eight(text));
            let (middle, low) = (values(middle_eight(text)), values(last_eight(text)));
            if not_digits(top) | not_digits(middle) | not_digits(low) != 0 {
                return None;
            }
            top_four(text).checked_mul(SIXTEEN)?.checked_add(join_eights(middle, low))
        }
        _ => None,
    }
}

/// The number at the start of the text and the bytes it takes; 0 bytes ask for a closer look.
#[inline]
pub(crate) fn prefix(text: &[u8]) -> (u64, usize) {
    let first = values(up_to_eight(text));
    match count_digits(first) {
        0 => (0, 0),
        8 => prefix_above_seven(text, first),
        count => (join_eight(first << (64 - 8 * count)), count),
    }
}

/// The same where the first eight bytes are digits, with the given values.
#[inline]
fn prefix_above_seven(text: &[u8], first: u64) -> (u64, usize) {
    let second = values(up_to_eight(text.get(8..).unwrap_or(&[])));
    match count_digits(second) {
        0 => (join_eight(first), 8),
        8 => {
            let digits = leading_digits(text, 16);
            checked(digits).map_or((0, 0), |number| (number, digits.len()))
        }
        count => {
            // The last eight of all these digits, and what comes before them.
            let low = second << (64 - 8 * count) | first >> (8 * count);
            (join_eights(first << (64 - 8 * count), low), 8 + count)
        }
    }
}

/// The digits at the start of the text, but not many more than a number can have. So many are known already.
#[inline(always)]
pub(crate) fn leading_digits(text: &[u8], known: usize) -> &[u8] {
    let more = text.iter().take(21).skip(known).take_while(|byte| byte.is_ascii_digit()).count();
    text.get(..known + more).unwrap_or(&[])
}

/// What stands before the last sixteen of 17 to 20 digits.
#[inline(always)]
pub(crate) fn top_four(digits: &[u8]) -> u64 {
    join_four((values(first_four(digits).into()) as u32).wrapping_shl(shift(20, digits)))
}
