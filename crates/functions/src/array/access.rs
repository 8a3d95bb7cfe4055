//! Reading arrays: `LENGTH`, `FIRST`, `LAST`, `NTH`, `POSITION`, `SLICE`.

use persea_order::{Value, View, equal};

use crate::context::arg;
use crate::numeric::integer;
use crate::string::char_count;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CONTAINS_ARRAY",
        (2, 3),
        "CONTAINS_ARRAY(list, search [, returnIndex])",
        "Whether, or where, a list has a member.",
        position,
    ),
    Function::new(
        "COUNT",
        (1, 1),
        "COUNT(value)",
        "Number of members, attributes, characters, or documents.",
        length,
    )
    .counts_collection()
    .lazy(),
    Function::new("FIRST", (1, 1), "FIRST(list)", "First member.", first).lazy(),
    Function::new("LAST", (1, 1), "LAST(list)", "Last member.", last).lazy(),
    Function::new(
        "LENGTH",
        (1, 1),
        "LENGTH(value)",
        "Number of members, attributes, characters, or documents.",
        length,
    )
    .counts_collection()
    .lazy(),
    Function::new("NTH", (2, 2), "NTH(list, position)", "Member at a position.", nth).lazy(),
    Function::new(
        "POSITION",
        (2, 3),
        "POSITION(list, search [, returnIndex])",
        "Whether, or where, a list has a member.",
        position,
    ),
    Function::new("SLICE", (2, 3), "SLICE(list, start [, length])", "A part of the list.", slice),
];

/// Characters of a string or number, members of an array, attributes of an object.
fn length<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    let length = match value.view() {
        View::Null => 0,
        View::Bool(flag) => usize::from(flag),
        View::Array(_) | View::Object(_) | View::Range(..) => value.len(),
        View::Str(text) => char_count(text),
        _ => ctx.text(value).len(),
    };
    Ok(Value::from_u64(length as u64))
}

fn first<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if list.is_array() { Ok(list.element(0)) } else { ctx.array_expected() }
}

fn last<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if list.is_array() { Ok(list.element(-1)) } else { ctx.array_expected() }
}

fn nth<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected();
    }
    let position = integer(arg(args, 1));
    Ok(if position < 0 { Value::NULL } else { list.element(position) })
}

fn position<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, wanted) = (arg(args, 0), arg(args, 1));
    if !list.is_array() {
        return ctx.array_expected();
    }
    let found = ctx.elements(list).position(|member| equal(member, wanted));
    if !arg(args, 2).is_truthy() {
        return Ok(Value::from_bool(found.is_some()));
    }
    Ok(Value::from_i64(found.map_or(-1, |at| at as i64)))
}

fn slice<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    let length = list.len() as i64;
    let from_end =
        |position: i64| if position < 0 { length.saturating_add(position).max(0) } else { position };
    let start = from_end(integer(arg(args, 1)));
    let end = match arg(args, 2) {
        count if count.is_null() => length,
        count => match integer(count) {
            // A negative count is an end counted from the back.
            count if count < 0 => from_end(count),
            count => start.saturating_add(count),
        },
    };
    let n_members = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    ctx.array(ctx.elements(list).skip(usize::try_from(start).unwrap_or(usize::MAX)).take(n_members))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn lengths() {
        check("LENGTH(\"🥑é\")", "2");
        check("LENGTH(12345)", "5");
        check("LENGTH(-1.5)", "4");
        check("COUNT([1,2,[3,4]])", "3");
        check("LENGTH(5..9)", "5");
        check("LENGTH({\"a\":1,\"b\":{\"c\":2}})", "2");
        check("LENGTH(true)", "1");
        check("LENGTH(false)", "0");
        check("LENGTH(null)", "0");
    }

    #[test]
    fn members() {
        check("FIRST([7,8,9])", "7");
        check("FIRST([])", "null");
        check("FIRST(4..2)", "4");
        check_warning("FIRST(\"pear\")", "null", 1563);
        check("LAST([7,8,9])", "9");
        check("LAST([])", "null");
        check_warning("LAST({})", "null", 1563);
        check("NTH([\"a\",\"b\"],1)", "\"b\"");
        check("NTH([\"a\",\"b\"],1.9)", "\"b\"");
        check("NTH([\"a\",\"b\"],2)", "null");
        check("NTH([\"a\",\"b\"],-1)", "null");
        check_warning("NTH(1,1)", "null", 1563);
    }

    #[test]
    fn long_ranges() {
        check("LENGTH(1..1000000000000)", "1000000000000");
        check("LAST(1..1000000000000)", "1000000000000");
        check("NTH(1..1000000000000,7)", "8");
        check_error("POSITION(1..1000000000000,7)", 1504);
        check_error("SUM(1..1000000000000)", 1504);
        check_error("TO_STRING(1..1000000000000)", 1504);
    }

    #[test]
    fn positions() {
        check("POSITION([3,5,7],5)", "true");
        check("CONTAINS_ARRAY([3,5,7],4)", "false");
        check("POSITION([3,5,7],5.0,true)", "1");
        check("POSITION([3,5,7],4,true)", "-1");
        check("POSITION([{\"a\":1,\"b\":2}],{\"b\":2,\"a\":1})", "true");
        check_warning("POSITION(3,3)", "null", 1563);
    }

    #[test]
    fn slices() {
        check("SLICE([5,6,7,8,9],0,1)", "[5]");
        check("SLICE([5,6,7,8,9],1,2)", "[6,7]");
        check("SLICE([5,6,7,8,9],3)", "[8,9]");
        check("SLICE([5,6,7,8,9],3,null)", "[8,9]");
        check("SLICE([5,6,7,8,9],1,-1)", "[6,7,8]");
        check("SLICE([5,6,7,8,9],0,-2)", "[5,6,7]");
        check("SLICE([5,6,7,8,9],-3,2)", "[7,8]");
        check("SLICE([5,6,7,8,9],-99,2)", "[5,6]");
        check("SLICE([5,6,7,8,9],7)", "[]");
        check("SLICE([5,6,7,8,9],4,-3)", "[]");
        check("SLICE(5..9,1,2)", "[6,7]");
        check_warning("SLICE(5,0)", "null", 1542);
    }
}
