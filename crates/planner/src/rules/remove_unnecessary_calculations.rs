//! `remove-unnecessary-calculations`: drops what nobody reads, and merges a calculation into the only one that reads it.

use std::collections::HashMap;

use super::Context;
use super::support::{UseCounts, for_each_pipeline};
use crate::error::Error;
use crate::flow;
use crate::plan::{Expr, NodeKind, Plan, VarId};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let mut changed = merge_single_uses(plan, context)?;
    // Dropping one calculation may leave another one unread.
    while drop_unread(plan)? {
        changed = true;
    }
    Ok(changed)
}

fn drop_unread(plan: &mut Plan) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    let join_outs: Vec<VarId> = kept_by_joins(plan);
    for_each_pipeline(plan, &mut |_, pipeline| {
        let before = pipeline.nodes.len();
        pipeline.nodes.retain(|node| match &node.kind {
            NodeKind::Calculation(calculation) => {
                uses.of(calculation.out) > 0 || join_outs.contains(&calculation.out)
            }
            NodeKind::Subquery(subquery) => {
                uses.of(subquery.out) > 0 || subquery.pipeline.modifies() || subquery.row_at_a_time
            }
            _ => true,
        });
        Ok(pipeline.nodes.len() < before)
    })
}

fn kept_by_joins(plan: &Plan) -> Vec<VarId> {
    let mut kept = Vec::new();
    flow::for_each_node(&plan.root, &mut |node| {
        if let NodeKind::HashJoin(join) = &node.kind {
            kept.extend(join.outs.iter().copied());
        }
    });
    kept
}

/// Puts an expression in place of the variable that holds it, where it is read once, by a calculation of the same row.
fn merge_single_uses(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let mut mergeable: HashMap<VarId, Expr> = HashMap::new();
        let mut changed = false;
        for node in &mut pipeline.nodes {
            match &mut node.kind {
                NodeKind::Calculation(calculation) => {
                    changed |= merge_into(&mut calculation.expr, &mergeable);
                    let is_user_variable = plan.variable(calculation.out).is_some_and(|variable| {
                        !variable.name.starts_with(|first: char| first.is_ascii_digit())
                    });
                    let is_candidate = uses.of(calculation.out) == 1
                        && !is_user_variable_kept(is_user_variable, &calculation.expr)
                        && calculation.expr.as_const().is_none()
                        && calculation.expr.purity(context.functions).deterministic;
                    if is_candidate {
                        mergeable.insert(calculation.out, calculation.expr.clone());
                    }
                }
                // What was computed before a loop stays there; behind a modification documents differ.
                kind if flow::is_loop(kind) || super::support::is_barrier(kind) => mergeable.clear(),
                _ => {}
            }
        }
        Ok(changed)
    })
}

/// Named variables with heavier expressions keep their place, so that plans stay readable.
fn is_user_variable_kept(is_user_variable: bool, expr: &Expr) -> bool {
    is_user_variable && expr.as_path().is_none()
}

fn merge_into(expr: &mut Expr, mergeable: &HashMap<VarId, Expr>) -> bool {
    // Bodies of expansions run once for each member; merging into them would repeat the work.
    if let Expr::Expansion { source, .. } | Expr::QuestionMark { source, .. } = expr {
        return merge_into(source, mergeable);
    }
    if let Expr::Var(var) = expr {
        return match mergeable.get(var) {
            Some(merged) => {
                *expr = merged.clone();
                true
            }
            None => false,
        };
    }
    let mut changed = false;
    expr.for_each_child_mut(&mut |child| changed |= merge_into(child, mergeable));
    changed
}
