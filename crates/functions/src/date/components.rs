//! Fields of dates: `DATE_YEAR`, `DATE_MONTH` and so on, on the wall clock of a zone if one is given.

use persea_order::Value;

use super::civil::Civil;
use super::zone::zone_argument;
use super::{Usable, date_argument, usable};
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("DATE_DAY", (1, 2), "DATE_DAY(date [, timezone])", "Day of the month.", date_day),
    Function::new(
        "DATE_DAYOFWEEK",
        (1, 2),
        "DATE_DAYOFWEEK(date [, timezone])",
        "Day of the week, Sunday is 0.",
        date_dayofweek,
    ),
    Function::new(
        "DATE_DAYOFYEAR",
        (1, 2),
        "DATE_DAYOFYEAR(date [, timezone])",
        "Day of the year.",
        date_dayofyear,
    ),
    Function::new(
        "DATE_DAYS_IN_MONTH",
        (1, 2),
        "DATE_DAYS_IN_MONTH(date [, timezone])",
        "Length of the month in days.",
        date_days_in_month,
    ),
    Function::new("DATE_HOUR", (1, 2), "DATE_HOUR(date [, timezone])", "Hour.", date_hour),
    Function::new("DATE_ISOWEEK", (1, 2), "DATE_ISOWEEK(date [, timezone])", "ISO week.", date_isoweek),
    Function::new(
        "DATE_ISOWEEKYEAR",
        (1, 2),
        "DATE_ISOWEEKYEAR(date [, timezone])",
        "ISO week and the year it belongs to.",
        date_isoweekyear,
    ),
    Function::new(
        "DATE_LEAPYEAR",
        (1, 2),
        "DATE_LEAPYEAR(date [, timezone])",
        "Whether the year is a leap year.",
        date_leapyear,
    ),
    Function::new("DATE_MILLISECOND", (1, 1), "DATE_MILLISECOND(date)", "Millisecond.", date_millisecond),
    Function::new("DATE_MINUTE", (1, 2), "DATE_MINUTE(date [, timezone])", "Minute.", date_minute),
    Function::new("DATE_MONTH", (1, 2), "DATE_MONTH(date [, timezone])", "Month.", date_month),
    Function::new("DATE_QUARTER", (1, 2), "DATE_QUARTER(date [, timezone])", "Quarter.", date_quarter),
    Function::new("DATE_SECOND", (1, 1), "DATE_SECOND(date)", "Second.", date_second),
    Function::new("DATE_YEAR", (1, 2), "DATE_YEAR(date [, timezone])", "Year.", date_year),
];

/// The fields of the first argument in the zone of the second.
fn civil<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Usable<'a, Civil> {
    let instant = match date_argument(ctx, arg(args, 0))? {
        Ok(instant) => instant,
        Err(answer) => return Ok(Err(answer)),
    };
    Ok(zone_argument(ctx, args.get(1).copied())?.map(|zone| Civil::from_millis(zone.to_local(instant))))
}

macro_rules! component {
    ($($name:ident = $compute:expr;)*) => {
        $(fn $name<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
            let compute: fn(Civil) -> i64 = $compute;
            Ok(Value::from_i64(compute(usable!(civil(ctx, args)))))
        })*
    };
}

component! {
    date_year = |civil| civil.year;
    date_month = |civil| civil.month;
    date_day = |civil| civil.day;
    date_hour = |civil| civil.hour;
    date_minute = |civil| civil.minute;
    date_second = |civil| civil.second;
    date_millisecond = |civil| civil.millisecond;
    date_dayofweek = Civil::weekday;
    date_dayofyear = Civil::day_of_year;
    date_isoweek = |civil| civil.iso_week().0;
    date_quarter = |civil| (civil.month + 2) / 3;
    date_days_in_month = Civil::days_in_month;
}

fn date_leapyear<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(usable!(civil(ctx, args)).is_leap_year()))
}

fn date_isoweekyear<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (week, year) = usable!(civil(ctx, args)).iso_week();
    let mut builder = ctx.builder();
    builder.open_object();
    builder.entry("week", Value::from_i64(week));
    builder.entry("year", Value::from_i64(year));
    builder.close();
    builder.finish()
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn fields() {
        let date = "\"1987-11-23T16:30:05.123Z\"";
        for (name, expected) in [
            ("DATE_YEAR", "1987"),
            ("DATE_MONTH", "11"),
            ("DATE_DAY", "23"),
            ("DATE_HOUR", "16"),
            ("DATE_MINUTE", "30"),
            ("DATE_SECOND", "5"),
            ("DATE_MILLISECOND", "123"),
            ("DATE_DAYOFWEEK", "1"),
            ("DATE_DAYOFYEAR", "327"),
            ("DATE_ISOWEEK", "48"),
            ("DATE_QUARTER", "4"),
            ("DATE_DAYS_IN_MONTH", "30"),
            ("DATE_LEAPYEAR", "false"),
        ] {
            check(&format!("{name}({date})"), expected);
        }
        check("DATE_DAYOFWEEK(0)", "4");
        check("DATE_DAYOFYEAR(86400000)", "2");
        check("DATE_HOUR(14400000)", "4");
        check("DATE_MINUTE(2520000)", "42");
        check("DATE_SECOND(1234567890)", "7");
        check("DATE_MILLISECOND(1234567890)", "890");
        check("DATE_MILLISECOND(-1)", "999");
        check("DATE_LEAPYEAR(\"2000\")", "true");
        check("DATE_LEAPYEAR(\"1900\")", "false");
        check("DATE_DAYS_IN_MONTH(\"2024-02-01\")", "29");
    }

    #[test]
    fn iso_weeks() {
        check("DATE_ISOWEEK(1234567890)", "3");
        check("DATE_ISOWEEKYEAR(\"2023-01-01\")", "{\"week\":52,\"year\":2022}");
        check("DATE_ISOWEEKYEAR(\"2019-12-30\")", "{\"week\":1,\"year\":2020}");
        check("DATE_ISOWEEKYEAR(\"2020-12-31\")", "{\"week\":53,\"year\":2020}");
        check("DATE_ISOWEEKYEAR(\"2024-01-01\")", "{\"week\":1,\"year\":2024}");
    }

    #[test]
    fn zones() {
        check("DATE_YEAR(\"2021-12-31T23:30:00Z\",\"Europe/Berlin\")", "2022");
        check("DATE_DAYOFWEEK(\"2023-03-25T23:00:00.000Z\",\"Europe/Berlin\")", "0");
        check("DATE_MINUTE(\"2021-12-31T23:00:00Z\",\"Asia/Kathmandu\")", "45");
        check("DATE_LEAPYEAR(\"2016-12-31T23:00:00.000Z\",\"Europe/Berlin\")", "false");
        check("DATE_DAYS_IN_MONTH(\"2023-11-30T23:00:00.000Z\",\"Europe/Berlin\")", "31");
        check("DATE_HOUR(\"2021-07-01T12:00:00Z\",\"America/New_York\")", "8");
        check_error("DATE_YEAR(0,\"No/Where\")", 10);
        check_warning("DATE_YEAR(0,1)", "null", 1542);
    }

    #[test]
    fn no_dates() {
        check_warning("DATE_YEAR(\"pear\")", "null", 1572);
        check_warning("DATE_YEAR([])", "null", 1542);
        check_warning("DATE_YEAR(1e20)", "null", 1572);
    }
}
