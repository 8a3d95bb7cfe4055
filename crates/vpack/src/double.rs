//! The text form of doubles that clients receive.

use std::fmt;

use crate::IntegerText;
use crate::append::append_text;

/// 2^53: up to here every integer is a double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// 2^64.
const UNSIGNED_END: f64 = 18_446_744_073_709_551_616.0;

/// Below this, every double with a fraction is written with a point and nothing else; see [`is_final`].
const PLAIN_END: f64 = 10_000.0;
const TEXT_MAX: usize = 32;

/// A double as JSON text: the shortest digits that read back as the same double.
///
/// Integral doubles within ±2^53 have no fraction, those up to 2^64 end in `.0`, larger ones may use an exponent
/// (`1e+21`). What is not finite is `null`. The text lives on the stack.
///
/// ```
/// use persea_vpack::DoubleText;
///
/// assert_eq!(DoubleText::new(1.0).as_str(), "1");
/// assert_eq!(DoubleText::new(0.1).as_str(), "0.1");
/// assert_eq!(DoubleText::new(1e21).as_str(), "1e+21");
/// ```
#[derive(Clone, Copy)]
pub struct DoubleText {
    /// The longest texts are 17 digits with sign, point and either zeros or an exponent.
    bytes: [u8; TEXT_MAX],
    len: u8,
}

impl DoubleText {
    /// Formats a double.
    pub fn new(double: f64) -> DoubleText {
        let mut text = DoubleText { bytes: [0; TEXT_MAX], len: 0 };
        if !double.is_finite() {
            text.push_all(b"null");
            return text;
        }
        if double.is_sign_negative() {
            text.push(b'-');
        }
        let magnitude = double.abs();
        if magnitude < UNSIGNED_END && magnitude.fract() == 0.0 {
            text.push_all(IntegerText::unsigned(magnitude as u64).as_bytes());
            if magnitude > EXACT_MAX {
                text.push_all(b".0");
            }
        } else {
            let mut buffer = zmij::Buffer::new();
            let shortest = buffer.format_finite(magnitude).as_bytes();
            if is_final(shortest) {
                text.push_all(shortest);
            } else {
                Digits::of(shortest).lay_out(&mut text);
            }
        }
        text
    }

    /// Appends the text of a double, cheaper than by formatting it first.
    #[inline]
    pub fn append(double: f64, out: &mut Vec<u8>) {
        let magnitude = double.abs();
        // In this range the conversion cuts off the fraction.
        if (1.0..PLAIN_END).contains(&magnitude) && f64::from(magnitude as i32) != magnitude {
            let mut buffer = zmij::Buffer::new();
            return append_text(out, buffer.format_finite(double).as_bytes());
        }
        out.extend_from_slice(DoubleText::new(double).as_bytes());
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // Everything pushed is ASCII.
        std::str::from_utf8(self.as_bytes()).unwrap_or("null")
    }

    /// The text as bytes, all ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(usize::from(self.len)) {
            *place = byte;
            self.len += 1;
        }
    }

    fn push_all(&mut self, bytes: &[u8]) {
        let start = usize::from(self.len);
        if let Some(places) = self.bytes.get_mut(start..start + bytes.len()) {
            places.copy_from_slice(bytes);
            self.len += bytes.len() as u8;
        }
    }

    fn push_zeros(&mut self, count: i32) {
        (0..count).for_each(|_| self.push(b'0'));
    }
}

impl fmt::Display for DoubleText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for DoubleText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Whether what zmij writes for a number with a fraction is fractional notation that clients receive as well.
///
/// Implies what [`Digits::lay_out`] decides; most numbers are settled here.
fn is_final(text: &[u8]) -> bool {
    let Some(point) = text.iter().position(|&byte| byte == b'.') else { return false };
    let n_decimals = text.len() - point - 1;
    let fractional = n_decimals < 7 || (point <= 4 && text.first() != Some(&b'0'));
    // An exponent, if there is one, is near the end.
    fractional && !text.contains(&b'e')
}

/// The shortest significant digits of a number and where its point is.
struct Digits {
    bytes: [u8; 17],
    len: usize,
    /// Power of ten of the first digit.
    exponent: i32,
}

