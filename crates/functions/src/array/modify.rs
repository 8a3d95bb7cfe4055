//! Arrays with members added, removed or replaced: `APPEND`, `PUSH`, `UNSHIFT`, `POP`, `SHIFT`, `REMOVE_NTH`,
//! `REMOVE_VALUE`, `REMOVE_VALUES`, `REPLACE_NTH`.

use persea_order::{Value, equal};

use super::distinct::DistinctValues;
use crate::context::{RANGE_MEMBERS_MAX, arg, check_text};
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "APPEND",
        (2, 3),
        "APPEND(list, values [, unique])",
        "A list with more members at its end.",
        append,
    ),
    Function::new("POP", (1, 1), "POP(list)", "The list without its last member.", pop),
    Function::new(
        "PUSH",
        (2, 3),
        "PUSH(list, value [, unique])",
        "The list with a member added at its end.",
        push,
    ),
    Function::new(
        "REMOVE_NTH",
        (2, 2),
        "REMOVE_NTH(list, position)",
        "The list without the member at a position.",
        remove_nth,
    ),
    Function::new(
        "REMOVE_VALUE",
        (2, 3),
        "REMOVE_VALUE(list, value [, limit])",
        "The list without a value.",
        remove_value,
    ),
    Function::new(
        "REMOVE_VALUES",
        (2, 2),
        "REMOVE_VALUES(list, values)",
        "The list without several values.",
        remove_values,
    ),
    Function::new(
        "REPLACE_NTH",
        (3, 4),
        "REPLACE_NTH(list, position, value [, padding])",
        "The list with another member at a position.",
        replace_nth,
    ),
    Function::new("SHIFT", (1, 1), "SHIFT(list)", "The list without its first member.", shift),
    Function::new(
        "UNSHIFT",
        (2, 3),
        "UNSHIFT(list, value [, unique])",
        "The list with a member added at its start.",
        unshift,
    ),
];

fn append<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, added) = (arg(args, 0), arg(args, 1));
    let adds_nothing = added.is_null() || (added.is_array() && added.is_empty());
    if list.is_null() {
        return Ok(added);
    }
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    if adds_nothing {
        return Ok(list);
    }
    let single = (!added.is_array()).then_some(added);
    let all = list.elements().chain(added.elements()).chain(single);
    if !arg(args, 2).is_truthy() {
        return ctx.array(all);
    }
    let mut distinct = DistinctValues::new(ctx);
    ctx.watch(all).for_each(|member| {
        distinct.insert(member);
    });
    ctx.array(distinct.values())
}

fn push<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, value) = (arg(args, 0), arg(args, 1));
    match one_more(ctx, args)? {
        OneMore::Answer(answer) => Ok(answer),
        OneMore::Add => ctx.array(list.elements().chain([value])),
    }
}

fn unshift<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, value) = (arg(args, 0), arg(args, 1));
    match one_more(ctx, args)? {
        OneMore::Answer(answer) => Ok(answer),
        OneMore::Add => ctx.array([value].into_iter().chain(list.elements())),
    }
}

enum OneMore<'a> {
    Add,
    Answer(Value<'a>),
}

/// Whether `PUSH` and `UNSHIFT` have to add their value, or what they answer otherwise.
fn one_more<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<OneMore<'a>, Error> {
    let (list, value) = (arg(args, 0), arg(args, 1));
    if list.is_null() {
        return ctx.array([value]).map(OneMore::Answer);
    }
    if !list.is_array() {
        return ctx.invalid_argument().map(OneMore::Answer);
    }
    if arg(args, 2).is_truthy() && ctx.elements(list).any(|member| equal(member, value)) {
        return Ok(OneMore::Answer(list));
    }
    Ok(OneMore::Add)
}

fn pop<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if list.is_null() {
        return Ok(list);
    }
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    ctx.array(list.elements().take(list.len().saturating_sub(1)))
}

fn shift<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if list.is_null() {
        return Ok(list);
    }
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    ctx.array(list.elements().skip(1))
}

fn remove_nth<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if list.is_null() {
        return ctx.array([]);
    }
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    let length = list.len() as i64;
    let position = integer(arg(args, 1));
    if position >= length || position < -length {
        return Ok(list);
    }
    let removed = if position < 0 { length + position } else { position };
    ctx.array(
        ctx.elements(list).enumerate().filter(|(at, _)| *at as i64 != removed).map(|(_, member)| member),
    )
}

fn remove_value<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, value) = (arg(args, 0), arg(args, 1));
    if list.is_null() {
        return ctx.array([]);
    }
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    // A negative limit never runs out.
    let mut n_left = match arg(args, 2) {
        limit if limit.is_null() => -1,
        limit => integer(limit),
    };
    ctx.array(ctx.elements(list).filter(|member| {
        let removes = n_left != 0 && equal(*member, value);
        n_left = n_left.saturating_sub(i64::from(removes));
        !removes
    }))
}

fn remove_values<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, values) = (arg(args, 0), arg(args, 1));
    if list.is_null() {
        return ctx.array([]);
    }
    if values.is_null() {
        return Ok(list);
    }
    if !list.is_array() || !values.is_array() {
        return ctx.invalid_argument();
    }
    let mut removed = DistinctValues::new(ctx);
    ctx.elements(values).for_each(|value| {
        removed.insert(value);
    });
    ctx.array(ctx.elements(list).filter(|member| removed.find(*member).is_none()))
}

