//! Functions of a list of values: sums, averages, extremes, medians, percentiles, variances.
//! Nulls in the list are skipped.

use std::cmp::Ordering;

use bumpalo::collections::Vec as BumpVec;
use persea_order::{Value, compare};

use super::strict_number;
use crate::aggregate::{Moments, number_or_null};
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("AVERAGE", (1, 1), "AVERAGE(list)", "Average of the numbers in a list.", average),
    Function::new("AVG", (1, 1), "AVG(list)", "Average of the numbers in a list.", average),
    Function::new("MAX", (1, 1), "MAX(list)", "Largest value of a list.", max),
    Function::new("MEDIAN", (1, 1), "MEDIAN(list)", "Median of the numbers in a list.", median),
    Function::new("MIN", (1, 1), "MIN(list)", "Smallest value of a list other than null.", min),
    Function::new(
        "PERCENTILE",
        (2, 3),
        "PERCENTILE(list, n [, method])",
        "Percentile of the numbers in a list.",
        percentile,
    ),
    Function::new("PRODUCT", (1, 1), "PRODUCT(list)", "Product of the numbers in a list.", product),
    Function::new("STDDEV", (1, 1), "STDDEV(list)", "Standard deviation of a population.", stddev_population),
    Function::new(
        "STDDEV_POPULATION",
        (1, 1),
        "STDDEV_POPULATION(list)",
        "Standard deviation of a population.",
        stddev_population,
    ),
    Function::new(
        "STDDEV_SAMPLE",
        (1, 1),
        "STDDEV_SAMPLE(list)",
        "Standard deviation of a sample.",
        stddev_sample,
    ),
    Function::new("SUM", (1, 1), "SUM(list)", "Sum of the numbers in a list.", sum),
    Function::new("VARIANCE", (1, 1), "VARIANCE(list)", "Variance of a population.", variance_population),
    Function::new(
        "VARIANCE_POPULATION",
        (1, 1),
        "VARIANCE_POPULATION(list)",
        "Variance of a population.",
        variance_population,
    ),
    Function::new(
        "VARIANCE_SAMPLE",
        (1, 1),
        "VARIANCE_SAMPLE(list)",
        "Variance of a sample.",
        variance_sample,
    ),
];

fn sum<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    fold(ctx, args, 0.0, |total, number| total + number)
}

fn product<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    fold(ctx, args, 1.0, |total, number| total * number)
}

/// A member that is no number makes the result null without a warning.
fn fold<'a>(
    ctx: &Context<'a>,
    args: &[Value<'a>],
    start: f64,
    step: fn(f64, f64) -> f64,
) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected();
    }
    let mut total = start;
    for member in ctx.elements(list) {
        match number_or_null(member) {
            Ok(Some(number)) => total = step(total, number),
            Ok(None) => {}
            Err(_) => return Ok(Value::NULL),
        }
    }
    Ok(Value::from_f64(total))
}

fn average<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected();
    }
    let (mut total, mut count) = (0.0, 0_u64);
    for member in ctx.elements(list) {
        match number_or_null(member) {
            Ok(Some(number)) => {
                total += number;
                count += 1;
            }
            Ok(None) => {}
            Err(_) => return ctx.array_expected(),
        }
    }
    Ok(if count == 0 { Value::NULL } else { Value::from_f64(total / count as f64) })
}

fn min<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    extreme(ctx, args, Ordering::Less)
}

fn max<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    extreme(ctx, args, Ordering::Greater)
}

fn extreme<'a>(ctx: &Context<'a>, args: &[Value<'a>], wanted: Ordering) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected();
    }
    let mut best = Value::NULL;
    for member in ctx.elements(list).filter(|member| !member.is_null()) {
        if best.is_null() || compare(member, best) == wanted {
            best = member;
        }
    }
    Ok(best)
}

/// The numbers of a list without nulls, or the value to answer instead.
fn numbers<'a>(ctx: &Context<'a>, list: Value<'a>) -> Result<Result<BumpVec<'a, f64>, Value<'a>>, Error> {
    let Some(members) = ctx.members(list)? else { return ctx.array_expected().map(Err) };
    let mut numbers = BumpVec::with_capacity_in(members.len(), ctx.arena);
    for member in members {
        match number_or_null(member) {
            Ok(Some(number)) => numbers.push(number),
            Ok(None) => {}
            Err(_) => return ctx.invalid_arithmetic().map(Err),
        }
    }
    Ok(Ok(numbers))
}

fn median<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut numbers = match numbers(ctx, arg(args, 0))? {
        Ok(numbers) => numbers,
        Err(answer) => return Ok(answer),
    };
    numbers.sort_unstable_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let upper = numbers.get(middle);
    let lower = middle.checked_sub(1).and_then(|before| numbers.get(before));
    Ok(match (lower, upper) {
        (_, None) => Value::NULL,
        (Some(lower), Some(upper)) if numbers.len() % 2 == 0 => Value::from_f64((lower + upper) / 2.0),
        (_, Some(upper)) => Value::from_f64(*upper),
    })
}

