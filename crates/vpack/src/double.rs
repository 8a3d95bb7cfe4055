//! The text form of doubles that clients receive.

use std::fmt::Write;

/// 2^53: up to here every integer is a double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// 2^64.
const UNSIGNED_END: f64 = 18_446_744_073_709_551_616.0;

/// Appends a double as JSON text: the shortest digits that read back as the same double.
///
/// Integral doubles within ±2^53 have no fraction, those up to 2^64 end in `.0`, larger ones may use an exponent
/// (`1e+21`). What is not finite becomes `null`.
///
/// # Errors
/// Only those of `out`.
pub fn write_double(out: &mut impl Write, double: f64) -> std::fmt::Result {
    if !double.is_finite() {
        return out.write_str("null");
    }
    if double.fract() == 0.0 && double.abs() < UNSIGNED_END {
        if double.abs() <= EXACT_MAX {
            return write!(out, "{}", double as i64);
        }
        return write!(out, "{double:.1}");
    }
    let mut scientific = Text { bytes: [0; 32], len: 0 };
    write!(scientific, "{double:e}")?;
    layout_digits(out, scientific.as_str())
}

/// Turns `d.ddde±x` into the shortest of plain, fractional and exponent notation.
fn layout_digits(out: &mut impl Write, scientific: &str) -> std::fmt::Result {
    let (negative, scientific) = match scientific.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", scientific),
    };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let n_digits = first.len() + rest.len();
    // Power of ten of the last digit.
    let scale = exponent - (n_digits as i32 - 1);
    out.write_str(negative)?;
    if scale >= 0 && exponent < n_digits as i32 + 7 {
        write!(out, "{first}{rest}")?;
        return (0..scale).try_for_each(|_| out.write_char('0'));
    }
    if scale < 0 && (scale > -7 || exponent.abs() < 4) {
        if exponent < 0 {
            out.write_str("0.")?;
            (1..-exponent).try_for_each(|_| out.write_char('0'))?;
            return write!(out, "{first}{rest}");
        }
        let (whole, fraction) = rest.split_at(exponent as usize);
        return write!(out, "{first}{whole}.{fraction}");
    }
    let point = if rest.is_empty() { "" } else { "." };
    write!(out, "{first}{point}{rest}e{exponent:+}")
}

/// Text of at most 32 bytes on the stack.
struct Text {
    bytes: [u8; 32],
    len: usize,
}

impl Text {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("0")
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(double: f64, expected: &str) {
        let mut text = String::new();
        write_double(&mut text, double).unwrap();
        assert_eq!(text, expected);
        if double.is_finite() {
            assert_eq!(text.parse::<f64>().unwrap(), double);
        }
    }

    #[test]
    fn forms() {
        check(0.0, "0");
        check(1.0, "1");
        check(-17.0, "-17");
        check(1.5, "1.5");
        check(-0.25, "-0.25");
        check(0.1, "0.1");
        check(123.456, "123.456");
        check(0.001234, "0.001234");
        check(1e-6, "0.000001");
        check(1e-7, "1e-7");
        check(1.5e-7, "1.5e-7");
        check(9007199254740992.0, "9007199254740992");
        check(9007199254740994.0, "9007199254740994.0");
        check(1e19, "10000000000000000000.0");
        check(1e21, "1e+21");
        check(1e20, "1e+20");
        check(36893488147419103000.0, "36893488147419103000");
        check(1.7976931348623157e308, "1.7976931348623157e+308");
        check(5e-324, "5e-324");
        check(f64::NAN, "null");
        check(f64::NEG_INFINITY, "null");
    }
}
