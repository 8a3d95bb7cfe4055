//! `MATCHES`: whether an object has all attributes of an example.

use persea_order::{Value, equal};

use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "MATCHES",
    (2, 3),
    "MATCHES(object, examples [, returnIndex])",
    "Whether, or which, example the object matches.",
    matches,
)];

fn matches<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (document, examples) = (arg(args, 0), arg(args, 1));
    let found = if document.is_object() { position_of_match(ctx, document, examples)? } else { None };
    if arg(args, 2).is_truthy() {
        return Ok(Value::from_i64(found.map_or(-1, |at| at as i64)));
    }
    Ok(Value::from_bool(found.is_some()))
}

fn position_of_match<'a>(
    ctx: &Context<'a>,
    document: Value<'a>,
    examples: Value<'a>,
) -> Result<Option<usize>, Error> {
    let mut list = ctx.vec();
    match ctx.members(examples)? {
        Some(members) => list = members,
        None => list.push(examples),
    }
    for (at, example) in list.into_iter().enumerate() {
        if !example.is_object() {
            ctx.invalid_argument()?;
            continue;
        }
        if example.attributes().all(|(name, wanted)| equal(document.attribute(name), wanted)) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn examples() {
        check("MATCHES({\"kind\":\"pear\",\"n\":3,\"ripe\":true},{\"n\":3.0,\"ripe\":true})", "true");
        check("MATCHES({\"kind\":\"pear\"},{\"kind\":\"fig\"})", "false");
        check("MATCHES({\"n\":1},[{\"n\":1,\"x\":2},{\"y\":1},{\"n\":1}],true)", "2");
        check("MATCHES({\"n\":1},[{\"n\":2}],true)", "-1");
        check("MATCHES({\"n\":1},{\"n\":1},true)", "0");
        check("MATCHES({\"n\":1},{})", "true");
        check("MATCHES({\"n\":1},{\"gone\":null})", "true");
        check("MATCHES(7,{})", "false");
        check("MATCHES(7,{},true)", "-1");
        check_warning("MATCHES({\"n\":1},[5,{\"n\":1}],true)", "1", 1542);
        check_warning("MATCHES({\"n\":1},5)", "false", 1542);
    }
}
