//! Choosing, checking and passing on values: `NOT_NULL`, `FIRST_LIST`, `FIRST_DOCUMENT`, `MIN_MATCH`, `IN_RANGE`,
//! `ASSERT`, `WARN`, `FAIL`, `SLEEP`, `NOOPT` and its kin.

use crate::function::MANY;
use std::cmp::Ordering;
use std::time::{Duration, Instant};

use persea_order::{Value, compare};

use crate::context::arg;
use crate::numeric::{integer, strict_number};
use crate::warnings::USER_WARN;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ANALYZER",
        (2, 2),
        "ANALYZER(expression, analyzer)",
        "The expression; sets the analyzer inside of a search.",
        pass_through,
    ),
    Function::new(
        "ASSERT",
        (2, 2),
        "ASSERT(condition, message)",
        "Ends the query if a condition does not hold.",
        assert,
    )
    .effect()
    .lazy(),
    Function::new(
        "BOOST",
        (2, 2),
        "BOOST(expression, boost)",
        "The expression; weighs it inside of a search.",
        pass_through,
    ),
    Function::new("FAIL", (0, 1), "FAIL([message])", "Ends the query.", fail).effect(),
    Function::new(
        "FIRST_DOCUMENT",
        (1, MANY),
        "FIRST_DOCUMENT(value, …)",
        "The first value that is an object.",
        first_document,
    )
    .lazy(),
    Function::new(
        "FIRST_LIST",
        (1, MANY),
        "FIRST_LIST(value, …)",
        "The first value that is an array.",
        first_list,
    )
    .lazy(),
    Function::new(
        "IN_RANGE",
        (5, 5),
        "IN_RANGE(value, low, high, includeLow, includeHigh)",
        "Whether a value lies between two others.",
        in_range,
    ),
    Function::new(
        "MIN_MATCH",
        (2, MANY),
        "MIN_MATCH(condition, …, minMatchCount)",
        "Whether enough conditions hold.",
        min_match,
    )
    .lazy(),
    Function::new("NOEVAL", (1, 1), "NOEVAL(value)", "The value, not computed while planning.", pass_through)
        .uncached()
        .unfoldable()
        .lazy(),
    Function::new("NOOPT", (1, 1), "NOOPT(value)", "The value, hidden from the optimizer.", pass_through)
        .volatile()
        .lazy(),
    Function::new("NOT_NULL", (1, MANY), "NOT_NULL(value, …)", "The first value that is not null.", not_null)
        .lazy(),
    Function::new("PASSTHRU", (1, 1), "PASSTHRU(value)", "The value.", pass_through).lazy(),
    Function::new("SLEEP", (1, 1), "SLEEP(seconds)", "Waits.", sleep).volatile(),
    Function::new("V8", (1, 1), "V8(value)", "The value.", pass_through).no_prune().lazy(),
    Function::new("WARN", (2, 2), "WARN(condition, message)", "Warns if a condition does not hold.", warn)
        .effect()
        .lazy(),
];

fn not_null<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(args.iter().copied().find(|value| !value.is_null()).unwrap_or(Value::NULL))
}

fn first_list<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(args.iter().copied().find(|value| value.is_array()).unwrap_or(Value::NULL))
}

fn first_document<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(args.iter().copied().find(|value| value.is_object()).unwrap_or(Value::NULL))
}

fn min_match<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some((n_wanted, conditions)) = args.split_last() else { return ctx.invalid_argument() };
    if !n_wanted.is_number() {
        return ctx.invalid_argument();
    }
    let n_true = conditions.iter().filter(|condition| condition.is_truthy()).count();
    Ok(Value::from_bool(n_true as i64 >= integer(*n_wanted)))
}

fn in_range<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (Some(with_low), Some(with_high)) = (arg(args, 3).as_bool(), arg(args, 4).as_bool()) else {
        return ctx.invalid_argument();
    };
    let value = arg(args, 0);
    let above = match compare(value, arg(args, 1)) {
        Ordering::Equal => with_low,
        ordering => ordering == Ordering::Greater,
    };
    let below = match compare(value, arg(args, 2)) {
        Ordering::Equal => with_high,
        ordering => ordering == Ordering::Less,
    };
    Ok(Value::from_bool(above && below))
}

fn assert<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if arg(args, 0).is_truthy() {
        return Ok(Value::TRUE);
    }
    Err(Error::Assert(ctx.text(arg(args, 1)).to_owned()))
}

