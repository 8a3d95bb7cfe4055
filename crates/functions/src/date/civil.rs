//! The proleptic Gregorian calendar: milliseconds to calendar fields and back.

pub(super) const MILLIS_PER_DAY: i64 = 86_400_000;

/// Calendar and clock fields. Months count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) millisecond: i64,
}

impl Civil {
    pub(super) fn from_millis(milliseconds: i64) -> Self {
        let (year, month, day) = date_of_day(milliseconds.div_euclid(MILLIS_PER_DAY));
        let in_day = milliseconds.rem_euclid(MILLIS_PER_DAY);
        Self {
            year,
            month,
            day,
            hour: in_day / 3_600_000,
            minute: in_day / 60_000 % 60,
            second: in_day / 1_000 % 60,
            millisecond: in_day % 1_000,
        }
    }

    /// Milliseconds since 1970. Fields beyond their usual bounds carry over; `None` on overflow.
    pub(super) fn to_millis(self) -> Option<i64> {
        let months = self.year.checked_mul(12)?.checked_add(self.month.checked_sub(1)?)?;
        let year = months.div_euclid(12);
        // Keeps day numbers far from overflow; years beyond are out of range anyway.
        if year.unsigned_abs() > 1_000_000 {
            return None;
        }
        let days = day_number(year, months.rem_euclid(12) + 1, 1).checked_add(self.day.checked_sub(1)?)?;
        days.checked_mul(MILLIS_PER_DAY)?
            .checked_add(self.hour.checked_mul(3_600_000)?)?
            .checked_add(self.minute.checked_mul(60_000)?)?
            .checked_add(self.second.checked_mul(1_000)?)?
            .checked_add(self.millisecond)
    }

    /// Days since 1970.
    pub(super) fn day_number(self) -> i64 {
        day_number(self.year, self.month, self.day)
    }

    /// 0 for Sunday to 6 for Saturday.
    pub(super) fn weekday(self) -> i64 {
        // Day 0 was a Thursday.
        (self.day_number() + 4).rem_euclid(7)
    }

    /// 1 to 366.
    pub(super) fn day_of_year(self) -> i64 {
        self.day_number() - day_number(self.year, 1, 1) + 1
    }

    pub(super) fn is_leap_year(self) -> bool {
        is_leap_year(self.year)
    }

    pub(super) fn days_in_month(self) -> i64 {
        match self.month {
            2 => 28 + i64::from(self.is_leap_year()),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// ISO week and the year it belongs to: a week belongs to the year of its Thursday.
    pub(super) fn iso_week(self) -> (i64, i64) {
        let thursday = self.day_number() - (self.weekday() + 6) % 7 + 3;
        let (year, ..) = date_of_day(thursday);
        ((thursday - day_number(year, 1, 1)) / 7 + 1, year)
    }
}

fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days since 1970 of a date. Counts years from March on, so that the leap day comes last.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The date of a day counted from 1970.
fn date_of_day(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let day_of_era = day.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_goes_there_and_back() {
        let mut expected = (0, 1, 1);
        for day in day_number(0, 1, 1)..=day_number(9999, 12, 31) {
            assert_eq!(date_of_day(day), expected);
            assert_eq!(day_number(expected.0, expected.1, expected.2), day);
            let civil = Civil::from_millis(day * MILLIS_PER_DAY);
            expected.2 += 1;
            if expected.2 > civil.days_in_month() {
                expected = (expected.0, expected.1 + 1, 1);
            }
            if expected.1 > 12 {
                expected = (expected.0 + 1, 1, 1);
            }
        }
    }

    #[test]
    fn fields_carry_over() {
        let civil =
            Civil { year: 2015, month: 14, day: 31, hour: 25, minute: 61, second: 61, millisecond: 0 };
        let expected = Civil { year: 2016, month: 3, day: 3, hour: 2, minute: 2, second: 1, millisecond: 0 };
        assert_eq!(Civil::from_millis(civil.to_millis().unwrap()), expected);
    }
}
