//! Units of time, as texts name them.

use persea_order::Value;

use super::Usable;
use crate::Context;

/// From the longest to the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
}

impl Unit {
    /// Reads a unit; upper and lower case are the same.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "y" | "year" | "years" => Self::Year,
            "m" | "month" | "months" => Self::Month,
            "w" | "week" | "weeks" => Self::Week,
            "d" | "day" | "days" => Self::Day,
            "h" | "hour" | "hours" => Self::Hour,
            "i" | "minute" | "minutes" => Self::Minute,
            "s" | "second" | "seconds" => Self::Second,
            "f" | "millisecond" | "milliseconds" => Self::Millisecond,
            _ => return None,
        })
    }

    /// Length in milliseconds; years and months in their average length.
    pub(super) fn millis(self) -> f64 {
        const DAY: f64 = 86_400_000.0;
        match self {
            Self::Year => 365.2425 * DAY,
            Self::Month => 365.2425 / 12.0 * DAY,
            Self::Week => 7.0 * DAY,
            Self::Day => DAY,
            Self::Hour => 3_600_000.0,
            Self::Minute => 60_000.0,
            Self::Second => 1_000.0,
            Self::Millisecond => 1.0,
        }
    }
}

/// The unit in an argument: no text is a wrong type, an unknown unit no date.
pub(super) fn unit_argument<'a>(ctx: &Context<'a>, value: Value<'a>) -> Usable<'a, Unit> {
    let Some(text) = value.as_str() else { return ctx.invalid_argument().map(Err) };
    match Unit::parse(text) {
        Some(unit) => Ok(Ok(unit)),
        None => ctx.invalid_date().map(Err),
    }
}
