//! `propagate-constant-attributes`: with `a.x == 1` and `a.x == b.y`, `b.y == 1` holds too and may use an index.

use super::Context;
use super::support::{Definitions, for_each_pipeline, is_barrier};
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, NodeKind, Pipeline, Plan};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let mut changed = false;
        let mut start = 0;
        while start < pipeline.nodes.len() {
            let length = pipeline.nodes.iter().skip(start).take_while(|node| !is_barrier(&node.kind)).count();
            changed |= propagate(plan, pipeline, start..start + length, &definitions);
            // Calculations may have been added; go on behind the next barrier.
            let length = pipeline.nodes.iter().skip(start).take_while(|node| !is_barrier(&node.kind)).count();
            start += length + 1;
        }
        Ok(changed)
    })
}

fn propagate(
    plan: &mut Plan,
    pipeline: &mut Pipeline,
    segment: std::ops::Range<usize>,
    definitions: &Definitions,
) -> bool {
    let filters: Vec<(usize, Expr)> = pipeline
        .nodes
        .iter()
        .enumerate()
        .take(segment.end)
        .skip(segment.start)
        .filter_map(|(position, node)| match node.kind {
            NodeKind::Filter { input } => Some((position, definitions.condition(input))),
            _ => None,
        })
        .collect();
    let mut constants: Vec<(Expr, Expr)> = Vec::new();
    for (_, condition) in &filters {
        for part in condition.operands(BinaryOperator::And) {
            if let Expr::Binary(BinaryOperator::Equal, left, right) = part {
                match (&**left, &**right) {
                    (path, value @ Expr::Const(_)) | (value @ Expr::Const(_), path) if is_attribute(path) => {
                        constants.push((path.clone(), value.clone()));
                    }
                    _ => {}
                }
            }
        }
    }
    if constants.is_empty() {
        return false;
    }
    let mut changed = false;
    for (position, condition) in filters.into_iter().rev() {
        let mut changed_here = false;
        let parts: Vec<Expr> = condition
            .operands(BinaryOperator::And)
            .into_iter()
            .map(|part| match replaced(part, &constants) {
                Some(part) => {
                    changed_here = true;
                    part
                }
                None => part.clone(),
            })
            .collect();
        if changed_here && let Some(condition) = Expr::join(BinaryOperator::And, parts) {
            let (calculation, input) = plan.new_calculation(condition);
            if let Some(node) = pipeline.nodes.get_mut(position) {
                node.kind = NodeKind::Filter { input };
            }
            pipeline.nodes.insert(position, calculation);
            changed = true;
        }
    }
    changed
}

fn is_attribute(expr: &Expr) -> bool {
    expr.as_path().is_some_and(|(_, path)| !path.is_empty())
}

/// `left == right` between two attributes, one of which is constant.
fn replaced(part: &Expr, constants: &[(Expr, Expr)]) -> Option<Expr> {
    let Expr::Binary(BinaryOperator::Equal, left, right) = part else { return None };
    if !is_attribute(left) || !is_attribute(right) {
        return None;
    }
    let constant =
        |path: &Expr| constants.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone());
    if let Some(value) = constant(left) {
        return Some(Expr::binary(BinaryOperator::Equal, right.as_ref().clone(), value));
    }
    constant(right).map(|value| Expr::binary(BinaryOperator::Equal, left.as_ref().clone(), value))
}
