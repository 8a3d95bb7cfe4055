//! `remove-redundant-calculations`: an expression that was computed before in the same row is not computed again.

use std::collections::HashMap;

use super::Context;
use super::support::replace_everywhere;
use crate::error::Error;
use crate::flow;
use crate::plan::{Expr, NodeKind, Pipeline, Plan, VarId};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let mut replacement = HashMap::new();
    let mut known = Vec::new();
    search(&plan.root, &mut known, &mut replacement, context);
    if replacement.is_empty() {
        return Ok(false);
    }
    replace_everywhere(&mut plan.root, &replacement);
    Ok(true)
}

fn search(
    pipeline: &Pipeline,
    known: &mut Vec<(Expr, VarId)>,
    replacement: &mut HashMap<VarId, VarId>,
    context: &Context<'_>,
) {
    let outside = known.len();
    for node in &pipeline.nodes {
        if let Some(nested) = flow::nested(&node.kind) {
            search(nested, known, replacement, context);
        }
        match &node.kind {
            NodeKind::Calculation(calculation) => {
                let mut expr = calculation.expr.clone();
                expr.substitute(&|var| replacement.get(&var).map(|other| Expr::Var(*other)));
                if let Expr::Var(other) = expr {
                    replacement.insert(calculation.out, other);
                    continue;
                }
                if !calculation.expr.purity(context.functions).deterministic {
                    continue;
                }
                match known.iter().find(|(other, _)| *other == expr) {
                    Some((_, var)) => {
                        replacement.insert(calculation.out, *var);
                    }
                    None => known.push((expr, calculation.out)),
                }
            }
            // Only group values survive.
            NodeKind::Collect(_) => known.truncate(outside),
            _ => {}
        }
    }
    known.truncate(outside);
}
