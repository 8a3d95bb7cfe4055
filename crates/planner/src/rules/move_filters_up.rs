//! `move-filters-up`: filters move to where their variables are known, out of loops; a conjunction whose parts are
//! known earlier is split.

use super::Context;
use super::support::{UseCounts, for_each_pipeline, is_barrier};
use crate::error::Error;
use crate::flow;
use crate::plan::{BinaryOperator, Expr, NodeKind, Pipeline, Plan};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let split = split_conjunctions(plan, pipeline, &uses, context);
        Ok(move_up(pipeline) | split)
    })
}

fn move_up(pipeline: &mut Pipeline) -> bool {
    let mut changed = false;
    for position in 1..pipeline.nodes.len() {
        let Some(NodeKind::Filter { input }) = pipeline.nodes.get(position).map(|node| &node.kind) else {
            continue;
        };
        let input = *input;
        let mut target = position;
        let mut passes_work = false;
        while let Some(before) = target.checked_sub(1).and_then(|at| pipeline.nodes.get(at)) {
            let stops = is_barrier(&before.kind)
                || matches!(before.kind, NodeKind::Filter { .. })
                || flow::writes(&before.kind).contains(&input);
            if stops {
                break;
            }
            passes_work = true;
            target -= 1;
        }
        if passes_work && target < position {
            let node = pipeline.nodes.remove(position);
            pipeline.nodes.insert(target, node);
            changed = true;
        }
    }
    changed
}

/// Splits `a && b` when a loop stands between what `a` and what `b` need.
fn split_conjunctions(
    plan: &mut Plan,
    pipeline: &mut Pipeline,
    uses: &UseCounts,
    context: &Context<'_>,
) -> bool {
    let mut changed = false;
    let mut position = 0;
    while position < pipeline.nodes.len() {
        if let Some((calculation, parts)) = splittable(pipeline, position, uses, context) {
            pipeline.nodes.remove(position);
            pipeline.nodes.remove(calculation);
            let mut at = position - 1;
            for part in parts {
                let earliest = earliest_position(pipeline, at, &part);
                let (node, input) = plan.new_calculation(part);
                let filter = plan.new_node(NodeKind::Filter { input });
                pipeline.nodes.insert(earliest, node);
                pipeline.nodes.insert(earliest + 1, filter);
                at += 2;
            }
            position = at;
            changed = true;
        } else {
            position += 1;
        }
    }
    changed
}

/// Position of the calculation and parts of the condition of a filter worth splitting.
fn splittable(
    pipeline: &Pipeline,
    position: usize,
    uses: &UseCounts,
    context: &Context<'_>,
) -> Option<(usize, Vec<Expr>)> {
    let NodeKind::Filter { input } = pipeline.nodes.get(position)?.kind else { return None };
    if uses.of(input) != 1 {
        return None;
    }
    let calculation = pipeline.nodes.iter().take(position).position(
        |node| matches!(&node.kind, NodeKind::Calculation(calculation) if calculation.out == input),
    )?;
    let NodeKind::Calculation(node) = &pipeline.nodes.get(calculation)?.kind else { return None };
    let parts = node.expr.operands(BinaryOperator::And);
    if parts.len() < 2 || !node.expr.purity(context.functions).deterministic {
        return None;
    }
    let homes: Vec<usize> = parts.iter().map(|part| loops_before(pipeline, position, part)).collect();
    let here = pipeline.nodes.iter().take(position).filter(|node| flow::is_loop(&node.kind)).count();
    if homes.iter().all(|home| *home == here) || homes.iter().all(|home| Some(home) == homes.first()) {
        return None;
    }
    // Parts of the same level stay together.
    let mut grouped: Vec<(usize, Expr)> = Vec::new();
    for (part, home) in parts.into_iter().zip(homes) {
        match grouped.iter_mut().find(|(known, _)| *known == home) {
            Some((_, group)) => *group = Expr::binary(BinaryOperator::And, group.clone(), part.clone()),
            None => grouped.push((home, part.clone())),
        }
    }
    Some((calculation, grouped.into_iter().map(|(_, part)| part).collect()))
}

/// The first position at which all variables of `part` are known, not beyond `end`.
fn earliest_position(pipeline: &Pipeline, end: usize, part: &Expr) -> usize {
    let reads = part.reads();
    let mut target = end;
    while let Some(before) = target.checked_sub(1).and_then(|at| pipeline.nodes.get(at)) {
        if is_barrier(&before.kind) || flow::writes(&before.kind).iter().any(|var| reads.contains(*var)) {
            break;
        }
        target -= 1;
    }
    target
}

/// How many loops stand before the earliest position of `part`.
fn loops_before(pipeline: &Pipeline, end: usize, part: &Expr) -> usize {
    let earliest = earliest_position(pipeline, end, part);
    pipeline.nodes.iter().take(earliest).filter(|node| flow::is_loop(&node.kind)).count()
}