impl Digits {
    /// Takes apart what zmij writes: `0.00123`, `12.3`, `123.0`, `1.23e-7` or `1e+300`.
    fn of(text: &[u8]) -> Digits {
        let mut digits = Digits { bytes: [0; 17], len: 0, exponent: -1 };
        let mut point_seen = false;
        let mut rest = text.iter();
        while let Some(&byte) = rest.next() {
            match byte {
                b'.' => point_seen = true,
                b'e' => {
                    digits.exponent += persea_numparse::parse_i32(rest.as_slice()).unwrap_or(0);
                    break;
                }
                b'0' if digits.len == 0 => digits.exponent -= i32::from(point_seen),
                digit => {
                    digits.exponent += i32::from(!point_seen);
                    // Zeros that only fill up to the point may be more than fit; they are dropped below.
                    if let Some(place) = digits.bytes.get_mut(digits.len) {
                        *place = digit;
                        digits.len += 1;
                    }
                }
            }
        }
        while digits.len > 1 && digits.bytes.get(digits.len - 1) == Some(&b'0') {
            digits.len -= 1;
        }
        digits
    }

    /// Writes plain, fractional or exponent notation, whichever suits the size.
    fn lay_out(&self, out: &mut DoubleText) {
        let digits = self.bytes.get(..self.len).unwrap_or(&[]);
        // Power of ten of the last digit.
        let scale = self.exponent - (self.len as i32 - 1);
        if scale >= 0 && self.exponent < self.len as i32 + 7 {
            out.push_all(digits);
            out.push_zeros(scale);
        } else if scale < 0 && (scale > -7 || self.exponent.abs() < 4) {
            match usize::try_from(self.exponent) {
                Ok(exponent) => with_point(digits, exponent + 1, out),
                Err(_) => {
                    out.push_all(b"0.");
                    out.push_zeros(-self.exponent - 1);
                    out.push_all(digits);
                }
            }
        } else {
            with_point(digits, 1, out);
            out.push(b'e');
            out.push(if self.exponent < 0 { b'-' } else { b'+' });
            out.push_all(IntegerText::unsigned(u64::from(self.exponent.unsigned_abs())).as_bytes());
        }
    }
}

fn with_point(digits: &[u8], at: usize, out: &mut DoubleText) {
    let (whole, fraction) = digits.split_at_checked(at).unwrap_or((digits, &[]));
    out.push_all(whole);
    if !fraction.is_empty() {
        out.push(b'.');
        out.push_all(fraction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn appended(double: f64) -> String {
        let mut out = Vec::new();
        DoubleText::append(double, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[track_caller]
    fn check(double: f64, expected: &str) {
        let text = DoubleText::new(double);
        assert_eq!(text.as_str(), expected);
        assert_eq!(appended(double), expected);
        if double.is_finite() {
            assert_eq!(text.as_str().parse::<f64>().unwrap().to_bits(), double.to_bits());
        }
    }

    #[test]
    fn forms() {
        check(0.0, "0");
        check(-0.0, "-0");
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
        check(1446042374.3521, "1446042374.3521");
        check(0.12345678901234, "0.12345678901234");
        check(0.00012345678901, "1.2345678901e-4");
        check(1234.123456789, "1234.123456789");
        check(12345.123456789, "1.2345123456789e+4");
        check(9007199254740992.0, "9007199254740992");
        check(9007199254740994.0, "9007199254740994.0");
        check(1e19, "10000000000000000000.0");
        check(1e20, "1e+20");
        check(1e21, "1e+21");
        check(36893488147419103000.0, "36893488147419103000");
        check(1.7976931348623157e308, "1.7976931348623157e+308");
        check(-2.2250738585072014e-308, "-2.2250738585072014e-308");
        check(5e-324, "5e-324");
        check(f64::NAN, "null");
        check(f64::NEG_INFINITY, "null");
    }

    proptest! {
        #[test]
        fn reads_back_the_same(bits: u64, scaled in -1e6f64..1e6, decimals in 0u32..8) {
            let rounded = (scaled * 10f64.powi(decimals as i32)).round() / 10f64.powi(decimals as i32);
            for double in [f64::from_bits(bits), scaled, rounded] {
                if double.is_finite() {
                    if double.fract() != 0.0 {
                        let mut buffer = zmij::Buffer::new();
                        let shortest = buffer.format_finite(double.abs()).as_bytes();
                        let mut slow = DoubleText { bytes: [0; TEXT_MAX], len: 0 };
                        Digits::of(shortest).lay_out(&mut slow);
                        prop_assert!(!is_final(shortest) || slow.as_bytes() == shortest);
                    }
                    let text = DoubleText::new(double);
                    prop_assert_eq!(text.as_str(), appended(double));
                    prop_assert_eq!(text.as_str().parse::<f64>().unwrap().to_bits(), double.to_bits(), "{}", text);
                }
            }
        }
    }
}
