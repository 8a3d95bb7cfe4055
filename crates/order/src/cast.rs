//! AQL's casts: what arithmetic, conditions and `TO_*` make of any value. No cast ever fails.

use std::fmt::{self, Write};

use persea_vpack::{DEPTH_MAX, DoubleText};

use crate::repr::Value;
use crate::view::View;

/// `TO_BOOL`: see [`Value::is_truthy`].
#[inline]
pub fn to_bool(value: Value<'_>) -> bool {
    value.is_truthy()
}

/// `TO_NUMBER`: numbers stay, booleans become 0 or 1, a string counts if it is a number from end to end (white
/// space around it aside), an array of one member is that member; all else is 0.
///
/// ```
/// use persea_order::{Value, equal, to_number};
///
/// assert!(equal(to_number(Value::from_str(" 1.5e3 ")), Value::from_i64(1500)));
/// assert!(equal(to_number(Value::from_str("1abc")), Value::from_i64(0)));
/// assert!(equal(to_number(Value::TRUE), Value::from_i64(1)));
/// assert!(equal(to_number(Value::range(&(4, 4))), Value::from_i64(4)));
/// ```
pub fn to_number(value: Value<'_>) -> Value<'static> {
    let mut value = value;
    for _ in 0..=DEPTH_MAX {
        match value.view() {
            View::Null | View::Object(_) => break,
            View::Bool(value) => return Value::from_i64(i64::from(value)),
            View::Int(value) => return Value::from_i64(value),
            View::UInt(value) => return Value::from_u64(value),
            View::Double(value) => return Value::from_f64(value),
            View::Str(text) => return number_of_text(text).unwrap_or(Value::from_i64(0)),
            View::Array(_) | View::Range(..) if value.len() == 1 => value = value.element(0),
            View::Array(_) | View::Range(..) => break,
        }
    }
    Value::from_i64(0)
}

/// As [`to_number`], as a double.
#[inline]
pub fn to_f64(value: Value<'_>) -> f64 {
    match value.view() {
        View::Double(value) => value,
        View::Int(value) => value as f64,
        _ => to_number(value).as_f64().unwrap_or(0.0),
    }
}

/// `TO_STRING`: `null` is empty, strings stay, all else is JSON. Appends to `out`.
///
/// ```
/// use persea_order::{Value, to_string_into};
///
/// let mut text = String::from("n=");
/// to_string_into(Value::from_f64(0.0000002), &mut text);
/// assert_eq!(text, "n=2e-7");
/// ```
pub fn to_string_into(value: Value<'_>, out: &mut String) {
    // Writing to a string cannot fail.
    write_text(value, out).unwrap_or_default();
}

fn write_text(value: Value<'_>, out: &mut String) -> fmt::Result {
    match value.view() {
        View::Null => Ok(()),
        View::Bool(value) => write!(out, "{value}"),
        View::Int(value) => write!(out, "{value}"),
        View::UInt(value) => write!(out, "{value}"),
        View::Double(value) => out.write_str(DoubleText::new(value).as_str()),
        View::Str(text) => out.write_str(text),
        View::Array(slice) | View::Object(slice) => write!(out, "{slice}"),
        View::Range(..) => {
            for (position, member) in value.elements().enumerate() {
                out.write_char(if position == 0 { '[' } else { ',' })?;
                write_text(member, out)?;
            }
            out.write_char(']')
        }
    }
}

/// The number that `text` is from end to end, white space around it aside. A whole number that a double holds
/// exactly comes as an integer; what is too large for a double is no number.
fn number_of_text(text: &str) -> Option<Value<'static>> {
    /// Digits that fit an `i64` and a double alike.
    const DIGITS_EXACT: usize = 15;
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, after_whole) = split_digits(unsigned);
    if after_whole.is_empty() && (1..=DIGITS_EXACT).contains(&whole.len()) {
        return text.parse().ok().map(Value::from_i64);
    }
    let (fraction, after_fraction) = match after_whole.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", after_whole),
    };
    if whole.is_empty() && fraction.is_empty() || !is_exponent_or_empty(after_fraction) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::from_f64)
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn is_exponent_or_empty(text: &str) -> bool {
    let Some(exponent) = text.strip_prefix(['e', 'E']) else { return text.is_empty() };
    let (digits, rest) = split_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    !digits.is_empty() && rest.is_empty()
}

#[cfg(test)]
mod tests {
    use persea_vpack::{VPackBuf, vpack};

    use super::*;
    use crate::equal;

    #[track_caller]
    fn check(input: VPackBuf, as_bool: bool, as_number: f64, as_string: &str) {
        let value = Value::from_slice(input.as_slice());
        assert_eq!(to_bool(value), as_bool, "{value:?} as bool");
        assert!(equal(to_number(value), Value::from_f64(as_number)), "{value:?} as number");
        assert_eq!(to_f64(value), as_number, "{value:?} as double");
        let mut text = String::new();
        to_string_into(value, &mut text);
        assert_eq!(text, as_string, "{value:?} as string");
    }

    #[test]
    fn every_type_casts() {
        check(vpack!(null), false, 0.0, "");
        check(vpack!(false), false, 0.0, "false");
        check(vpack!(true), true, 1.0, "true");
        check(vpack!(0), false, 0.0, "0");
        check(vpack!(-0.0), false, 0.0, "-0");
        check(vpack!(1.23), true, 1.23, "1.23");
        check(vpack!(0.0000002), true, 2e-7, "2e-7");
        check(vpack!(""), false, 0.0, "");
        check(vpack!("0"), true, 0.0, "0");
        check(vpack!(" "), true, 0.0, " ");
        check(vpack!([]), true, 0.0, "[]");
        check(vpack!([17]), true, 17.0, "[17]");
        check(vpack!([["3"]]), true, 3.0, r#"[["3"]]"#);
        check(vpack!([1, 2]), true, 0.0, "[1,2]");
        check(vpack!({}), true, 0.0, "{}");
        check(vpack!({ "foo": "bar", "baz": null }), true, 0.0, r#"{"foo":"bar","baz":null}"#);
    }

    #[test]
    fn strings_are_numbers_only_as_a_whole() {
        let number = |text: &str| to_f64(Value::from_str(text));
        for (text, expected) in [
            ("1", 1.0),
            (" 1 ", 1.0),
            ("\t-1.5\n", -1.5),
            ("+7", 7.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E-2", 0.01),
            ("12345678901234567890", 12345678901234567890.0),
            ("1abc", 0.0),
            ("1 2", 0.0),
            ("--1", 0.0),
            (".", 0.0),
            ("e5", 0.0),
            ("1e", 0.0),
            ("0x10", 0.0),
            ("inf", 0.0),
            ("NaN", 0.0),
            ("1e999", 0.0),
            ("1_000", 0.0),
        ] {
            assert_eq!(number(text), expected, "{text:?}");
        }
    }
}
