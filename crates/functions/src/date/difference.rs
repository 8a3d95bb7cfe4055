//! Two dates: `DATE_DIFF` and `DATE_COMPARE`.

use persea_order::Value;

use super::civil::Civil;
use super::unit::{Unit, unit_argument};
use super::zone::{Zone, zone_argument};
use super::{Usable, date_argument, usable};
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "DATE_COMPARE",
        (3, 6),
        "DATE_COMPARE(date1, date2, unitStart [, unitEnd [, timezone1 [, timezone2]]])",
        "Whether dates agree from one unit to another.",
        date_compare,
    ),
    Function::new(
        "DATE_DIFF",
        (3, 6),
        "DATE_DIFF(date1, date2, unit [, asFloat [, timezone1 [, timezone2]]])",
        "Time between dates.",
        date_diff,
    ),
];

fn date_diff<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let first = usable!(date_argument(ctx, arg(args, 0)));
    let second = usable!(date_argument(ctx, arg(args, 1)));
    let unit = usable!(unit_argument(ctx, arg(args, 2)));
    // The flag may be left out in front of the zones.
    let (as_float, zones) = match args.get(3) {
        Some(flag) if !flag.is_string() => (flag.is_truthy(), args.get(4..)),
        _ => (false, args.get(3..)),
    };
    let (first_zone, second_zone) = usable!(two_zones(ctx, zones.unwrap_or_default()));
    let millis = second_zone.to_local(second) - first_zone.to_local(first);
    let difference = millis as f64 / unit.millis();
    Ok(Value::from_f64(if as_float { difference } else { difference.round() }))
}

/// The zones of both dates: none, one for both, or one each.
fn two_zones<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Usable<'a, (Zone, Zone)> {
    let first = match zone_argument(ctx, args.first().copied())? {
        Ok(zone) => zone,
        Err(answer) => return Ok(Err(answer)),
    };
    if args.len() < 2 {
        return Ok(Ok((first.clone(), first)));
    }
    Ok(zone_argument(ctx, args.get(1).copied())?.map(|second| (first, second)))
}

fn date_compare<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let first = usable!(date_argument(ctx, arg(args, 0)));
    let second = usable!(date_argument(ctx, arg(args, 1)));
    let unit = |position: usize| {
        arg(args, position).as_str().and_then(Unit::parse).filter(|unit| *unit != Unit::Week)
    };
    let Some(start) = unit(2) else { return ctx.invalid_argument() };
    let end = if args.len() > 3 { unit(3) } else { Some(start) };
    let Some(end) = end.filter(|end| *end >= start) else { return ctx.invalid_argument() };
    let (first_zone, second_zone) = usable!(two_zones(ctx, args.get(4..).unwrap_or_default()));
    let first = Civil::from_millis(first_zone.to_local(first));
    let second = Civil::from_millis(second_zone.to_local(second));
    let fields = [
        (Unit::Year, first.year == second.year),
        (Unit::Month, first.month == second.month),
        (Unit::Day, first.day == second.day),
        (Unit::Hour, first.hour == second.hour),
        (Unit::Minute, first.minute == second.minute),
        (Unit::Second, first.second == second.second),
        (Unit::Millisecond, first.millisecond == second.millisecond),
    ];
    Ok(Value::from_bool(fields.iter().all(|(unit, same)| *same || *unit < start || *unit > end)))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn differences() {
        check("DATE_DIFF(\"2023-12-01\",\"2024-04-01\",\"days\")", "122");
        check("DATE_DIFF(\"2024-04-01\",\"2023-12-01\",\"days\")", "-122");
        check("DATE_DIFF(0,5400000,\"h\",true)", "1.5");
        check("DATE_DIFF(0,5400000,\"h\")", "2");
        check("DATE_DIFF(0,5400000,\"h\",false)", "2");
        check("DATE_DIFF(\"2000-01-01\",\"2001-01-01\",\"years\")", "1");
        check("DATE_DIFF(\"2000-01-01\",\"2001-01-01\",\"months\")", "12");
        check("DATE_DIFF(\"2000-01-01\",\"2000-01-15\",\"w\")", "2");
        check(
            "DATE_DIFF(\"2024-01-01\",\"2024-01-01\",\"hours\",true,\"Asia/Kathmandu\",\"America/Los_Angeles\")",
            "-13.75",
        );
        check("DATE_DIFF(\"2023-03-25T23:00:00.000Z\",\"2023-03-26T23:00:00.000Z\",\"hours\")", "24");
        check(
            "DATE_DIFF(\"2023-03-25T23:00:00.000Z\",\"2023-03-26T23:00:00.000Z\",\"hours\",\"Europe/Berlin\")",
            "25",
        );
        check_warning("DATE_DIFF(0,1,\"eons\")", "null", 1572);
        check_warning("DATE_DIFF(0,[],\"d\")", "null", 1542);
    }

    #[test]
    fn comparisons() {
        check(
            "DATE_COMPARE(\"2001-01-01T15:30:45.678Z\",\"2001-01-01T08:08:08.008Z\",\"years\",\"days\")",
            "true",
        );
        check("DATE_COMPARE(\"2001-02-03\",\"2002-02-03\",\"months\",\"days\")", "true");
        check("DATE_COMPARE(\"2001-02-03\",\"2002-02-03\",\"years\")", "false");
        check("DATE_COMPARE(\"2001-02-03\",\"2001-05-09\",\"y\")", "true");
        check(
            "DATE_COMPARE(\"2023-04-01T09:00:00.000Z\",\"2024-04-01T18:00:00.000Z\",\"hour\",\"minute\")",
            "false",
        );
        check(
            "DATE_COMPARE(\"2023-04-01T09:00:00.000Z\",\"2024-04-01T18:00:00.000Z\",\"hour\",\"minute\",\"Europe/Berlin\",\"America/Los_Angeles\")",
            "true",
        );
        check_warning("DATE_COMPARE(0,0,\"days\",\"years\")", "null", 1542);
        check_warning("DATE_COMPARE(0,0,\"weeks\")", "null", 1542);
        check_warning("DATE_COMPARE(0,0,\"eons\")", "null", 1542);
    }
}
