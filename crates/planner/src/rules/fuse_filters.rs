//! `fuse-filters`: filters in a row become one.

use super::Context;
use super::support::{Definitions, UseCounts, for_each_pipeline};
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, NodeKind, Pipeline, Plan, VarId};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    let uses = UseCounts::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let fusable = |var: VarId| {
            let expr = definitions.get(var).filter(|_| uses.of(var) == 1)?;
            expr.purity(context.functions).deterministic.then(|| expr.clone())
        };
        let mut changed = false;
        while let Some((first, second, condition)) = candidate(pipeline, &fusable) {
            let (calculation, input) = plan.new_calculation(condition);
            if let Some(node) = pipeline.nodes.get_mut(second) {
                node.kind = NodeKind::Filter { input };
            }
            pipeline.nodes.insert(second, calculation);
            pipeline.nodes.remove(first);
            changed = true;
        }
        Ok(changed)
    })
}

/// Positions of two filters with only calculations between, and the fused condition. Already fused conditions are not
/// known to `fusable`; they are taken from the pipeline.
fn candidate(pipeline: &Pipeline, fusable: &dyn Fn(VarId) -> Option<Expr>) -> Option<(usize, usize, Expr)> {
    let condition = |var: VarId| {
        fusable(var).or_else(|| {
            pipeline.nodes.iter().find_map(|node| match &node.kind {
                NodeKind::Calculation(calculation)
                    if calculation.out == var
                        && matches!(calculation.expr, Expr::Binary(BinaryOperator::And, ..)) =>
                {
                    fused_here(pipeline, var).then(|| calculation.expr.clone())
                }
                _ => None,
            })
        })
    };
    let mut previous: Option<(usize, VarId)> = None;
    for (position, node) in pipeline.nodes.iter().enumerate() {
        match &node.kind {
            NodeKind::Filter { input } => {
                if let Some((first, earlier)) = previous
                    && let (Some(left), Some(right)) = (condition(earlier), condition(*input))
                {
                    return Some((first, position, Expr::binary(BinaryOperator::And, left, right)));
                }
                previous = Some((position, *input));
            }
            NodeKind::Calculation(_) => {}
            _ => previous = None,
        }
    }
    None
}

/// Whether only one filter reads the variable.
fn fused_here(pipeline: &Pipeline, var: VarId) -> bool {
    let readers = pipeline.nodes.iter().filter(|node| crate::flow::reads(&node.kind).contains(var)).count();
    readers == 1
}
