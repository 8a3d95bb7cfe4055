//! Attributes and values of objects: `ATTRIBUTES`, `VALUES`, `ENTRIES`, `HAS`, `VALUE`, `ZIP`, `TRANSLATE`.

use std::collections::HashSet;

use persea_order::{Value, View, compare_str};

use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ATTRIBUTES",
        (1, 3),
        "ATTRIBUTES(object [, removeSystem [, sort]])",
        "Names of the attributes.",
        attributes,
    ),
    Function::new("ENTRIES", (1, 1), "ENTRIES(object)", "Names and values as pairs.", entries),
    Function::new("HAS", (2, 2), "HAS(object, name)", "Whether there is such an attribute.", has),
    Function::new(
        "KEYS",
        (1, 3),
        "KEYS(object [, removeSystem [, sort]])",
        "Names of the attributes.",
        attributes,
    ),
    Function::new(
        "TRANSLATE",
        (2, 3),
        "TRANSLATE(value, lookup [, default])",
        "What a value stands for.",
        translate,
    ),
    Function::new("VALUE", (2, 2), "VALUE(object, path)", "What a path leads to.", value),
    Function::new("VALUES", (1, 2), "VALUES(object [, removeSystem])", "Values of the attributes.", values),
    Function::new("ZIP", (2, 2), "ZIP(keys, values)", "An object of names and values.", zip),
];

fn is_system(name: &str) -> bool {
    name.starts_with('_')
}

fn attributes<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let object = arg(args, 0);
    if !object.is_object() {
        return ctx.invalid_argument();
    }
    let (without_system, sorted) = (arg(args, 1).is_truthy(), arg(args, 2).is_truthy());
    let mut names = ctx.vec();
    names.extend(
        object.attributes().map(|(name, _)| name).filter(|name| !(without_system && is_system(name))),
    );
    if sorted {
        names.sort_by(|left, right| compare_str(left, right));
    }
    ctx.array(names.into_iter().map(Value::from_str))
}

fn values<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let object = arg(args, 0);
    if !object.is_object() {
        return ctx.invalid_argument();
    }
    let without_system = arg(args, 1).is_truthy();
    ctx.array(
        object.attributes().filter(|(name, _)| !(without_system && is_system(name))).map(|(_, value)| value),
    )
}

fn entries<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let object = arg(args, 0);
    if !object.is_object() {
        return ctx.invalid_argument();
    }
    let mut builder = ctx.builder();
    builder.open_array();
    for (name, value) in object.attributes() {
        builder.open_array();
        builder.add_str(name);
        builder.add(value);
        builder.close();
    }
    builder.close();
    builder.finish()
}

fn has<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(match arg(args, 0).view() {
        View::Object(object) => object.get(ctx.text(arg(args, 1))).is_some(),
        _ => false,
    }))
}

fn value<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (object, path) = (arg(args, 0), arg(args, 1));
    if !object.is_object() || !path.is_array() {
        return ctx.invalid_argument();
    }
    if path.is_empty() {
        return Ok(Value::NULL);
    }
    let mut current = object;
    for step in path.elements() {
        current = match step.view() {
            View::Str(name) => current.attribute(name),
            View::Int(_) | View::UInt(_) | View::Double(_) if current.is_array() => {
                current.element(integer(step))
            }
            View::Int(_) | View::UInt(_) | View::Double(_) => current.attribute(ctx.text(step)),
            _ => return ctx.invalid_argument(),
        };
    }
    Ok(current)
}

fn zip<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (Some(keys), Some(values)) = (ctx.members(arg(args, 0))?, ctx.members(arg(args, 1))?) else {
        return ctx.invalid_argument();
    };
    if keys.len() != values.len() {
        return ctx.invalid_argument();
    }
    let mut seen = HashSet::new();
    let mut builder = ctx.builder();
    builder.open_object();
    for (key, value) in keys.into_iter().zip(values) {
        let key = ctx.text(key);
        if seen.insert(key) {
            builder.entry(key, value);
        }
    }
    builder.close();
    builder.finish()
}

fn translate<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    let View::Object(lookup) = arg(args, 1).view() else { return ctx.invalid_argument() };
    Ok(match lookup.get(ctx.text(value)) {
        Some(found) => Value::from_slice(found),
        None if args.len() > 2 => arg(args, 2),
        None => value,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn names_and_values() {
        check("ATTRIBUTES({\"kind\":\"pear\",\"_key\":\"1\",\"_own\":true})", "[\"kind\",\"_key\",\"_own\"]");
        check("KEYS({\"kind\":\"pear\",\"_key\":\"1\",\"_own\":true},true)", "[\"kind\"]");
        check("ATTRIBUTES({\"kind\":1,\"_own\":2,\"_key\":3},false,true)", "[\"_key\",\"_own\",\"kind\"]");
        check_warning("ATTRIBUTES([1])", "null", 1542);
        check("VALUES({\"_id\":\"f/1\",\"kind\":\"pear\",\"n\":3},true)", "[\"pear\",3]");
        check("VALUES({\"_id\":\"f/1\",\"n\":[3]})", "[\"f/1\",[3]]");
        check_warning("VALUES(null)", "null", 1542);
        check("ENTRIES({\"kind\":\"pear\",\"n\":3})", "[[\"kind\",\"pear\"],[\"n\",3]]");
        check_warning("ENTRIES(3)", "null", 1542);
    }

    #[test]
    fn presence() {
        check("HAS({\"kind\":\"pear\"},\"kind\")", "true");
        check("HAS({\"kind\":null},\"kind\")", "true");
        check("HAS({\"kind\":1},\"size\")", "false");
        check("HAS({\"7\":1},7)", "true");
        check("HAS([1],\"kind\")", "false");
    }

    #[test]
    fn paths() {
        check("VALUE({\"a\":{\"b\":\"c\"}},[\"a\",\"b\"])", "\"c\"");
        check("VALUE({\"a\":[{\"b\":1},{\"b\":{\"c\":2}}]},[\"a\",1,\"b\"])", "{\"c\":2}");
        check("VALUE({\"a\":[5,6]},[\"a\",-1])", "6");
        check("VALUE({\"a\":1},[\"x\",\"y\"])", "null");
        check("VALUE({\"a\":1},[])", "null");
        check_warning("VALUE([1],[0])", "null", 1542);
        check_warning("VALUE({\"a\":1},\"a\")", "null", 1542);
    }

    #[test]
    fn zips() {
        check("ZIP([\"kind\",\"n\"],[\"pear\",[1]])", "{\"kind\":\"pear\",\"n\":[1]}");
        check("ZIP([\"a\",\"a\"],[1,2])", "{\"a\":1}");
        check("ZIP([1,true],[1,2])", "{\"1\":1,\"true\":2}");
        check("ZIP([],[])", "{}");
        check_warning("ZIP([\"a\"],[1,2])", "null", 1542);
        check_warning("ZIP(\"a\",[1])", "null", 1542);
    }

    #[test]
    fn translations() {
        check("TRANSLATE(\"p\",{\"p\":\"pear\",\"f\":\"fig\"})", "\"pear\"");
        check("TRANSLATE(42,{\"p\":1})", "42");
        check("TRANSLATE(42,{\"p\":1},\"none\")", "\"none\"");
        check("TRANSLATE(42,{\"42\":true})", "true");
        check("TRANSLATE(\"p\",{\"p\":null},1)", "null");
        check_warning("TRANSLATE(1,[])", "null", 1542);
    }
}