fn replace_nth<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (list, position, value) = (arg(args, 0), arg(args, 1), arg(args, 2));
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    if position.is_null() {
        return Err(Error::ArgumentType(ctx.function()));
    }
    let length = list.len() as i64;
    let position = match integer(position) {
        position if position < 0 => length.saturating_add(position).max(0),
        position => position,
    };
    if position > length && args.len() < 4 {
        return Err(Error::ArgumentType(ctx.function()));
    }
    if position.unsigned_abs() >= RANGE_MEMBERS_MAX {
        return Err(Error::OutOfRange);
    }
    let n_padding = usize::try_from(position - length).unwrap_or(0);
    let padding_bytes = arg(args, 3).as_slice().map_or(0, |slice| slice.byte_size());
    let padding_bytes = padding_bytes.max(arg(args, 3).as_str().map_or(0, str::len));
    check_text(padding_bytes.saturating_mul(n_padding))?;
    let padding = std::iter::repeat_n(arg(args, 3), n_padding);
    let before = list.elements().take(position as usize);
    let after = list.elements().skip(position as usize + 1);
    ctx.array(before.chain(padding).chain([value]).chain(after))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn appends() {
        check("APPEND([1,2],[5,6])", "[1,2,5,6]");
        check("APPEND([1,2,2],[2,5],true)", "[1,2,5]");
        check("APPEND([1],2)", "[1,2]");
        check("APPEND([1],null)", "[1]");
        check("APPEND([1],[])", "[1]");
        check("APPEND(null,[1])", "[1]");
        check("APPEND(1..2,3..4)", "[1,2,3,4]");
        check_warning("APPEND(1,[2])", "null", 1542);
    }

    #[test]
    fn pushes() {
        check("PUSH([1,2],3)", "[1,2,3]");
        check("PUSH([1,2,2],2,true)", "[1,2,2]");
        check("PUSH([1],2,true)", "[1,2]");
        check("PUSH(null,2)", "[2]");
        check("PUSH([],null)", "[null]");
        check_warning("PUSH(1,2)", "null", 1542);
        check("UNSHIFT([1,2],3)", "[3,1,2]");
        check("UNSHIFT([1,2],2,true)", "[1,2]");
        check("UNSHIFT(null,2)", "[2]");
        check_warning("UNSHIFT({},2)", "null", 1542);
    }

    #[test]
    fn pops() {
        check("POP([1,2,3])", "[1,2]");
        check("POP([1])", "[]");
        check("POP([])", "[]");
        check("POP(null)", "null");
        check_warning("POP(\"x\")", "null", 1542);
        check("SHIFT([1,2,3])", "[2,3]");
        check("SHIFT([])", "[]");
        check("SHIFT(null)", "null");
        check_warning("SHIFT(7)", "null", 1542);
    }

    #[test]
    fn removals() {
        check("REMOVE_NTH([\"a\",\"b\",\"c\"],1)", "[\"a\",\"c\"]");
        check("REMOVE_NTH([\"a\",\"b\",\"c\"],-2)", "[\"a\",\"c\"]");
        check("REMOVE_NTH([\"a\",\"b\",\"c\"],3)", "[\"a\",\"b\",\"c\"]");
        check("REMOVE_NTH([\"a\",\"b\",\"c\"],-4)", "[\"a\",\"b\",\"c\"]");
        check("REMOVE_NTH(null,1)", "[]");
        check_warning("REMOVE_NTH(1,1)", "null", 1542);
        check("REMOVE_VALUE([\"a\",\"b\",\"a\"],\"a\")", "[\"b\"]");
        check("REMOVE_VALUE([\"a\",\"b\",\"a\"],\"a\",1)", "[\"b\",\"a\"]");
        check("REMOVE_VALUE([\"a\",\"b\",\"a\"],\"a\",0)", "[\"a\",\"b\",\"a\"]");
        check("REMOVE_VALUE(null,\"a\")", "[]");
        check_warning("REMOVE_VALUE(\"a\",\"a\")", "null", 1542);
        check("REMOVE_VALUES([\"a\",\"b\",\"c\",\"a\"],[\"a\",\"c\",\"x\"])", "[\"b\"]");
        check("REMOVE_VALUES([1,2],null)", "[1,2]");
        check("REMOVE_VALUES(null,[1])", "[]");
        check("REMOVE_VALUES(1..20,3..19)", "[1,2,20]");
        check_warning("REMOVE_VALUES([1],1)", "null", 1542);
    }

    #[test]
    fn replacements() {
        check("REPLACE_NTH([\"a\",\"b\",\"c\"],1,\"z\")", "[\"a\",\"z\",\"c\"]");
        check("REPLACE_NTH([\"a\",\"b\",\"c\"],3,\"z\")", "[\"a\",\"b\",\"c\",\"z\"]");
        check("REPLACE_NTH([\"a\",\"b\"],4,\"z\",\"y\")", "[\"a\",\"b\",\"y\",\"y\",\"z\"]");
        check("REPLACE_NTH([\"a\",\"b\"],3,\"z\",null)", "[\"a\",\"b\",null,\"z\"]");
        check("REPLACE_NTH([\"a\",\"b\",\"c\"],-1,\"z\")", "[\"a\",\"b\",\"z\"]");
        check("REPLACE_NTH([\"a\",\"b\",\"c\"],-9,\"z\")", "[\"z\",\"b\",\"c\"]");
        check_error("REPLACE_NTH([\"a\",\"b\"],4,\"z\")", 1542);
        check_error("REPLACE_NTH([\"a\",\"b\"],null,\"z\")", 1542);
        check_error("REPLACE_NTH([],1e15,\"z\",0)", 1504);
        check_warning("REPLACE_NTH(1,1,1)", "null", 1542);
    }
}
