//! Moving dates: `DATE_ADD`, `DATE_SUBTRACT`, `DATE_TRUNC`, `DATE_ROUND`.

use persea_order::Value;

use super::civil::Civil;
use super::unit::{Unit, unit_argument};
use super::zone::zone_argument;
use super::{Usable, date_argument, iso_result, usable};
use crate::context::arg;
use crate::numeric::strict_number;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("DATE_ADD", (2, 4), "DATE_ADD(date, amount, unit [, timezone])", "A later date.", date_add),
    Function::new(
        "DATE_ROUND",
        (3, 4),
        "DATE_ROUND(date, amount, unit [, timezone])",
        "The start of the interval a date is in.",
        date_round,
    ),
    Function::new(
        "DATE_SUBTRACT",
        (2, 4),
        "DATE_SUBTRACT(date, amount, unit [, timezone])",
        "An earlier date.",
        date_subtract,
    ),
    Function::new(
        "DATE_TRUNC",
        (2, 3),
        "DATE_TRUNC(date, unit [, timezone])",
        "The start of the unit a date is in.",
        date_trunc,
    ),
];

fn date_add<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    shifted(ctx, args, 1.0)
}

fn date_subtract<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    shifted(ctx, args, -1.0)
}

fn shifted<'a>(ctx: &Context<'a>, args: &[Value<'a>], sign: f64) -> Result<Value<'a>, Error> {
    let instant = usable!(date_argument(ctx, arg(args, 0)));
    let (steps, zone_position) = match arg(args, 1).as_str() {
        Some(duration) if args.len() < 4 => match parse_duration(duration) {
            Some(steps) => (steps, 2),
            None => return ctx.invalid_date(),
        },
        _ => (vec![usable!(amount_and_unit(ctx, args))], 3),
    };
    let zone = usable!(zone_argument(ctx, args.get(zone_position).copied()));
    let mut local = Some(zone.to_local(instant));
    for (amount, unit) in steps {
        local = local.and_then(|local| add(local, sign * amount, unit));
    }
    iso_result(ctx, local.map(|local| zone.to_utc(local)))
}

fn amount_and_unit<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Usable<'a, (f64, Unit)> {
    let Some(amount) = strict_number(arg(args, 1)) else { return ctx.invalid_argument().map(Err) };
    Ok(unit_argument(ctx, arg(args, 2))?.map(|unit| (amount, unit)))
}

/// Adds whole units, and what is left over in the next smaller ones.
fn add(local: i64, amount: f64, unit: Unit) -> Option<i64> {
    // Beyond all years in milliseconds; keeps the cast below exact.
    const AMOUNT_MAX: f64 = 1e15;
    if amount.abs() > AMOUNT_MAX {
        return None;
    }
    let whole = amount.trunc();
    let rest = amount - whole;
    let n_units = whole as i64;
    let mut civil = Civil::from_millis(local);
    let (smaller, factor) = match unit {
        Unit::Year => {
            civil.year += n_units;
            (Unit::Month, 12.0)
        }
        Unit::Month => {
            civil.month += n_units;
            (Unit::Day, 30.0)
        }
        Unit::Week => {
            civil.day += n_units * 7;
            (Unit::Day, 7.0)
        }
        Unit::Day => {
            civil.day += n_units;
            (Unit::Hour, 24.0)
        }
        Unit::Hour => {
            civil.hour += n_units;
            (Unit::Minute, 60.0)
        }
        Unit::Minute => {
            civil.minute += n_units;
            (Unit::Second, 60.0)
        }
        Unit::Second => {
            civil.second += n_units;
            (Unit::Millisecond, 1_000.0)
        }
        Unit::Millisecond => {
            civil.millisecond += n_units;
            return super::in_range(civil.to_millis()?);
        }
    };
    let moved = super::in_range(civil.to_millis()?)?;
    if rest == 0.0 { Some(moved) } else { add(moved, rest * factor, smaller) }
}

/// An ISO 8601 duration: `P1Y2M3W4DT5H6M7.89S`, each part optional, but at least one.
fn parse_duration(text: &str) -> Option<Vec<(f64, Unit)>> {
    let (date_part, time_part) = match text.strip_prefix('P')?.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (text.strip_prefix('P')?, ""),
    };
    let mut steps = Vec::new();
    let date_units = [('Y', Unit::Year), ('M', Unit::Month), ('W', Unit::Week), ('D', Unit::Day)];
    parse_steps(date_part, &date_units, &mut steps)?;
    let time_units = [('H', Unit::Hour), ('M', Unit::Minute), ('S', Unit::Second)];
    parse_steps(time_part, &time_units, &mut steps)?;
    (!steps.is_empty()).then_some(steps)
}

