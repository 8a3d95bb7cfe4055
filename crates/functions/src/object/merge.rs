//! `MERGE` and `MERGE_RECURSIVE`: one object out of several; for equal names the last value wins.

use crate::function::MANY;
use bumpalo::collections::Vec as BumpVec;
use persea_order::{Value, View};

use crate::builder::ArenaBuilder;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("MERGE", (1, MANY), "MERGE(object, …)", "One object with the attributes of all.", merge),
    Function::new(
        "MERGE_RECURSIVE",
        (1, MANY),
        "MERGE_RECURSIVE(object, …)",
        "One object with the attributes of all, at all levels.",
        merge_recursive,
    ),
];

/// The objects to merge: the arguments, or the members of the only argument if that is an array.
fn objects<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Option<BumpVec<'a, Value<'a>>>, Error> {
    let mut objects = ctx.vec();
    match args {
        [list] if list.is_array() => match ctx.members(*list)? {
            Some(members) => objects = members,
            None => return Ok(None),
        },
        _ => objects.extend(args.iter().copied()),
    }
    Ok(objects.iter().all(|object| object.is_object()).then_some(objects))
}

fn merge<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(objects) = objects(ctx, args)? else { return ctx.invalid_argument() };
    if let [single] = objects.as_slice() {
        return Ok(*single);
    }
    let mut builder = ctx.builder();
    builder.open_object();
    for (name, value) in objects.iter().flat_map(|object| object.attributes()) {
        builder.entry(name, value);
    }
    builder.close();
    builder.finish()
}

fn merge_recursive<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(objects) = objects(ctx, args)? else { return ctx.invalid_argument() };
    let mut builder = ctx.builder();
    add_merged(ctx, &mut builder, &objects, persea_vpack::DEPTH_MAX);
    builder.finish()
}

fn attribute_of<'a>(object: Value<'a>, name: &str) -> Option<Value<'a>> {
    match object.view() {
        View::Object(slice) => slice.get(name).map(Value::from_slice),
        _ => None,
    }
}

fn add_merged<'a>(ctx: &Context<'a>, builder: &mut ArenaBuilder<'a>, objects: &[Value<'a>], n_levels: usize) {
    builder.open_object();
    for (at, object) in objects.iter().enumerate() {
        let (before, from_here) = objects.split_at(at);
        for (name, _) in object.attributes() {
            // Each name is written where it first occurs.
            if before.iter().any(|earlier| attribute_of(*earlier, name).is_some()) {
                continue;
            }
            builder.key(name);
            add_merged_attribute(ctx, builder, from_here, name, n_levels);
        }
    }
    builder.close();
}

/// A value that is no object covers all before it; the objects after it are merged with each other.
fn add_merged_attribute<'a>(
    ctx: &Context<'a>,
    builder: &mut ArenaBuilder<'a>,
    objects: &[Value<'a>],
    name: &str,
    n_levels: usize,
) {
    let mut values = ctx.vec();
    values.extend(objects.iter().filter_map(|object| attribute_of(*object, name)));
    let covered = values.iter().rposition(|value| !value.is_object());
    let visible = values.get(covered.map_or(0, |at| at + 1)..).unwrap_or_default();
    match (visible, values.last()) {
        ([_, _, ..], _) if n_levels > 0 => add_merged(ctx, builder, visible, n_levels - 1),
        (_, Some(last)) => builder.add(*last),
        (_, None) => builder.add(Value::NULL),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn merges() {
        check("MERGE({\"a\":{\"x\":1}},{\"b\":{\"y\":2}})", "{\"a\":{\"x\":1},\"b\":{\"y\":2}}");
        check("MERGE({\"a\":{\"x\":1}},{\"a\":{\"y\":2}})", "{\"a\":{\"y\":2}}");
        check("MERGE([{\"a\":1},{\"b\":2,\"c\":3},{\"d\":4,\"a\":5}])", "{\"a\":5,\"b\":2,\"c\":3,\"d\":4}");
        check("MERGE({\"a\":1})", "{\"a\":1}");
        check("MERGE([])", "{}");
        check_warning("MERGE({},1)", "null", 1542);
        check_warning("MERGE([{},null])", "null", 1542);
        check_warning("MERGE(null)", "null", 1542);
    }

    #[test]
    fn merges_recursively() {
        check(
            "MERGE_RECURSIVE({\"p\":{\"name\":\"Ann\",\"at\":{\"city\":\"Ulm\"}}},{\"p\":{\"age\":7,\"at\":{\"zip\":1}}})",
            "{\"p\":{\"name\":\"Ann\",\"at\":{\"city\":\"Ulm\",\"zip\":1},\"age\":7}}",
        );
        check("MERGE_RECURSIVE([{\"a\":[1]},{\"a\":[2]}])", "{\"a\":[2]}");
        check("MERGE_RECURSIVE({\"a\":{\"x\":1}},{\"a\":2},{\"a\":{\"y\":3}})", "{\"a\":{\"y\":3}}");
        check("MERGE_RECURSIVE({\"a\":{\"x\":1}},{\"a\":2})", "{\"a\":2}");
        check("MERGE_RECURSIVE({\"a\":1},{\"b\":2},{\"c\":3})", "{\"a\":1,\"b\":2,\"c\":3}");
        check_warning("MERGE_RECURSIVE({},[])", "null", 1542);
    }
}
