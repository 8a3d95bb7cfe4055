//! Numbers in text: eight digits at a time, exact in every case.

mod decimal;
mod powers;

/// A number, and in which kind it is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// Not negative.
    Unsigned(u64),
    /// Negative, or minus zero, which is an integer zero.
    Signed(i64),
    /// With a fraction or an exponent, or an integer that fits neither of the others.
    Double(f64),
}

/// A number and the offset behind it, or the offset where it breaks the grammar.
pub(crate) type Found = Result<(Number, usize), usize>;

/// Longest number that the fast path takes: two runs of up to 24 digits, sign, point, exponent and its sign.
const FAST_MAX: usize = 64;
/// Digits of any number below 2^64 but the largest.
const DIGITS_MAX: usize = 19;

const POWERS_OF_TEN: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads the number that starts at `at` with a minus sign or a digit.
#[inline(always)]
pub(crate) fn number(text: &[u8], at: usize) -> Found {
    match fast(text, at) {
        Some(found) => found,
        None => careful(text, at),
    }
}

/// The usual case; `None` too close to the end of the text, and for numbers with many digits.
#[inline(always)]
fn fast(text: &[u8], at: usize) -> Option<Found> {
    let negative = *text.get(at)? == b'-';
    let start = at + usize::from(negative);
    let (whole, length) = digits(text, start, 0)?;
    let mut end = start + length;
    if length == 0 || (length > 1 && *text.get(start)? == b'0') {
        return Some(Err(start));
    }
    let next = *text.get(end)?;
    if next != b'.' && next | 0x20 != b'e' {
        return match length {
            0..=DIGITS_MAX => Some(Ok((integer(whole, negative), end))),
            _ => None,
        };
    }
    let (mut mantissa, mut exponent, mut n_digits) = (whole, 0i32, length - usize::from(whole == 0));
    if next == b'.' {
        let (more, length) = digits(text, end + 1, whole)?;
        if length == 0 {
            return Some(Err(end + 1));
        }
        mantissa = more;
        n_digits += length;
        exponent = -(length as i32);
        end += 1 + length;
    }
    if n_digits > DIGITS_MAX {
        return None;
    }
    if *text.get(end)? | 0x20 == b'e' {
        let (power, after) = match power(text, end + 1)? {
            Ok(found) => found,
            Err(position) => return Some(Err(position)),
        };
        exponent += power;
        end = after;
    }
    let double = decimal::nearest(mantissa, exponent)?;
    if double.is_infinite() {
        return Some(Err(at));
    }
    Some(Ok((Number::Double(if negative { -double } else { double }), end)))
}

#[inline(always)]
fn integer(magnitude: u64, negative: bool) -> Number {
    match negative {
        false => Number::Unsigned(magnitude),
        true if magnitude <= 1 << 63 => Number::Signed((magnitude as i64).wrapping_neg()),
        true => Number::Double(-(magnitude as f64)),
    }
}

/// Appends the digits from `at` on to a number; also tells how many they are. `None` when there may be more than 24.
#[inline(always)]
fn digits(text: &[u8], at: usize, number: u64) -> Option<(u64, usize)> {
    let mut number = number;
    let mut length = 0;
    for _ in 0..3 {
        let eight = u64::from_le_bytes(*text.get(at + length..)?.first_chunk::<8>()?);
        let count = leading_digits(eight);
        number = number.wrapping_mul(*POWERS_OF_TEN.get(count)?).wrapping_add(join(eight, count));
        length += count;
        if count < 8 {
            return Some((number, length));
        }
    }
    None
}

/// How many of eight bytes are digits before the first that is none.
#[inline(always)]
fn leading_digits(eight: u64) -> usize {
    // Sets the top bit of bytes above '9' and below '0'; what carries over only touches bytes behind those.
    let above = eight.wrapping_add(0x4646_4646_4646_4646);
    let below = eight.wrapping_sub(0x3030_3030_3030_3030);
    ((above | below) & 0x8080_8080_8080_8080).trailing_zeros() as usize / 8
}

/// The number that the first `count` of eight digits spell.
#[inline(always)]
fn join(eight: u64, count: usize) -> u64 {
    // Moves the digits up to the end, so that zeros stand before them.
    let unused_bits = 64 - 8 * count as u32;
    let digits = (eight & 0x0f0f_0f0f_0f0f_0f0f).checked_shl(unused_bits).unwrap_or(0);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let high = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    low.wrapping_add(high) >> 32
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

/// Close to the end of the text the same is tried with blanks behind it.
#[inline(never)]
fn careful(text: &[u8], at: usize) -> Found {
    let rest = text.get(at..).unwrap_or(&[]);
    let mut padded = [b' '; FAST_MAX + 8];
    let length = rest.len().min(FAST_MAX);
    if let (Some(target), Some(source)) = (padded.get_mut(..length), rest.get(..length)) {
        target.copy_from_slice(source);
    }
    match fast(&padded, 0) {
        Some(Ok((number, end))) => Ok((number, at + end)),
        Some(Err(end)) => Err(at + end),
        None => slow(text, at),
    }
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
    if is_integer && let Ok(number) = number.parse() {
        return Ok((Number::Unsigned(number), end));
    }
    if is_integer && let Ok(number) = number.parse() {
        return Ok((Number::Signed(number), end));
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

    /// At the end, before the end, and far from the end.
    fn everywhere(text: &str) -> Found {
        let found = number(text.as_bytes(), 0);
        assert_eq!(slow(text.as_bytes(), 0), found, "{text}");
        for behind in [",", "]  ", &" ".repeat(7), &"]".repeat(100)] {
            assert_eq!(number(format!("{text}{behind}").as_bytes(), 0), found, "{text}{behind}");
        }
        found
    }

    #[track_caller]
    fn check(text: &str, expected: Number) {
        assert_eq!(everywhere(text), Ok((expected, text.len())), "{text}");
    }

    #[test]
    fn kinds() {
        check("0", Number::Unsigned(0));
        check("-0", Number::Signed(0));
        check("12345678", Number::Unsigned(12_345_678));
        check("9999999999999999999", Number::Unsigned(9_999_999_999_999_999_999));
        check("18446744073709551615", Number::Unsigned(u64::MAX));
        check("18446744073709551616", Number::Double(18_446_744_073_709_551_616.0));
        check("-9223372036854775808", Number::Signed(i64::MIN));
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
                (Ok(number), ..) => Ok((Number::Unsigned(number), text.len())),
                (_, Ok(number), _) => Ok((Number::Signed(number), text.len())),
                (.., Ok(number)) if number.is_finite() => Ok((Number::Double(number), text.len())),
                _ => Err(0),
            };
            prop_assert_eq!(everywhere(&text), expected);
        }

        #[test]
        fn any_run_of_digits(number: u64, shift in 0u32..64) {
            let number = number >> shift;
            check(&number.to_string(), Number::Unsigned(number));
        }
    }
}
