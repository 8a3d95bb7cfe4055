//! Texts that are dates: a year, then optionally month, day, time of day and an offset from UTC.
//!
//! `[+]Y[-M[-D]][(T| )h:m[:s[.fraction]]][Z|±hh:mm]`, with one or two digits a field and up to four for the year.
//! Days are not checked against the month: the 31st of February is the 3rd of March.

use super::civil::Civil;
use super::in_range;

/// The instant that a text names, in milliseconds since 1970; `None` if it is not a date.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let mut rest = Rest(text.trim_matches([' ', '\t', '\r', '\n']).as_bytes());
    rest.take(b'+');
    let year = rest.year()?;
    let (mut month, mut day) = (1, 1);
    if rest.take(b'-') {
        month = rest.field(1, 12)?;
        if rest.take(b'-') {
            day = rest.field(1, 31)?;
        }
    }
    let mut civil = Civil { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 };
    if rest.take(b'T') || rest.take(b' ') {
        rest.time(&mut civil)?;
    }
    let offset = rest.offset_minutes()?;
    if !rest.0.is_empty() {
        return None;
    }
    in_range(civil.to_millis()? - offset * 60_000)
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take(&mut self, sign: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == sign => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn digit(&mut self) -> Option<i64> {
        match self.0.split_first() {
            Some((digit @ b'0'..=b'9', rest)) => {
                self.0 = rest;
                Some(i64::from(digit - b'0'))
            }
            _ => None,
        }
    }

    fn year(&mut self) -> Option<i64> {
        let mut year = self.digit()?;
        while let Some(digit) = self.digit() {
            year = year * 10 + digit;
            if year > 9999 {
                return None;
            }
        }
        Some(year)
    }

    /// One or two digits.
    fn field(&mut self, min: i64, max: i64) -> Option<i64> {
        let mut field = self.digit()?;
        if let Some(digit) = self.digit() {
            field = field * 10 + digit;
        }
        (min..=max).contains(&field).then_some(field)
    }

    fn time(&mut self, civil: &mut Civil) -> Option<()> {
        civil.hour = self.field(0, 23)?;
        if !self.take(b':') {
            return None;
        }
        civil.minute = self.field(0, 59)?;
        if self.take(b':') {
            civil.second = self.field(0, 59)?;
            if self.take(b'.') {
                civil.millisecond = self.fraction()?;
            }
        }
        Some(())
    }

    /// The first three digits after the point; missing ones are zeros.
    fn fraction(&mut self) -> Option<i64> {
        let mut milliseconds = self.digit()? * 100;
        milliseconds += self.digit().unwrap_or(0) * 10;
        milliseconds += self.digit().unwrap_or(0);
        while self.digit().is_some() {}
        Some(milliseconds)
    }

    /// Minutes east of UTC; zero if nothing is said.
    fn offset_minutes(&mut self) -> Option<i64> {
        if self.take(b'Z') || self.take(b'z') {
            return Some(0);
        }
        let sign = if self.take(b'+') {
            1
        } else if self.take(b'-') {
            -1
        } else {
            return Some(0);
        };
        let hours = self.two_digits().filter(|hours| *hours <= 23)?;
        if !self.take(b':') {
            return None;
        }
        let minutes = self.two_digits().filter(|minutes| *minutes <= 59)?;
        Some(sign * (hours * 60 + minutes))
    }

    fn two_digits(&mut self) -> Option<i64> {
        Some(self.digit()? * 10 + self.digit()?)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    fn check_date(text: &str, expected: &str) {
        check(&format!("DATE_ISO8601(\"{text}\")"), &format!("\"{expected}\""));
    }

    #[test]
    fn dates() {
        check_date("1987-11-23T06:07:08.9Z", "1987-11-23T06:07:08.900Z");
        check_date("1987-11-23 06:07:08.98", "1987-11-23T06:07:08.980Z");
        check_date("1987-11-23T06:07:08.9876543Z", "1987-11-23T06:07:08.987Z");
        check_date("  1987 \\t", "1987-01-01T00:00:00.000Z");
        check_date("+1987", "1987-01-01T00:00:00.000Z");
        check_date("87", "0087-01-01T00:00:00.000Z");
        check_date("0001987-1", "1987-01-01T00:00:00.000Z");
        check_date("1987-1-2", "1987-01-02T00:00:00.000Z");
        check_date("1987-11-23Z", "1987-11-23T00:00:00.000Z");
        check_date("1987-11-23T06:07+01:30", "1987-11-23T04:37:00.000Z");
        check_date("1987-11-23T06:07-01:30", "1987-11-23T07:37:00.000Z");
        check_date("1987-02-31", "1987-03-03T00:00:00.000Z");
        check_date("9999-12-31T23:59:59.999", "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn no_dates() {
        for text in [
            "1987-11-23T06",
            "1987-",
            "",
            "pear",
            "-1987",
            "12345",
            "1987-00-01",
            "1987-1-32",
            "1987-1-1T24:00",
            "1987-1-1T1:60",
            "1987-1-1T1:1:60",
            "1987-1-1T1:1:1.",
            "1987+0100",
            "1987Zx",
            "1987-1-1T1:1+24:00",
            "9999-12-31T23:59-01:00",
        ] {
            check_warning(&format!("DATE_ISO8601(\"{text}\")"), "null", 1572);
        }
    }
}
