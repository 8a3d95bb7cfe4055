//! The same members in another arrangement: `FLATTEN`, `INTERLEAVE`, `SORTED`, `SORTED_UNIQUE`.

use crate::function::MANY;
use std::cmp::Ordering;

use persea_order::{Value, compare};

use super::sort::sort;
use crate::builder::ArenaBuilder;
use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "FLATTEN",
        (1, 2),
        "FLATTEN(list [, depth])",
        "Members of nested lists as one list.",
        flatten,
    ),
    Function::new(
        "INTERLEAVE",
        (2, MANY),
        "INTERLEAVE(list1, list2, …)",
        "Members of lists taken in turn.",
        interleave,
    ),
    Function::new("SORTED", (1, 1), "SORTED(list)", "The members in order.", sorted),
    Function::new(
        "SORTED_UNIQUE",
        (1, 1),
        "SORTED_UNIQUE(list)",
        "The distinct members in order.",
        sorted_unique,
    ),
];

fn flatten<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.array_expected();
    }
    let n_levels = if args.len() > 1 { integer(arg(args, 1)).max(1) } else { 1 };
    // Values are never nested deeper than a builder allows, so neither does the recursion go deeper.
    let n_levels = usize::try_from(n_levels).unwrap_or(usize::MAX).min(persea_vpack::DEPTH_MAX);
    let mut builder = ctx.builder();
    builder.open_array();
    add_flattened(ctx, &mut builder, list, n_levels)?;
    builder.close();
    builder.finish()
}

fn add_flattened(
    ctx: &Context<'_>,
    builder: &mut ArenaBuilder<'_>,
    list: Value<'_>,
    n_levels: usize,
) -> Result<(), Error> {
    for member in list.elements() {
        ctx.work(1)?;
        if n_levels > 0 && member.is_array() {
            add_flattened(ctx, builder, member, n_levels - 1)?;
        } else {
            builder.add(member);
            builder.check_size()?;
        }
    }
    Ok(())
}

fn interleave<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut lists = ctx.vec();
    for list in args {
        if !list.is_array() {
            return ctx.array_expected();
        }
        lists.push(list.elements());
    }
    let mut builder = ctx.builder();
    builder.open_array();
    while !lists.is_empty() {
        ctx.work(lists.len())?;
        builder.check_size()?;
        lists.retain_mut(|members| match members.next() {
            Some(member) => {
                builder.add(member);
                true
            }
            None => false,
        });
    }
    builder.close();
    builder.finish()
}

fn sorted<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(mut members) = ctx.members(arg(args, 0))? else { return ctx.array_expected() };
    sort(ctx, &mut members)?;
    ctx.array(members)
}

fn sorted_unique<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(mut members) = ctx.members(arg(args, 0))? else { return ctx.array_expected() };
    sort(ctx, &mut members)?;
    members.dedup_by(|left, right| compare(*left, *right) == Ordering::Equal);
    ctx.array(members)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn flattens() {
        check("FLATTEN([1,[2,3],4,[5,[6,7]]])", "[1,2,3,4,5,[6,7]]");
        check("FLATTEN([1,[2,3],4,[5,[6,7]]],2)", "[1,2,3,4,5,6,7]");
        check("FLATTEN([1,[2,[3]]],0)", "[1,2,[3]]");
        check("FLATTEN([1,[2,[3]]],-5)", "[1,2,[3]]");
        check("FLATTEN([])", "[]");
        check_warning("FLATTEN(1)", "null", 1563);
    }

    #[test]
    fn interleaves() {
        check("INTERLEAVE([1,1],[2,2],[3,3])", "[1,2,3,1,2,3]");
        check("INTERLEAVE([1],[2,2],[3,3,3])", "[1,2,3,2,3,3]");
        check("INTERLEAVE([],[])", "[]");
        check_warning("INTERLEAVE([1],2)", "null", 1563);
    }

    #[test]
    fn sorts() {
        check("SORTED([8,3,2,11,6])", "[2,3,6,8,11]");
        check("SORTED([{},[0],\"a\",\"A\",1,true,false,null])", "[null,false,true,1,\"A\",\"a\",[0],{}]");
        check("SORTED(3..1)", "[1,2,3]");
        check_warning("SORTED(\"x\")", "null", 1563);
        check("SORTED_UNIQUE([8,3,2,8,3.0])", "[2,3,8]");
        check_warning("SORTED_UNIQUE(null)", "null", 1563);
    }
}
