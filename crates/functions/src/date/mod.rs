//! Date functions. A date is a number of milliseconds since 1970-01-01 UTC or a text (see [`parse`]); years run
//! from 0 to 9999.

mod arithmetic;
mod civil;
mod components;
mod create;
mod difference;
mod format;
mod parse;
mod unit;
mod zone;
mod zone_functions;

pub(crate) use parse::parse_date;
pub(crate) use zone::ZoneCache;

use std::fmt::Write;

use civil::Civil;
use persea_order::{Value, View};

use crate::{Context, Error, Function};

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] = &[
    arithmetic::FUNCTIONS,
    components::FUNCTIONS,
    create::FUNCTIONS,
    difference::FUNCTIONS,
    format::FUNCTIONS,
    zone_functions::FUNCTIONS,
];

/// First instant of the year 0.
const INSTANT_MIN: i64 = -62_167_219_200_000;
/// Last millisecond of the year 9999.
const INSTANT_MAX: i64 = 253_402_300_799_999;

/// A value a function wants, or the answer to give instead because an argument is unusable.
type Usable<'a, T> = Result<Result<T, Value<'a>>, Error>;

/// Unwraps a [`Usable`] or returns its answer.
macro_rules! usable {
    ($usable:expr) => {
        match $usable? {
            Ok(value) => value,
            Err(answer) => return Ok(answer),
        }
    };
}
pub(crate) use usable;

fn in_range(milliseconds: i64) -> Option<i64> {
    (INSTANT_MIN..=INSTANT_MAX).contains(&milliseconds).then_some(milliseconds)
}

/// The instant in a date argument.
fn date_argument<'a>(ctx: &Context<'a>, value: Value<'a>) -> Usable<'a, i64> {
    let instant = match value.view() {
        View::Str(text) => parse_date(text),
        View::Int(milliseconds) => in_range(milliseconds),
        // The cast saturates, and the ends are out of range.
        View::Double(milliseconds) => in_range(milliseconds as i64),
        View::UInt(_) => None,
        _ => return ctx.invalid_argument().map(Err),
    };
    match instant {
        Some(instant) => Ok(Ok(instant)),
        None => ctx.invalid_date().map(Err),
    }
}

/// The text of an instant, `2014-05-07T14:19:09.522Z`; `None` if it is out of range.
pub(crate) fn iso8601<'a>(ctx: &Context<'a>, instant: i64) -> Option<Value<'a>> {
    Some(local_text(ctx, in_range(instant)?, "Z"))
}

/// The text of a wall-clock time with what follows it.
fn local_text<'a>(ctx: &Context<'a>, local: i64, suffix: &str) -> Value<'a> {
    let mut text = ctx.string_buffer();
    let civil = Civil::from_millis(local);
    // Writing to a string in memory does not fail.
    let _ = write!(
        text,
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{suffix}",
        civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second, civil.millisecond
    );
    Value::from_str(text.into_bump_str())
}

/// The text of a computed instant, or a warning if it is out of range.
fn iso_result<'a>(ctx: &Context<'a>, instant: Option<i64>) -> Result<Value<'a>, Error> {
    match instant.and_then(|instant| iso8601(ctx, instant)) {
        Some(text) => Ok(text),
        None => ctx.invalid_date(),
    }
}