fn percentile<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected();
    }
    let Some(percent) = strict_number(arg(args, 1)).filter(|percent| (0.0..=100.0).contains(percent)) else {
        return ctx.invalid_argument();
    };
    let interpolate = match arg(args, 2) {
        method if args.len() < 3 || method.is_null() => false,
        method => match method.as_str() {
            Some("rank") => false,
            Some("interpolation") => true,
            _ => return ctx.invalid_argument(),
        },
    };
    let mut numbers = match numbers(ctx, list)? {
        Ok(numbers) => numbers,
        Err(answer) => return Ok(answer),
    };
    numbers.sort_unstable_by(f64::total_cmp);
    let result = if interpolate { interpolated(&numbers, percent) } else { ranked(&numbers, percent) };
    Ok(result.map_or(Value::NULL, Value::from_f64))
}

fn ranked(sorted: &[f64], percent: f64) -> Option<f64> {
    let rank = (percent * sorted.len() as f64 / 100.0).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}

fn interpolated(sorted: &[f64], percent: f64) -> Option<f64> {
    let position = percent * (sorted.len() + 1) as f64 / 100.0;
    let whole = position.floor();
    if whole < 1.0 {
        return sorted.first().copied();
    }
    let (Some(below), Some(above)) = (sorted.get(whole as usize - 1), sorted.get(whole as usize)) else {
        return sorted.last().copied();
    };
    Some((position - whole) * (above - below) + below)
}

/// The moments of a list, or the value to answer instead.
fn moments<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Result<Moments, Value<'a>>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected().map(Err);
    }
    let mut moments = Moments::default();
    ctx.elements(list).for_each(|member| moments.add(member));
    if moments.is_invalid() {
        return ctx.invalid_arithmetic().map(Err);
    }
    Ok(Ok(moments))
}

macro_rules! spread {
    ($($name:ident)*) => {
        $(fn $name<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
            Ok(match moments(ctx, args)? {
                Ok(moments) => moments.$name(),
                Err(answer) => answer,
            })
        })*
    };
}

spread! { variance_population variance_sample stddev_population stddev_sample }

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn sums_and_products() {
        check("SUM([5,6,7])", "18");
        check("SUM([null,-4,6])", "2");
        check("SUM([])", "0");
        check("SUM([5,\"6\"])", "null");
        check("SUM(1..4)", "10");
        check_warning("SUM(5)", "null", 1563);
        check("PRODUCT([2,3,7])", "42");
        check("PRODUCT([null,-4,6])", "-24");
        check("PRODUCT([])", "1");
        check_warning("PRODUCT({})", "null", 1563);
    }

    #[test]
    fn averages() {
        check("AVERAGE([6,3,10,3])", "5.5");
        check("AVG([-4,-6,4])", "-2");
        check("AVG([])", "null");
        check("AVG([null])", "null");
        check_warning("AVG([1,\"b\"])", "null", 1563);
        check_warning("AVERAGE(\"x\")", "null", 1563);
    }

    #[test]
    fn extremes() {
        check("MAX([6,11,-3,null,2])", "11");
        check("MIN([6,11,-3,null,2])", "-3");
        check("MAX([null,null])", "null");
        check("MIN([])", "null");
        check("MAX([2,\"b\",[0]])", "[0]");
        check("MIN([\"b\",[0],true])", "true");
        check_warning("MIN(1)", "null", 1563);
        check_warning("MAX(null)", "null", 1563);
    }

    #[test]
    fn medians() {
        check("MEDIAN([5,3,4])", "4");
        check("MEDIAN([5,3,4,6])", "4.5");
        check("MEDIAN([null,8])", "8");
        check("MEDIAN([])", "null");
        check("MEDIAN([700,60,5,5,5,2,2,2])", "5");
        check_warning("MEDIAN([1,\"2\"])", "null", 1561);
        check_warning("MEDIAN(1)", "null", 1563);
    }

    #[test]
    fn percentiles() {
        check("PERCENTILE([2,4,6,8],50)", "4");
        check("PERCENTILE([8,2,6,4],50,\"rank\")", "4");
        check("PERCENTILE([2,4,6,8],50,\"interpolation\")", "5");
        check("PERCENTILE([2,4,6,8],0)", "2");
        check("PERCENTILE([2,4,6,8],0,\"interpolation\")", "2");
        check("PERCENTILE([2,4,6,8],10,\"interpolation\")", "2");
        check("PERCENTILE([2,4,6,8],100)", "8");
        check("PERCENTILE([2,4,6,8],100,\"interpolation\")", "8");
        check("PERCENTILE([],50)", "null");
        check_warning("PERCENTILE([1],101)", "null", 1542);
        check_warning("PERCENTILE([1],\"50\")", "null", 1542);
        check_warning("PERCENTILE([1],50,\"best\")", "null", 1542);
        check_warning("PERCENTILE([1,\"x\"],50)", "null", 1561);
        check_warning("PERCENTILE(1,50)", "null", 1563);
    }

    #[test]
    fn spreads() {
        check("VARIANCE([2,4,4,4,5,5,7,9])", "4");
        check("VARIANCE_POPULATION([1,3,6,5,2])", "3.4400000000000004");
        check("VARIANCE_SAMPLE([1,3,6,5,2])", "4.300000000000001");
        check("STDDEV([1,3,6,5,2])", "1.854723699099141");
        check("STDDEV_SAMPLE([1,3,6,5,2])", "2.0736441353327724");
        check("STDDEV_POPULATION([])", "null");
        check("VARIANCE_SAMPLE([1])", "null");
        check_warning("STDDEV([1,\"x\"])", "null", 1561);
        check_warning("VARIANCE(null)", "null", 1563);
    }
}
