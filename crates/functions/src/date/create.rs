//! Dates from fields and texts: `DATE_NOW`, `DATE_TIMESTAMP`, `DATE_ISO8601`.

use persea_order::Value;

use super::civil::Civil;
use super::{Usable, date_argument, in_range, iso_result, usable};
use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("DATE_ISO8601", (1, 7), "DATE_ISO8601(date)", "Text of a date.", date_iso8601),
    Function::new("DATE_NOW", (0, 0), "DATE_NOW()", "When the query started, in milliseconds.", date_now)
        .uncached()
        .unfoldable(),
    Function::new(
        "DATE_TIMESTAMP",
        (1, 7),
        "DATE_TIMESTAMP(date)",
        "Milliseconds of a date.",
        date_timestamp,
    ),
];

fn date_now<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_i64(ctx.env.start_ms()))
}

fn date_timestamp<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_i64(usable!(instant(ctx, args))))
}

fn date_iso8601<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let instant = usable!(instant(ctx, args));
    iso_result(ctx, Some(instant))
}

/// One date, or year, month, day and so on.
fn instant<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Usable<'a, i64> {
    if args.len() == 1 {
        return date_argument(ctx, arg(args, 0));
    }
    if args.len() < 3 {
        return ctx.invalid_argument().map(Err);
    }
    let mut fields = [0; 7];
    for (field, argument) in fields.iter_mut().zip(args) {
        if !argument.is_number() && !argument.is_string() {
            return ctx.invalid_argument().map(Err);
        }
        *field = integer(*argument);
        if *field < 0 {
            return ctx.invalid_date().map(Err);
        }
    }
    let [year, month, day, hour, minute, second, millisecond] = fields;
    let civil = Civil { year, month, day, hour, minute, second, millisecond: millisecond.min(999) };
    match civil.to_millis().filter(|_| year <= 9999).and_then(in_range) {
        Some(instant) => Ok(Ok(instant)),
        None => ctx.invalid_date().map(Err),
    }
}

#[cfg(test)]
mod tests {
    use crate::Environment;
    use crate::testing::{check, check_warning, with_environment};

    #[test]
    fn now_is_when_the_query_started() {
        let env = Environment::new().with_database("_system").with_start_ms(1_234_567);
        assert_eq!(with_environment(&env, "DATE_NOW()").result, Ok("1234567".to_owned()));
    }

    #[test]
    fn from_fields() {
        check("DATE_TIMESTAMP(1970,1,1,26)", "93600000");
        check("DATE_TIMESTAMP(2016,2,32)", "1456963200000");
        check("DATE_ISO8601(1987,11,23,6,7,8,9)", "\"1987-11-23T06:07:08.009Z\"");
        check("DATE_ISO8601(1987,11,23,6,7,8,12345)", "\"1987-11-23T06:07:08.999Z\"");
        check("DATE_ISO8601(1987,14,1)", "\"1988-02-01T00:00:00.000Z\"");
        check("DATE_ISO8601(\"1987\",\"11\",23)", "\"1987-11-23T00:00:00.000Z\"");
        check_warning("DATE_TIMESTAMP(2016,12,-1)", "null", 1572);
        check_warning("DATE_TIMESTAMP(10000,1,1)", "null", 1572);
        check_warning("DATE_TIMESTAMP(2016,12)", "null", 1542);
        check_warning("DATE_TIMESTAMP(2016,12,[])", "null", 1542);
        check_warning("DATE_TIMESTAMP(2016,12,1e18)", "null", 1572);
    }

    #[test]
    fn from_one_value() {
        check("DATE_TIMESTAMP(\"1987-11-23\")", "564624000000");
        check("DATE_TIMESTAMP(564624000000)", "564624000000");
        check("DATE_TIMESTAMP(-1)", "-1");
        check("DATE_ISO8601(0)", "\"1970-01-01T00:00:00.000Z\"");
        check("DATE_ISO8601(-62167219200000)", "\"0000-01-01T00:00:00.000Z\"");
        check_warning("DATE_ISO8601(-62167219200001)", "null", 1572);
        check_warning("DATE_ISO8601(253402300800000)", "null", 1572);
        check_warning("DATE_ISO8601(null)", "null", 1542);
        check_warning("DATE_ISO8601([1])", "null", 1542);
    }
}
