//! `RANGE`: an array of evenly spaced numbers.

use persea_order::Value;

use super::{integer, number};
use crate::context::{RANGE_MEMBERS_MAX, arg};
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] =
    &[Function::new("RANGE", (2, 3), "RANGE(start, stop [, step])", "Numbers from start to stop.", range)];

fn range<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (from, to) = (arg(args, 0), arg(args, 1));
    if args.len() < 3 {
        return whole_numbers(ctx, integer(from), integer(to));
    }
    spaced_numbers(ctx, number(from), number(to), number(arg(args, 2)))
}

fn whole_numbers<'a>(ctx: &Context<'a>, first: i64, last: i64) -> Result<Value<'a>, Error> {
    if first.abs_diff(last) >= RANGE_MEMBERS_MAX {
        return Err(Error::OutOfRange);
    }
    Ok(Value::range(ctx.arena.alloc((first, last))))
}

fn spaced_numbers<'a>(ctx: &Context<'a>, from: f64, to: f64, step: f64) -> Result<Value<'a>, Error> {
    if step == 0.0 || (from < to && step < 0.0) || (from > to && step > 0.0) {
        return ctx.invalid_argument();
    }
    if ((to - from) / step).abs() >= RANGE_MEMBERS_MAX as f64 {
        return Err(Error::OutOfRange);
    }
    let mut builder = ctx.builder();
    builder.open_array();
    let mut current = from;
    // Adding up rather than multiplying keeps the members the compatible server's, rounding included.
    while if step > 0.0 { current <= to } else { current >= to } {
        ctx.work(1)?;
        builder.add(Value::from_f64(current));
        builder.check_size()?;
        let next = current + step;
        if next == current {
            break;
        }
        current = next;
    }
    builder.close();
    builder.finish()
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn ranges() {
        check("RANGE(2,5)", "[2,3,4,5]");
        check("RANGE(5,2)", "[5,4,3,2]");
        check("RANGE(2,7,2)", "[2,4,6]");
        check("RANGE(2,8,3)", "[2,5,8]");
        check("RANGE(2.5,4.5)", "[2,3,4]");
        check("RANGE(2.5,4.5,1)", "[2.5,3.5,4.5]");
        check("RANGE(0.5,1.5,0.5)", "[0.5,1,1.5]");
        check("RANGE(-0.5,0.8,0.25)", "[-0.5,-0.25,0,0.25,0.5,0.75]");
        check("RANGE(3,1,-1)", "[3,2,1]");
        check_warning("RANGE(1,3,0)", "null", 1542);
        check_warning("RANGE(1,3,-1)", "null", 1542);
        check_error("RANGE(1,100000000)", 1504);
        check_error("RANGE(1,100000000,1)", 1504);
    }
}
