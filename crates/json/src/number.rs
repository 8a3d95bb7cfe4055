//! Numbers in text: sixteen digits at a time, exact in every case.

mod decimal;
mod powers;

use crate::block::{BLOCK, Block};

/// A number, and in which kind it is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// An integer from -2^63 to 2^64 - 1.
    Integer {
        /// Whether it has a minus sign.
        negative: bool,
        /// The number without the sign.
        magnitude: u64,
    },
    /// With a fraction or an exponent, or an integer that fits neither of the others.
    Double(f64),
}

/// A number and the offset behind it, or the offset where it breaks the grammar.
pub(crate) type Found = Result<(Number, usize), usize>;

/// Longest number that the fast path takes: two runs of up to 19 digits, sign, point, exponent and its sign.
const FAST_MAX: usize = 56;
/// Digits of any number below 2^64 but the largest.
const DIGITS_MAX: usize = 19;

const POWERS_OF_TEN: [u64; DIGITS_MAX + 1] = {
    let mut powers = [1; DIGITS_MAX + 1];
    let mut exponent = 1;
    while exponent <= DIGITS_MAX {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// Reads the number that starts at `at` with a minus sign or a digit, if it is one of the usual: no exponent, up to 19
/// digits, not close to an end of the text.
///
/// Everything stays in registers: no result of a call that is not inlined has a part in it.
#[inline(always)]
pub(crate) fn usual(text: &[u8], at: usize) -> Option<(Number, usize)> {
    let negative = *text.get(at)? == b'-';
    let start = at + usize::from(negative);
    let whole = digits(text, start)?;
    let end = start + whole.count;
    if !whole.is_whole() {
        return None;
    }
    match whole.next {
        b'.' => {
            let fraction = digits(text, end + 1)?;
            if fraction.count == 0 || fraction.next | 0x20 == b'e' {
                return None;
            }
            let (mantissa, exponent) = whole.with_fraction(fraction)?;
            let double = decimal::nearest(mantissa, exponent)?;
            let double = f64::from_bits(double.to_bits() | u64::from(negative) << 63);
            Some((Number::Double(double), end + 1 + fraction.count))
        }
        b'e' | b'E' => None,
        _ if negative && whole.value > 1 << 63 => None,
        _ => Some((Number::Integer { negative, magnitude: whole.value }, end)),
    }
}

/// Reads any number that starts at `at` with a minus sign or a digit.
#[inline(never)]
pub(crate) fn any_number(text: &[u8], at: usize) -> Found {
    match with_exponent(text, at) {
        Some(found) => found,
        None => slow(text, at),
    }
}

/// Numbers of up to 19 digits.
fn with_exponent(text: &[u8], at: usize) -> Option<Found> {
    // Blanks around the number, as it may be close to an end of the text.
    let mut padded = [b' '; BLOCK + FAST_MAX + BLOCK];
    let rest = text.get(at..)?;
    let length = rest.len().min(FAST_MAX);
    padded.get_mut(BLOCK..BLOCK + length)?.copy_from_slice(rest.get(..length)?);
    let moved = |end: usize| at + end - BLOCK;

    let negative = *padded.get(BLOCK)? == b'-';
    let start = BLOCK + usize::from(negative);
    let whole = more_digits(&padded, start)?;
    if !whole.is_whole() {
        return Some(Err(moved(start)));
    }
    let mut end = start + whole.count;
    let (mut mantissa, mut exponent, mut next) = (whole.value, 0, whole.next);
    if !matches!(next, b'.' | b'e' | b'E') {
        return Some(Ok((integer(negative, mantissa), moved(end))));
    }
    if next == b'.' {
        let fraction = more_digits(&padded, end + 1)?;
        if fraction.count == 0 {
            return Some(Err(moved(end + 1)));
        }
        (mantissa, exponent) = whole.with_fraction(fraction)?;
        end += 1 + fraction.count;
        next = fraction.next;
    }
    if next | 0x20 == b'e' {
        let (power, after) = match power(&padded, end + 1)? {
            Ok(found) => found,
            Err(position) => return Some(Err(moved(position))),
        };
        exponent += power;
        end = after;
    }
    let double = decimal::nearest(mantissa, exponent)?;
    if double.is_infinite() {
        return Some(Err(at));
    }
    Some(Ok((Number::Double(if negative { -double } else { double }), moved(end))))
}

fn integer(negative: bool, magnitude: u64) -> Number {
    if negative && magnitude > 1 << 63 {
        return Number::Double(-(magnitude as f64));
    }
    Number::Integer { negative, magnitude }
}

/// A run of digits and its surroundings.
#[derive(Clone, Copy)]
struct Digits {
    /// The number that they spell.
    value: u64,
    /// How many they are.
    count: usize,
    /// The first byte, whether or not it is a digit.
    first: u8,
    /// The byte behind the last digit.
    next: u8,
}

/// What [`digits`] looks at: one block before the first digit, and from there on as many as there may be and one more.
const WINDOW: usize = BLOCK + DIGITS_MAX + 1;

impl Digits {
    /// Whether they can be the whole part of a number: at least one, and no zero before others.
    #[inline(always)]
    fn is_whole(self) -> bool {
        self.count == 1 || (self.count > 1 && self.first != b'0')
    }

    /// Mantissa and exponent with these behind the point; `None` for 20 digits or more.
    #[inline(always)]
    fn with_fraction(self, fraction: Digits) -> Option<(u64, i32)> {
        // A whole part of zero adds no digit.
        if self.count + fraction.count > DIGITS_MAX && self.value != 0 {
            return None;
        }
        let mantissa = self.value.wrapping_mul(*POWERS_OF_TEN.get(fraction.count)?);
        Some((mantissa.wrapping_add(fraction.value), -(fraction.count as i32)))
    }
}

/// The digits from `at` on. `None` when they are 20 or more, or when the text has no full window.
///
/// Numbers of all lengths up to 16 digits take the same path, as the processor could not foresee which one.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> Option<Digits> {
    let window = text.get(at.wrapping_sub(BLOCK)..)?.first_chunk::<WINDOW>()?;
    let others = !Block::load(window.get(BLOCK..)?.first_chunk()?).digits();
    let count = (others | 1 << BLOCK).trailing_zeros() as usize;
    // Loads the same digits once more, such that they are the last ones of a block.
    let mut value = Block::load(window.get(count..)?.first_chunk()?).join(count);
    let mut next = *window.get(BLOCK + count)?;
    let mut count = count;
    if count == BLOCK {
        // Up to three more; of four that are digits at least the last is too many.
        let tail = u32::from_le_bytes(*window.get(2 * BLOCK..)?.first_chunk()?);
        let more = leading_digits(tail);
        value = value.wrapping_mul(*POWERS_OF_TEN.get(more)?).wrapping_add(join_few(tail, more));
        count += more;
        // Not in the window when they are too many.
        next = *window.get(BLOCK + count)?;
    }
    Some(Digits { value, count, first: *window.get(BLOCK)?, next })
}

/// How many of four bytes are digits before the first that is none.
#[inline(always)]
fn leading_digits(four: u32) -> usize {
    // Sets the top bit of bytes above '9' and below '0'; what carries over only touches bytes behind those.
    let above = four.wrapping_add(0x4646_4646);
    let below = four.wrapping_sub(0x3030_3030);
    ((above | below) & 0x8080_8080).trailing_zeros() as usize / 8
}

/// The number that the first `count` of four digits spell.
#[inline(always)]
fn join_few(four: u32, count: usize) -> u64 {
    // Moves the digits up to the end, so that zeros stand before them.
    let digits = (u64::from(four & 0x0f0f_0f0f) << (32 - 8 * count as u32)) as u32;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff;
    u64::from((pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0xffff)
}

/// The digits from `at` on; `None` when they are 20 or more.
fn more_digits(text: &[u8], at: usize) -> Option<Digits> {
    let mut digits = Digits { value: 0, count: 0, first: *text.get(at)?, next: *text.get(at)? };
    while digits.next.is_ascii_digit() {
        if digits.count == DIGITS_MAX {
            return None;
        }
        digits.value = digits.value * 10 + u64::from(digits.next - b'0');
        digits.count += 1;
        digits.next = *text.get(at + digits.count)?;
    }
    Some(digits)
}

/// The power of ten behind an `e`, of up to four digits.
#[inline]
fn power(text: &[u8], at: usize) -> Option<Result<(i32, usize), usize>> {
    let (negative, start) = match *text.get(at)? {
        b'-' => (true, at + 1),
        b'+' => (false, at + 1),
        _ => (false, at),
    };
    let mut power = 0i32;
    let mut end = start;
    loop {
        match *text.get(end)? {
            digit @ b'0'..=b'9' => power = 10 * power + i32::from(digit - b'0'),
            _ if end == start => return Some(Err(end)),
            _ => break,
        }
        end += 1;
        if end - start > 4 {
            return None;
        }
    }
    Some(Ok((if negative { -power } else { power }, end)))
}

/// Any number, by the standard library.
#[cold]
fn slow(text: &[u8], at: usize) -> Found {
    let byte = |position: usize| text.get(position).copied().unwrap_or(b' ');
    let run = |start: usize| {
        start
            + text.get(start..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
    };
    let start = at + usize::from(byte(at) == b'-');
    let mut end = run(start);
    if end == start || (end > start + 1 && byte(start) == b'0') {
        return Err(start);
    }
    let is_integer = byte(end) != b'.' && byte(end) | 0x20 != b'e';
    if byte(end) == b'.' {
        let fraction = end + 1;
        end = run(fraction);
        if end == fraction {
            return Err(end);
        }
    }
    if byte(end) | 0x20 == b'e' {
        let power = end + 1 + usize::from(matches!(byte(end + 1), b'+' | b'-'));
        end = run(power);
        if end == power {
            return Err(end);
        }
    }
    let number = text.get(at..end).and_then(|number| std::str::from_utf8(number).ok()).ok_or(at)?;
    if is_integer && let Ok(magnitude) = number.trim_start_matches('-').parse() {
        return Ok((integer(number.starts_with('-'), magnitude), end));
    }
    match number.parse::<f64>() {
        Ok(double) if double.is_finite() => Ok((Number::Double(double), end)),
        _ => Err(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unsigned(magnitude: u64) -> Number {
        Number::Integer { negative: false, magnitude }
    }

    fn number(text: &[u8], at: usize) -> Found {
        usual(text, at).map_or_else(|| any_number(text, at), Ok)
    }

    /// Minus zero for zero.
    fn signed(number: i64) -> Number {
        Number::Integer { negative: number <= 0, magnitude: number.unsigned_abs() }
    }

    /// At the end, before the end, and far from the end.
    fn everywhere(text: &str) -> Found {
        let found = number(text.as_bytes(), 0);
        assert_eq!(slow(text.as_bytes(), 0), found, "{text}");
        for behind in [",", "]  ", &" ".repeat(7), &"]".repeat(100)] {
            assert_eq!(number(format!("{text}{behind}").as_bytes(), 0), found, "{text}{behind}");
            let moved = found.map(|(number, end)| (number, end + 20)).map_err(|end| end + 20);
            assert_eq!(
                number(format!("{}{text}{behind}", "7".repeat(20)).as_bytes(), 20),
                moved,
                "{text}{behind}"
            );
        }
        found
    }

    #[track_caller]
    fn check(text: &str, expected: Number) {
        assert_eq!(everywhere(text), Ok((expected, text.len())), "{text}");
    }

    #[test]
    fn kinds() {
        check("0", unsigned(0));
        check("-0", signed(0));
        check("12345678", unsigned(12_345_678));
        check("9999999999999999999", unsigned(9_999_999_999_999_999_999));
        check("18446744073709551615", unsigned(u64::MAX));
        check("18446744073709551616", Number::Double(18_446_744_073_709_551_616.0));
        check("-9223372036854775808", signed(i64::MIN));
        check("-9223372036854775809", Number::Double(-9_223_372_036_854_775_808.0));
        check("-18446744073709551615", Number::Double(-18_446_744_073_709_551_615.0));
        check("0.1", Number::Double(0.1));
        check("1e3", Number::Double(1000.0));
        check("1E+3", Number::Double(1000.0));
        check("0e99999999999", Number::Double(0.0));
        check("1e-99999999999", Number::Double(0.0));
        check("0.00000000000000000000000000000000000001", Number::Double(1e-38));
        check("123456789012345678.12345678901234567890", Number::Double(123_456_789_012_345_680.0));
        check("5e-324", Number::Double(5e-324));
        assert!(matches!(everywhere("-0.0"), Ok((Number::Double(zero), 4)) if zero.is_sign_negative()));
    }

    #[test]
    fn faults() {
        for (text, position) in [
            ("-", 1),
            ("-a", 1),
            ("01", 0),
            ("-012", 1),
            ("1.", 2),
            ("1.e1", 2),
            ("1e", 2),
            ("1e+", 3),
            ("1e999", 0),
        ] {
            assert_eq!(everywhere(text), Err(position), "{text}");
        }
    }

    proptest! {
        #[test]
        fn equals_the_standard_library(
            text in "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?",
        ) {
            let expected = match (text.parse::<u64>(), text.parse::<i64>(), text.parse::<f64>()) {
                (Ok(number), ..) => Ok((unsigned(number), text.len())),
                (_, Ok(number), _) => Ok((signed(number), text.len())),
                (.., Ok(number)) if number.is_finite() => Ok((Number::Double(number), text.len())),
                _ => Err(0),
            };
            prop_assert_eq!(everywhere(&text), expected);
        }

        #[test]
        fn any_run_of_digits(number: u64, shift in 0u32..64) {
            let number = number >> shift;
            check(&number.to_string(), unsigned(number));
        }
    }
}