fn parse_steps(text: &str, units: &[(char, Unit)], steps: &mut Vec<(f64, Unit)>) -> Option<()> {
    let mut rest = text;
    for (sign, unit) in units {
        let Some((number, after)) = rest.split_once(*sign) else { continue };
        steps.push((parse_amount(number, *unit)?, *unit));
        if *unit == Unit::Second
            && let Some((_, fraction)) = number.split_once('.')
        {
            // Milliseconds apart, so that the fraction is exact.
            steps.pop();
            steps.push((number.split('.').next()?.parse().ok()?, Unit::Second));
            steps.push((format!("{fraction:0<3}").parse().ok()?, Unit::Millisecond));
        }
        rest = after;
    }
    rest.is_empty().then_some(())
}

/// Digits only; seconds may have up to three digits after the point.
fn parse_amount(number: &str, unit: Unit) -> Option<f64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let has_fraction = number.contains('.');
    if !is_plain(whole)
        || !is_plain(fraction)
        || (has_fraction && (unit != Unit::Second || fraction.len() > 3))
    {
        return None;
    }
    number.parse().ok()
}

fn date_trunc<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let instant = usable!(date_argument(ctx, arg(args, 0)));
    let unit = usable!(unit_argument(ctx, arg(args, 1)));
    let zone = usable!(zone_argument(ctx, args.get(2).copied()));
    if unit == Unit::Week {
        return ctx.invalid_date();
    }
    let mut civil = Civil::from_millis(zone.to_local(instant));
    let fields = [
        (Unit::Year, &mut civil.month, 1),
        (Unit::Month, &mut civil.day, 1),
        (Unit::Day, &mut civil.hour, 0),
        (Unit::Hour, &mut civil.minute, 0),
        (Unit::Minute, &mut civil.second, 0),
        (Unit::Second, &mut civil.millisecond, 0),
    ];
    for (from, field, first) in fields {
        if unit <= from {
            *field = first;
        }
    }
    iso_result(ctx, civil.to_millis().map(|local| zone.to_utc(local)))
}

