//! A stable sort that can be broken off: runs are sorted one by one, then merged.

use std::cmp::Ordering;

use persea_order::{Value, compare};

use crate::{Context, Error};

/// Members that are sorted without a look at whether the query has to end.
const RUN: usize = 1 << 16;

pub(super) fn sort<'a>(ctx: &Context<'a>, members: &mut [Value<'a>]) -> Result<(), Error> {
    sort_runs(ctx, members, RUN)
}

fn sort_runs<'a>(ctx: &Context<'a>, members: &mut [Value<'a>], run: usize) -> Result<(), Error> {
    for members in members.chunks_mut(run) {
        members.sort_by(|left, right| compare(*left, *right));
        ctx.work(members.len())?;
    }
    if members.len() <= run {
        return Ok(());
    }
    ctx.check_room(size_of_val(members))?;
    let mut merged = Vec::with_capacity(members.len());
    let mut width = run;
    while width < members.len() {
        merged.clear();
        for pair in members.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(ctx, left, right, &mut merged)?;
        }
        members.copy_from_slice(&merged);
        width *= 2;
    }
    Ok(())
}

/// Appends the members of both sorted lists in order, those of the left one first where they are equal.
fn merge<'a>(
    ctx: &Context<'a>,
    mut left: &[Value<'a>],
    mut right: &[Value<'a>],
    merged: &mut Vec<Value<'a>>,
) -> Result<(), Error> {
    let is_in_order = match (left.last(), right.first()) {
        (Some(last), Some(first)) => compare(*last, *first) != Ordering::Greater,
        _ => true,
    };
    while !is_in_order
        && let (Some((first, left_rest)), Some((second, right_rest))) =
            (left.split_first(), right.split_first())
    {
        ctx.work(1)?;
        if compare(*first, *second) == Ordering::Greater {
            merged.push(*second);
            right = right_rest;
        } else {
            merged.push(*first);
            left = left_rest;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    Ok(())
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;
    use persea_order::Value;
    use proptest::prelude::*;

    use super::sort_runs;
    use crate::{Context, Environment, NoDocuments};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn merges_to_the_same_order(numbers in prop::collection::vec(-50_i64..50, 0..200), run in 1_usize..20) {
            let (arena, env) = (Bump::new(), Environment::new());
            let ctx = Context::new(&arena, &env, &NoDocuments);
            let mut members: Vec<Value<'_>> = numbers.iter().map(|number| Value::from_i64(*number)).collect();
            sort_runs(&ctx, &mut members, run).unwrap();
            let mut expected = numbers;
            expected.sort();
            prop_assert_eq!(members.iter().filter_map(|member| member.as_i64()).collect::<Vec<_>>(), expected);
        }
    }
}
