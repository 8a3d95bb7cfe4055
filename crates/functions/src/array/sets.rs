//! Arrays as sets: `UNION`, `UNION_DISTINCT`, `INTERSECTION`, `OUTERSECTION`, `MINUS`, `JACCARD`, `UNIQUE`,
//! `COUNT_DISTINCT`.

use crate::function::MANY;
use persea_order::Value;

use super::distinct::DistinctValues;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "COUNT_DISTINCT",
        (1, 1),
        "COUNT_DISTINCT(list)",
        "Number of distinct members.",
        count_distinct,
    ),
    Function::new(
        "COUNT_UNIQUE",
        (1, 1),
        "COUNT_UNIQUE(list)",
        "Number of distinct members.",
        count_distinct,
    ),
    Function::new(
        "INTERSECTION",
        (2, MANY),
        "INTERSECTION(list1, list2, …)",
        "Distinct members that all lists have.",
        intersection,
    ),
    Function::new("JACCARD", (2, 2), "JACCARD(list1, list2)", "Share of common members.", jaccard),
    Function::new(
        "MINUS",
        (2, MANY),
        "MINUS(list1, list2, …)",
        "Distinct members that only the first list has.",
        minus,
    ),
    Function::new(
        "OUTERSECTION",
        (2, MANY),
        "OUTERSECTION(list1, list2, …)",
        "Members that occur once in all lists together.",
        outersection,
    ),
    Function::new("UNION", (2, MANY), "UNION(list1, list2, …)", "The members of all lists.", union),
    Function::new(
        "UNION_DISTINCT",
        (2, MANY),
        "UNION_DISTINCT(list1, list2, …)",
        "The distinct members of all lists.",
        union_distinct,
    ),
    Function::new("UNIQUE", (1, 1), "UNIQUE(list)", "The distinct members.", unique),
];

fn all_arrays(args: &[Value<'_>]) -> bool {
    args.iter().all(|list| list.is_array())
}

fn union<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !all_arrays(args) {
        return ctx.invalid_argument();
    }
    ctx.array(args.iter().flat_map(|list| list.elements()))
}

fn union_distinct<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !all_arrays(args) {
        return ctx.invalid_argument();
    }
    let mut distinct = DistinctValues::new(ctx);
    args.iter().flat_map(|list| ctx.elements(*list)).for_each(|member| {
        distinct.insert(member);
    });
    ctx.array(distinct.values())
}

fn intersection<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !all_arrays(args) {
        return ctx.array_expected();
    }
    let mut seen = DistinctValues::new(ctx);
    for (list_at, list) in args.iter().enumerate() {
        for member in ctx.elements(*list) {
            let entry = if list_at == 0 { seen.entry(member) } else { seen.find(member) };
            // Counts a value once a list, and only if all lists before had it.
            if let Some(entry) = entry.filter(|entry| entry.count == list_at) {
                entry.count += 1;
            }
        }
    }
    ctx.array(seen.iter().filter(|entry| entry.count == args.len()).map(|entry| entry.value))
}

fn outersection<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !all_arrays(args) {
        return ctx.array_expected();
    }
    let mut seen = DistinctValues::new(ctx);
    for member in args.iter().flat_map(|list| ctx.elements(*list)) {
        if let Some(entry) = seen.entry(member) {
            entry.count += 1;
        }
    }
    ctx.array(seen.iter().filter(|entry| entry.count == 1).map(|entry| entry.value))
}

fn minus<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !all_arrays(args) {
        return ctx.invalid_argument();
    }
    let mut kept = DistinctValues::new(ctx);
    ctx.elements(arg(args, 0)).for_each(|member| {
        kept.insert(member);
    });
    for member in args.iter().skip(1).flat_map(|list| ctx.elements(*list)) {
        if let Some(entry) = kept.find(member) {
            entry.count += 1;
        }
    }
    ctx.array(kept.iter().filter(|entry| entry.count == 0).map(|entry| entry.value))
}

fn jaccard<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !all_arrays(args) {
        return ctx.invalid_argument();
    }
    let mut seen = DistinctValues::new(ctx);
    ctx.elements(arg(args, 0)).for_each(|member| {
        seen.insert(member);
    });
    let n_left = seen.len();
    for member in ctx.elements(arg(args, 1)) {
        // Marks what has been met on the right.
        if let Some(entry) = seen.entry(member) {
            entry.count = 1;
        }
    }
    let n_common = seen.iter().take(n_left).filter(|entry| entry.count == 1).count();
    Ok(Value::from_f64(if seen.len() == 0 { 1.0 } else { n_common as f64 / seen.len() as f64 }))
}

fn unique<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match distinct(ctx, args) {
        Some(distinct) => ctx.array(distinct.values()),
        None => ctx.array_expected(),
    }
}

fn count_distinct<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match distinct(ctx, args) {
        Some(distinct) => Ok(Value::from_u64(distinct.len() as u64)),
        None => ctx.array_expected(),
    }
}

fn distinct<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Option<DistinctValues<'a>> {
    let list = arg(args, 0);
    if !list.is_array() {
        return None;
    }
    let mut distinct = DistinctValues::new(ctx);
    ctx.elements(list).for_each(|member| {
        distinct.insert(member);
    });
    Some(distinct)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn unions() {
        check("UNION([1,2,3],[1,2])", "[1,2,3,1,2]");
        check("UNION([1],[],2..3)", "[1,2,3]");
        check_warning("UNION([1],2)", "null", 1542);
        check("UNION_DISTINCT([1,2,3],[1,2,4])", "[1,2,3,4]");
        check_warning("UNION_DISTINCT(null,[1])", "null", 1542);
    }

    #[test]
    fn intersections() {
        check("INTERSECTION([1,2,2,3,4],[2,3,4,5],[3,4,4,5])", "[3,4]");
        check("INTERSECTION([1],[2])", "[]");
        check("INTERSECTION([2,2],[1,2],[2,2])", "[2]");
        check_warning("INTERSECTION([1],1)", "null", 1563);
        check("OUTERSECTION([1,2,3],[2,3,4],[3,4,5])", "[1,5]");
        check_warning("OUTERSECTION([1],1)", "null", 1563);
        check("MINUS([1,2,3,4,1],[3,4,5],[6])", "[1,2]");
        check("MINUS(1..20,2..19)", "[1,20]");
        check_warning("MINUS([1],1)", "null", 1542);
    }

    #[test]
    fn similarity() {
        check("JACCARD([1,2,3,4],[3,4,5,6])", "0.3333333333333333");
        check("JACCARD([1,1,2,2,2,3],[2,2,3,4])", "0.5");
        check("JACCARD([1,2],[])", "0");
        check("JACCARD([],[])", "1");
        check_warning("JACCARD([],1)", "null", 1542);
    }

    #[test]
    fn distinct_values() {
        check("UNIQUE([4,2,4,\"4\",2.0,null,null])", "[4,2,\"4\",null]");
        check("UNIQUE([1,2,3,4,5,6,7,8,9,10,11,1,9,12,10])", "[1,2,3,4,5,6,7,8,9,10,11,12]");
        check_warning("UNIQUE(4)", "null", 1563);
        check("COUNT_DISTINCT([\"a\",\"b\",\"a\"])", "2");
        check("COUNT_UNIQUE([])", "0");
        check_warning("COUNT_DISTINCT(\"a\")", "null", 1563);
    }
}
