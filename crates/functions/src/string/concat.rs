//! `CONCAT`, `CONCAT_SEPARATOR`, `REPEAT`.

use crate::function::MANY;
use persea_order::Value;

use crate::context::{arg, check_text};
use crate::numeric::integer;
use crate::warnings::RESOURCE_LIMIT;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("CONCAT", (1, MANY), "CONCAT(value, …)", "The values as one text.", concat),
    Function::new(
        "CONCAT_SEPARATOR",
        (2, MANY),
        "CONCAT_SEPARATOR(separator, value, …)",
        "The values as one text, with a separator in between.",
        concat_separator,
    ),
    Function::new(
        "REPEAT",
        (2, 3),
        "REPEAT(text, count [, separator])",
        "The text a number of times.",
        repeat,
    ),
];

fn concat<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    joined(ctx, args, "")
}

fn concat_separator<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let separator = ctx.text(arg(args, 0));
    joined(ctx, args.get(1..).unwrap_or_default(), separator)
}

/// Joins the values, or the members of the only value if that is an array. Nulls leave nothing behind.
fn joined<'a>(ctx: &Context<'a>, values: &[Value<'a>], separator: &str) -> Result<Value<'a>, Error> {
    let mut text = ctx.string_buffer();
    let mut is_first = true;
    let mut push = |value: Value<'a>| {
        if value.is_null() {
            return Ok(());
        }
        if !is_first {
            text.push_str(separator);
        }
        is_first = false;
        text.push_str(ctx.text(value));
        check_text(text.len())
    };
    match values {
        [list] if list.is_array() => ctx.elements(*list).try_for_each(&mut push)?,
        _ => values.iter().copied().try_for_each(&mut push)?,
    }
    Ok(Value::from_str(text.into_bump_str()))
}

fn repeat<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    const RESULT_MAX_BYTES: usize = 16 << 20;
    let text = ctx.text(arg(args, 0));
    let separator = ctx.text(arg(args, 2));
    let Ok(count) = usize::try_from(integer(arg(args, 1))) else { return ctx.invalid_argument() };
    if count == 0 {
        return Ok(Value::from_str(""));
    }
    let length = (text.len() + separator.len()).saturating_mul(count) - separator.len();
    if length > RESULT_MAX_BYTES {
        return ctx.warn(RESOURCE_LIMIT, "resource limit exceeded");
    }
    if length == 0 {
        return Ok(Value::from_str(""));
    }
    ctx.check_room(length)?;
    let mut result = bumpalo::collections::String::with_capacity_in(length, ctx.arena);
    for repetition in 0..count {
        ctx.work(1)?;
        if repetition > 0 {
            result.push_str(separator);
        }
        result.push_str(text);
    }
    Ok(Value::from_str(result.into_bump_str()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn joins_texts() {
        check("CONCAT(\"pear\",\"plum\",\"fig\")", "\"pearplumfig\"");
        check("CONCAT(null,true,7,false,\"\")", "\"true7false\"");
        check("CONCAT(\"x\",[1,\"2\"],{\"y\":3})", "\"x[1,\\\"2\\\"]{\\\"y\\\":3}\"");
        check("CONCAT([4,5,6])", "\"456\"");
        check("CONCAT(4..6)", "\"456\"");
        check("CONCAT([[4,5],{\"a\":\"b\"}])", "\"[4,5]{\\\"a\\\":\\\"b\\\"}\"");
        check(
            "CONCAT([1,\"Big\"],\"\",null,[\"Bad\"],false,\"Wolf\")",
            "\"[1,\\\"Big\\\"][\\\"Bad\\\"]falseWolf\"",
        );
        check("CONCAT([null,1])", "\"1\"");
        check("CONCAT([])", "\"\"");
    }

    #[test]
    fn joins_with_separator() {
        check("CONCAT_SEPARATOR(\"; \",\"pear\",\"plum\")", "\"pear; plum\"");
        check("CONCAT_SEPARATOR(\"; \",null,false,7,\"\")", "\"false; 7; \"");
        check("CONCAT_SEPARATOR(\"; \",[1,2],{\"a\":1})", "\"[1,2]; {\\\"a\\\":1}\"");
        check("CONCAT_SEPARATOR(\"; \",[\"pear\",null,\"plum\"])", "\"pear; plum\"");
        check("CONCAT_SEPARATOR(null,\"no\",\"no\")", "\"nono\"");
        check("CONCAT_SEPARATOR([],\"no\",\"no\")", "\"no[]no\"");
        check("CONCAT_SEPARATOR(\"*/\",\"a\",null,\"\",\"b\")", "\"a*/*/b\"");
    }

    #[test]
    fn repeats() {
        check("REPEAT(\"ab\",3)", "\"ababab\"");
        check("REPEAT(\"ab\",2,\" + \")", "\"ab + ab\"");
        check("REPEAT(7,3)", "\"777\"");
        check("REPEAT(\"ab\",0)", "\"\"");
        check("REPEAT(\"\",1000000000000)", "\"\"");
        check_warning("REPEAT(\"ab\",-1)", "null", 1542);
        check_warning("REPEAT(\"ab\",100000000)", "null", 32);
    }
}
