//! `move-filters-into-enumerate`: filters directly behind a loop are tested inside of it, before a row is made.

use std::collections::HashMap;

use super::Context;
use super::support::{UseCounts, for_each_pipeline};
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, NodeKind, Pipeline, Plan, VarId};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = false;
        for position in 0..pipeline.nodes.len() {
            while let Some((filter, condition)) = candidate(pipeline, position, &uses, context) {
                pipeline.nodes.remove(filter);
                attach(pipeline, position, condition);
                changed = true;
            }
        }
        Ok(changed)
    })
}

/// The position of the filter behind the loop at `position`, and its condition in terms of the loop's variable.
fn candidate(
    pipeline: &Pipeline,
    position: usize,
    uses: &UseCounts,
    context: &Context<'_>,
) -> Option<(usize, Expr)> {
    match &pipeline.nodes.get(position)?.kind {
        NodeKind::EnumerateCollection(scan) if !scan.random => {}
        NodeKind::Index(_) | NodeKind::EnumerateList(_) => {}
        _ => return None,
    }
    let mut between: HashMap<VarId, (&Expr, bool)> = HashMap::new();
    for (at, node) in pipeline.nodes.iter().enumerate().skip(position + 1) {
        match &node.kind {
            NodeKind::Calculation(calculation) => {
                let cheap = calculation.expr.as_path().is_some() || uses.of(calculation.out) == 1;
                let usable = cheap && calculation.expr.purity(context.functions).deterministic;
                between.insert(calculation.out, (&calculation.expr, usable));
            }
            NodeKind::Filter { input } => {
                let mut condition = Expr::Var(*input);
                for _ in 0..between.len() {
                    let changed = condition.substitute(&|var| {
                        between.get(&var).filter(|(_, usable)| *usable).map(|(expr, _)| (*expr).clone())
                    });
                    if !changed {
                        break;
                    }
                }
                let reads = condition.reads();
                let self_contained = !between.keys().any(|var| reads.contains(*var));
                let is_new = !matches!(condition, Expr::Var(_)) || between.is_empty();
                return (self_contained && is_new && !between.is_empty()).then_some((at, condition));
            }
            _ => return None,
        }
    }
    None
}

fn attach(pipeline: &mut Pipeline, position: usize, condition: Expr) {
    let slot = match pipeline.nodes.get_mut(position).map(|node| &mut node.kind) {
        Some(NodeKind::EnumerateCollection(scan)) => &mut scan.output.filter,
        Some(NodeKind::Index(index)) => &mut index.output.filter,
        Some(NodeKind::EnumerateList(list)) => &mut list.filter,
        _ => return,
    };
    *slot = Some(match slot.take() {
        Some(filter) => Expr::binary(BinaryOperator::And, filter, condition),
        None => condition,
    });
}
