//! `remove-filter-covered-by-index`: parts of filters that an index scan guarantees are not tested again.

use super::Context;
use super::support::{Definitions, for_each_pipeline, is_barrier};
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, NodeKind, Pipeline, Plan};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let mut changed = false;
        let mut covered: Vec<Expr> = Vec::new();
        let mut position = 0;
        while position < pipeline.nodes.len() {
            let Some(node) = pipeline.nodes.get(position) else { break };
            match &node.kind {
                NodeKind::Index(index) => covered.extend(index.covered.iter().cloned()),
                NodeKind::Filter { input } => {
                    let condition = definitions.condition(*input);
                    if let Some(rest) = remaining(&condition, &covered) {
                        position = replace_filter(plan, pipeline, position, rest);
                        changed = true;
                        continue;
                    }
                }
                kind if is_barrier(kind) => covered.clear(),
                _ => {}
            }
            position += 1;
        }
        Ok(changed)
    })
}

/// What is left of a condition; none if nothing of it is covered.
fn remaining(condition: &Expr, covered: &[Expr]) -> Option<Vec<Expr>> {
    let parts = condition.operands(BinaryOperator::And);
    let total = parts.len();
    let rest: Vec<Expr> = parts.into_iter().filter(|part| !covered.contains(part)).cloned().collect();
    (rest.len() < total).then_some(rest)
}

/// Puts a filter for `rest` in place of the one at `position`; gives the position behind it.
fn replace_filter(plan: &mut Plan, pipeline: &mut Pipeline, position: usize, rest: Vec<Expr>) -> usize {
    let Some(condition) = Expr::join(BinaryOperator::And, rest) else {
        pipeline.nodes.remove(position);
        return position;
    };
    let (calculation, input) = plan.new_calculation(condition);
    if let Some(node) = pipeline.nodes.get_mut(position) {
        node.kind = NodeKind::Filter { input };
    }
    pipeline.nodes.insert(position, calculation);
    position + 2
}
