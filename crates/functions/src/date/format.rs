//! `DATE_FORMAT`: a text with placeholders that start with `%`.

use std::fmt::Write;

use persea_order::Value;

use super::civil::Civil;
use super::zone::zone_argument;
use super::{date_argument, local_text, usable};
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "DATE_FORMAT",
    (2, 3),
    "DATE_FORMAT(date, format [, timezone])",
    "A date in any format.",
    date_format,
)];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Longer ones before those they begin with.
const PLACEHOLDERS: [&str; 33] = [
    "yyyyyy", "yyyy", "yy", "y", "mmmm", "mmm", "mm", "m", "dd", "d", "hh", "h", "ii", "i", "ss", "s", "fff",
    "f", "xxx", "x", "kk", "k", "wwww", "www", "w", "t", "z", "l", "q", "a", "&", "%", "",
];

fn date_format<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let instant = usable!(date_argument(ctx, arg(args, 0)));
    let Some(format) = arg(args, 1).as_str() else { return ctx.invalid_argument() };
    let zone = usable!(zone_argument(ctx, args.get(2).copied()));
    let civil = Civil::from_millis(zone.to_local(instant));
    let mut text = ctx.string_buffer();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let placeholder =
            PLACEHOLDERS.iter().find(|placeholder| after.starts_with(**placeholder)).unwrap_or(&"");
        write_field(ctx, &mut text, placeholder, &civil, instant);
        rest = after.get(placeholder.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    Ok(Value::from_str(text.into_bump_str()))
}

fn write_field(
    ctx: &Context<'_>,
    out: &mut bumpalo::collections::String<'_>,
    placeholder: &str,
    civil: &Civil,
    instant: i64,
) {
    let name = |names: &[&'static str], at: i64| -> &'static str {
        usize::try_from(at).ok().and_then(|at| names.get(at).copied()).unwrap_or_default()
    };
    let short = |name: &'static str| name.get(..3).unwrap_or_default();
    // Writing to a string in memory does not fail.
    let _ = match placeholder {
        "t" => write!(out, "{instant}"),
        "z" => write!(out, "{}", local_text(ctx, instant, "Z").as_str().unwrap_or_default()),
        "w" => write!(out, "{}", civil.weekday()),
        "www" => write!(out, "{}", short(name(&WEEKDAYS, civil.weekday()))),
        "wwww" => write!(out, "{}", name(&WEEKDAYS, civil.weekday())),
        "y" => write!(out, "{}", civil.year),
        "yy" => write!(out, "{:02}", civil.year % 100),
        "yyyy" => write!(out, "{:04}", civil.year),
        "yyyyyy" => write!(out, "{:+07}", civil.year),
        "m" => write!(out, "{}", civil.month),
        "mm" => write!(out, "{:02}", civil.month),
        "mmm" => write!(out, "{}", short(name(&MONTHS, civil.month - 1))),
        "mmmm" => write!(out, "{}", name(&MONTHS, civil.month - 1)),
        "d" => write!(out, "{}", civil.day),
        "dd" => write!(out, "{:02}", civil.day),
        "h" => write!(out, "{}", civil.hour),
        "hh" => write!(out, "{:02}", civil.hour),
        "i" => write!(out, "{}", civil.minute),
        "ii" => write!(out, "{:02}", civil.minute),
        "s" => write!(out, "{}", civil.second),
        "ss" => write!(out, "{:02}", civil.second),
        "f" => write!(out, "{}", civil.millisecond),
        "fff" => write!(out, "{:03}", civil.millisecond),
        "x" => write!(out, "{}", civil.day_of_year()),
        "xxx" => write!(out, "{:03}", civil.day_of_year()),
        "k" => write!(out, "{}", civil.iso_week().0),
        "kk" => write!(out, "{:02}", civil.iso_week().0),
        "l" => write!(out, "{}", i32::from(civil.is_leap_year())),
        "q" => write!(out, "{}", (civil.month + 2) / 3),
        "a" => write!(out, "{}", civil.days_in_month()),
        "%" => write!(out, "%"),
        _ => Ok(()),
    };
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    fn check_format(date: &str, format: &str, expected: &str) {
        check(&format!("DATE_FORMAT(\"{date}\",\"{format}\")"), &format!("\"{expected}\""));
    }

    #[test]
    fn placeholders() {
        let date = "1987-11-03T06:07:08.009Z";
        check_format(date, "%y %yy %yyyy %yyyyyy", "1987 87 1987 +001987");
        check_format(date, "%m %mm %mmm %mmmm", "11 11 Nov November");
        check_format(date, "%d %dd %h %hh %i %ii %s %ss %f %fff", "3 03 6 06 7 07 8 08 9 009");
        check_format(date, "%w %www %wwww", "2 Tue Tuesday");
        check_format(date, "%x %xxx %k %kk %l %q %a", "307 307 45 45 0 4 30");
        check_format(date, "%t|%z", "562918028009|1987-11-03T06:07:08.009Z");
        check_format("1969", "Summer of '%yy", "Summer of '69");
        check_format("2016", "%%l = %l", "%l = 1");
        check_format("2016-03-01", "%xxx%", "061");
        check_format("2016-03-01", "%m%&month", "3month");
        check_format("2016-03-01", "100%% of %D", "100% of D");
        check_format("2016-03-01", "", "");
        check_format("0099-03-01", "%yyyy", "0099");
    }

    #[test]
    fn zones_and_wrong_arguments() {
        check("DATE_FORMAT(\"2023-12-31T23:00:00.000Z\",\"%yyyy\",\"Europe/Berlin\")", "\"2024\"");
        check_error("DATE_FORMAT(0,\"%y\",\"No/Where\")", 10);
        check_warning("DATE_FORMAT(0,1)", "null", 1542);
        check_warning("DATE_FORMAT(\"pear\",\"%y\")", "null", 1572);
    }
}
