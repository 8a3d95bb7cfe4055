//! `sort-in-values`: lists that IN searches are sorted once, so that each search can bisect.

use std::collections::HashMap;
use std::sync::Arc;

use super::Context;
use super::support::for_each_pipeline;
use crate::error::Error;
use crate::flow;
use crate::plan::{BinaryOperator, Expr, NodeKind, Pipeline, Plan, VarId};

/// Below this many members a search from the front is as good.
const MEMBERS_MIN: usize = 4;

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let constants = sort_constants(pipeline, context);
        Ok(sort_subquery_results(plan, pipeline) | constants)
    })
}

/// Constant lists are sorted in place.
fn sort_constants(pipeline: &mut Pipeline, context: &Context<'_>) -> bool {
    let mut changed = false;
    for node in &mut pipeline.nodes {
        flow::for_each_expr_mut(&mut node.kind, &mut |expr| {
            changed |= expr.rewrite(&mut |part| {
                let Expr::Binary(op @ (BinaryOperator::In | BinaryOperator::NotIn), needle, list) = part
                else {
                    return None;
                };
                let constant = list.as_const()?;
                let slice = constant.as_slice();
                if !slice.is_array() || slice.len() < MEMBERS_MIN || needle.as_const().is_some() {
                    return None;
                }
                let sorted = context.evaluator.evaluate(&sorted_unique(list.as_ref().clone()))?;
                if sorted.value.as_slice().bytes() == slice.bytes() || !sorted.value.as_slice().is_array() {
                    return None;
                }
                let list = Expr::Const(Arc::new(sorted.value));
                Some(Expr::Binary(*op, needle.clone(), Box::new(list)))
            });
        });
    }
    changed
}

fn sorted_unique(list: Expr) -> Expr {
    Expr::Call { function: Arc::from("SORTED_UNIQUE"), args: vec![list] }
}

/// Results of subqueries searched within a loop are sorted before it.
fn sort_subquery_results(plan: &mut Plan, pipeline: &mut Pipeline) -> bool {
    let mut sorted: HashMap<VarId, VarId> = HashMap::new();
    let mut position = 0;
    while position < pipeline.nodes.len() {
        if let Some(NodeKind::Subquery(subquery)) = pipeline.nodes.get(position).map(|node| &node.kind) {
            let list = subquery.out;
            if subquery.guard.is_none() && searched_in_loop(pipeline, position, list) {
                let (node, out) = plan.new_calculation(sorted_unique(Expr::Var(list)));
                if let Some(variable) = plan.variables.get_mut(out.index()) {
                    variable.sorted_unique_list = true;
                }
                pipeline.nodes.insert(position + 1, node);
                sorted.insert(list, out);
            }
        }
        position += 1;
    }
    for node in &mut pipeline.nodes {
        flow::for_each_expr_mut(&mut node.kind, &mut |expr| {
            expr.rewrite(&mut |part| {
                let Expr::Binary(op @ (BinaryOperator::In | BinaryOperator::NotIn), needle, list) = part
                else {
                    return None;
                };
                let Expr::Var(var) = **list else { return None };
                let out = sorted.get(&var)?;
                Some(Expr::Binary(*op, needle.clone(), Box::new(Expr::Var(*out))))
            });
        });
    }
    !sorted.is_empty()
}

fn searched_in_loop(pipeline: &Pipeline, position: usize, list: VarId) -> bool {
    let mut in_loop = false;
    for node in pipeline.nodes.iter().skip(position + 1) {
        in_loop |= flow::is_loop(&node.kind);
        let mut found = false;
        flow::for_each_expr(&node.kind, &mut |expr| {
            found |= expr.any(|part| match part {
                Expr::Binary(BinaryOperator::In | BinaryOperator::NotIn, _, right) => {
                    matches!(**right, Expr::Var(var) if var == list)
                }
                _ => false,
            });
        });
        if found && in_loop {
            return true;
        }
    }
    false
}
