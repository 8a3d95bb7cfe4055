//! Calls by name: `CALL` and `APPLY`.

use crate::function::MANY;
use persea_order::Value;

use crate::Function;
use crate::context::arg;
use crate::{Context, Error, lookup};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "APPLY",
        (1, 2),
        "APPLY(name [, arguments])",
        "Calls a function by name with a list of arguments.",
        apply,
    )
    .volatile()
    .reads()
    .no_prune(),
    Function::new("CALL", (1, MANY), "CALL(name, argument, …)", "Calls a function by name.", call)
        .volatile()
        .reads()
        .no_prune(),
];

/// Deepest nesting of calls by name inside calls by name.
const CALL_DEPTH_MAX: u32 = 64;

fn call<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(name) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    call_by_name(ctx, name, args.get(1..).unwrap_or_default())
}

fn apply<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(name) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    if args.len() < 2 {
        return call_by_name(ctx, name, &[]);
    }
    match ctx.members(arg(args, 1))? {
        Some(members) => call_by_name(ctx, name, &members),
        None => ctx.invalid_argument(),
    }
}

fn call_by_name<'a>(ctx: &Context<'a>, name: &str, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let upper = name.to_uppercase();
    let upper = upper.strip_prefix("_AQL::").unwrap_or(&upper);
    if upper.contains("::") {
        return Err(Error::UserFunctionNotFound(name.to_owned()));
    }
    let Some(function) = lookup(upper) else { return Err(Error::UnknownFunction(name.to_owned())) };
    if !function.dynamic || ctx.call_depth() > CALL_DEPTH_MAX {
        return Err(Error::DisallowedDynamicCall(function.name));
    }
    if !function.accepts(args.len()) {
        return Err(Error::ArgumentCount {
            function: function.name,
            min: function.min_args,
            max: function.max_args.unwrap_or(usize::MAX),
        });
    }
    function.evaluate(ctx, args)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn calls() {
        check("CALL(\"SUBSTRING\",\"a green pear\",0,7)", "\"a green\"");
        check("CALL(\"_aql::abs\",-2)", "2");
        check("CALL(\"PI\")", "3.141592653589793");
        check("APPLY(\"substring\",[\"a green pear\",0,7])", "\"a green\"");
        check("APPLY(\"PI\")", "3.141592653589793");
        check("CALL(\"CALL\",\"CALL\",\"ABS\",-3)", "3");
    }

    #[test]
    fn refusals() {
        check_error("CALL(\"NO_SUCH\")", 1540);
        check_error("CALL(\"MY::OWN\")", 1582);
        check_error("CALL(\"ABS\")", 1541);
        check_error("APPLY(\"ABS\",[1,2])", 1541);
        check_warning("APPLY(\"ABS\",1)", "null", 1542);
        check_warning("CALL(1)", "null", 1542);
        // The warning is that of the function called.
        check_warning("CALL(\"FIRST\",1)", "null", 1563);
    }
}