fn warn<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if arg(args, 0).is_truthy() {
        return Ok(Value::TRUE);
    }
    ctx.env.warnings().register(USER_WARN, format_args!("{}", ctx.text(arg(args, 1))))?;
    Ok(Value::FALSE)
}

fn fail<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::Fail(ctx.text(arg(args, 0)).to_owned()))
}

/// The first argument as it is: for functions that only tell the optimizer something.
fn pass_through<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(arg(args, 0))
}

fn sleep<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    // How long a query that has to end may still sleep.
    const SLICE: Duration = Duration::from_millis(20);
    let duration = strict_number(arg(args, 0)).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let Some(duration) = duration else { return ctx.invalid_argument() };
    let start = Instant::now();
    while let Some(rest) = duration.checked_sub(start.elapsed()).filter(|rest| !rest.is_zero()) {
        ctx.check()?;
        std::thread::sleep(rest.min(SLICE));
    }
    Ok(Value::NULL)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning, with_environment};
    use crate::{Environment, Warnings};

    #[test]
    fn choices() {
        check("NOT_NULL(null,0,1)", "0");
        check("NOT_NULL(null,null)", "null");
        check("FIRST_LIST(1,{},[2],[3])", "[2]");
        check("FIRST_LIST(1)", "null");
        check("FIRST_DOCUMENT(1,[2],{\"a\":1})", "{\"a\":1}");
        check("FIRST_DOCUMENT(null)", "null");
        check("PASSTHRU([1])", "[1]");
        check("NOOPT(\"a\")", "\"a\"");
        check("NOEVAL(1)", "1");
        check("V8(1)", "1");
    }

    #[test]
    fn conditions() {
        check("MIN_MATCH(true,false,1,2)", "true");
        check("MIN_MATCH(true,false,0,2)", "false");
        check("IN_RANGE(4,3,5,true,true)", "true");
        check("IN_RANGE(3,3,5,false,true)", "false");
        check("IN_RANGE(5,3,5,false,true)", "true");
        check("IN_RANGE(\"fig tart\",\"fi\",\"fj\",true,false)", "true");
        check("IN_RANGE(\"1\",0,2,true,true)", "false");
        check_warning("IN_RANGE(1,0,2,1,true)", "null", 1542);
    }

    #[test]
    fn verdicts() {
        check("ASSERT(true,\"no\")", "true");
        check_error("ASSERT(0,\"no\")", 1593);
        check("WARN(1,\"no\")", "true");
        check_warning("WARN(null,\"no\")", "false", 1594);
        check_error("FAIL(\"no\")", 1569);
        check_error("FAIL()", 1569);
    }

    #[test]
    fn sleeping() {
        check("SLEEP(0.01)", "null");
        check_warning("SLEEP(-1)", "null", 1542);
        check_warning("SLEEP(\"1\")", "null", 1542);
    }

    #[test]
    fn warnings_are_bounded_and_may_be_errors() {
        let env = Environment::new().with_database("_system").with_warnings(Warnings::new(0, false));
        assert!(with_environment(&env, "FIRST(1)").warnings.is_empty());
        let env = Environment::new().with_database("_system").with_warnings(Warnings::new(10, true));
        assert_eq!(with_environment(&env, "FIRST(1)").result, Err(1563));
    }

    #[test]
    fn planning_is_no_query() {
        for call in ["NOEVAL(1)", "DATE_NOW()", "CURRENT_DATABASE()", "RAND()", "FAIL(\"no\")"] {
            assert_eq!(with_environment(&Environment::new(), call).result, Err(10), "{call}");
        }
        assert_eq!(with_environment(&Environment::new(), "ABS(-1)").result, Ok("1".to_owned()));
    }

    #[test]
    fn warning_texts() {
        let env = Environment::new().with_database("_system");
        let ctx = crate::Context::new(env_arena(), &env, &crate::NoDocuments);
        for name in ["FIRST", "KEEP"] {
            let one = persea_order::Value::from_i64(1);
            crate::lookup(name).unwrap().evaluate(&ctx, &[one, one]).unwrap();
        }
        let texts: Vec<String> = env.warnings().take().into_iter().map(|warning| warning.message).collect();
        assert_eq!(
            texts,
            ["in function 'FIRST()': array expected", "invalid argument type in call to function 'KEEP()'"]
        );
    }

    fn env_arena() -> &'static bumpalo::Bump {
        Box::leak(Box::new(bumpalo::Bump::new()))
    }
}