fn date_round<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let instant = usable!(date_argument(ctx, arg(args, 0)));
    let Some(amount) = strict_number(arg(args, 1)).filter(|amount| *amount > 0.0) else {
        return ctx.invalid_argument();
    };
    let unit = usable!(unit_argument(ctx, arg(args, 2)));
    let zone = usable!(zone_argument(ctx, args.get(3).copied()));
    if unit < Unit::Day {
        return ctx.invalid_date();
    }
    // At least a millisecond; the cast saturates at the upper end.
    let step = ((amount.trunc() * unit.millis()) as i64).max(1);
    let local = zone.to_local(instant);
    iso_result(ctx, Some(zone.to_utc(local - local.rem_euclid(step))))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn adds_units() {
        check("DATE_ADD(\"2015-04-01\",61,\"months\")", "\"2020-05-01T00:00:00.000Z\"");
        check("DATE_ADD(\"2015-04-01\",1,\"W\")", "\"2015-04-08T00:00:00.000Z\"");
        check("DATE_ADD(\"2015-04-01\",-1,\"days\")", "\"2015-03-31T00:00:00.000Z\"");
        check("DATE_ADD(\"2015-04-01\",0.5,\"year\")", "\"2015-10-01T00:00:00.000Z\"");
        check("DATE_ADD(\"2015-04-01\",1.5,\"days\")", "\"2015-04-02T12:00:00.000Z\"");
        check("DATE_ADD(\"2015-01-31\",1,\"month\")", "\"2015-03-03T00:00:00.000Z\"");
        check("DATE_ADD(\"2015-01-31\",90,\"f\")", "\"2015-01-31T00:00:00.090Z\"");
        check("DATE_SUBTRACT(\"2015-01-31\",1,\"year\")", "\"2014-01-31T00:00:00.000Z\"");
        check("DATE_SUBTRACT(0,1,\"i\")", "\"1969-12-31T23:59:00.000Z\"");
        check_warning("DATE_SUBTRACT(\"2018-08-22T10:49:00+02:00\",100000,\"years\")", "null", 1572);
        check_warning("DATE_ADD(\"2018\",1e300,\"years\")", "null", 1572);
        check_warning("DATE_ADD(\"2018\",1,\"eons\")", "null", 1572);
        check_warning("DATE_ADD(\"2018\",1,1)", "null", 1542);
        check_warning("DATE_ADD(\"2018\",null,\"d\")", "null", 1542);
        check_warning("DATE_ADD(\"pear\",1,\"d\")", "null", 1572);
    }

    #[test]
    fn adds_durations() {
        check("DATE_ADD(\"2000-01-01\",\"PT4H\")", "\"2000-01-01T04:00:00.000Z\"");
        check("DATE_ADD(\"2000-01-01\",\"PT30M44.4S\")", "\"2000-01-01T00:30:44.400Z\"");
        check("DATE_ADD(\"2000-01-01\",\"P1Y2M3W4DT5H6M7.89S\")", "\"2001-03-26T05:06:07.890Z\"");
        check("DATE_SUBTRACT(\"2000-01-01\",\"P1D\")", "\"1999-12-31T00:00:00.000Z\"");
        for duration in ["-P1Y", "P", "PT", "P1", "P1H", "PT1D", "P1.5Y", "PT1.2345S", "P1D1Y", "pear", ""] {
            check_warning(&format!("DATE_ADD(\"2000-01-01\",\"{duration}\")"), "null", 1572);
        }
    }

    #[test]
    fn adds_on_the_wall_clock() {
        let date = "\"2023-03-25T23:00:00.000Z\"";
        check(&format!("DATE_ADD({date},1,\"day\")"), "\"2023-03-26T23:00:00.000Z\"");
        check(&format!("DATE_ADD({date},1,\"day\",\"Europe/Berlin\")"), "\"2023-03-26T22:00:00.000Z\"");
        check(&format!("DATE_ADD({date},\"P1D\",\"Europe/Berlin\")"), "\"2023-03-26T22:00:00.000Z\"");
        check_error(&format!("DATE_ADD({date},1,\"day\",\"No/Where\")"), 10);
    }

    #[test]
    fn truncates() {
        check("DATE_TRUNC(\"2017-02-03\",\"month\")", "\"2017-02-01T00:00:00.000Z\"");
        check("DATE_TRUNC(\"2017-02-03 04:05:06\",\"hours\")", "\"2017-02-03T04:00:00.000Z\"");
        check("DATE_TRUNC(\"2017-02-03 04:05:06.789\",\"Y\")", "\"2017-01-01T00:00:00.000Z\"");
        check("DATE_TRUNC(\"2017-02-03 04:05:06.789\",\"s\")", "\"2017-02-03T04:05:06.000Z\"");
        check("DATE_TRUNC(\"2017-02-03 04:05:06.789\",\"f\")", "\"2017-02-03T04:05:06.789Z\"");
        check("DATE_TRUNC(\"2023-03-25 23:00:00\",\"day\")", "\"2023-03-25T00:00:00.000Z\"");
        check(
            "DATE_TRUNC(\"2023-03-25 23:00:00\",\"day\",\"Europe/Berlin\")",
            "\"2023-03-25T23:00:00.000Z\"",
        );
        check_warning("DATE_TRUNC(\"2017-02-03\",\"week\")", "null", 1572);
        check_warning("DATE_TRUNC(\"2017-02-03\",5)", "null", 1542);
    }

    #[test]
    fn rounds_down() {
        check("DATE_ROUND(\"2000-04-28T11:11:11.111Z\",1,\"day\")", "\"2000-04-28T00:00:00.000Z\"");
        check("DATE_ROUND(\"2000-04-10T11:39:29Z\",15,\"minutes\")", "\"2000-04-10T11:30:00.000Z\"");
        check("DATE_ROUND(-1,1,\"s\")", "\"1969-12-31T23:59:59.000Z\"");
        check(
            "DATE_ROUND(\"2023-03-25T23:55:55.555Z\",1,\"day\",\"Europe/Berlin\")",
            "\"2023-03-25T23:00:00.000Z\"",
        );
        check_warning("DATE_ROUND(0,0,\"day\")", "null", 1542);
        check_warning("DATE_ROUND(0,\"1\",\"day\")", "null", 1542);
        check_warning("DATE_ROUND(0,1,\"month\")", "null", 1572);
    }
}
