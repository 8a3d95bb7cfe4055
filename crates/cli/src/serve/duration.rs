//! Durations in seconds, with fractions.

use std::time::Duration;

/// What a shorter one is taken for, unless it is 0.
const SHORTEST: Duration = Duration::from_millis(1);
/// A century. What a longer one is taken for: nobody lives to tell the difference, and deadlines can be computed.
const LONGEST_SECONDS: f64 = 3.2e9;

/// Reads a number of seconds.
///
/// # Errors
/// When it is no number, negative or infinite.
pub fn parse(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.trim().parse().map_err(|_| format!("'{text}' is no number of seconds"))?;
    if !seconds.is_finite() || seconds < 0.0 {
        return Err("a number of seconds has to be finite and not negative".to_owned());
    }
    Ok(match Duration::from_secs_f64(seconds.min(LONGEST_SECONDS)) {
        Duration::ZERO if seconds == 0.0 => Duration::ZERO,
        duration => duration.max(SHORTEST),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse;

    #[test]
    fn durations() {
        assert_eq!(parse("0"), Ok(Duration::ZERO));
        assert_eq!(parse("-0"), Ok(Duration::ZERO));
        assert_eq!(parse("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("1e-30"), Ok(Duration::from_millis(1)));
        assert_eq!(parse("1e300"), Ok(Duration::from_secs(3_200_000_000)));
        for bad in ["", "nan", "NaN", "inf", "-inf", "infinity", "-1", "-1e-9", "ten", "10s", "1e400"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
