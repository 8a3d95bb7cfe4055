//! `remove-redundant-sorts`: of two sorts only the last one counts, unless the first one is finer.

use super::Context;
use super::support::{Definitions, for_each_pipeline};
use crate::error::Error;
use crate::flow;
use crate::plan::{Expr, Node, NodeKind, Pipeline, Plan, SortKey};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = remove_repeated_keys(pipeline, &definitions);
        while let Some(position) = redundant(pipeline, &definitions) {
            pipeline.nodes.remove(position);
            changed = true;
        }
        Ok(changed)
    })
}

fn key_exprs(keys: &[SortKey], definitions: &Definitions) -> Vec<(Expr, bool)> {
    keys.iter()
        .map(|key| {
            let expr = definitions.get(key.var).map_or(Expr::Var(key.var), |expr| definitions.resolve(expr));
            (expr, key.ascending)
        })
        .collect()
}

/// A criterion that occurred before, or is the same for all rows, decides nothing.
fn remove_repeated_keys(pipeline: &mut Pipeline, definitions: &Definitions) -> bool {
    let mut changed = false;
    for node in &mut pipeline.nodes {
        let NodeKind::Sort(sort) = &mut node.kind else { continue };
        let mut seen: Vec<Expr> = Vec::new();
        sort.keys.retain(|key| {
            let expr = definitions.get(key.var).map_or(Expr::Var(key.var), |expr| definitions.resolve(expr));
            let decides = !matches!(expr, Expr::Const(_)) && !seen.contains(&expr);
            changed |= !decides;
            seen.push(expr);
            decides
        });
    }
    pipeline.nodes.retain(|node| !matches!(&node.kind, NodeKind::Sort(sort) if sort.keys.is_empty()));
    changed
}

fn redundant(pipeline: &Pipeline, definitions: &Definitions) -> Option<usize> {
    let mut previous: Option<(usize, &[SortKey])> = None;
    for (position, node) in pipeline.nodes.iter().enumerate() {
        if let NodeKind::Sort(sort) = &node.kind {
            if let Some((before, keys)) = previous {
                let earlier = key_exprs(keys, definitions);
                let later = key_exprs(&sort.keys, definitions);
                return Some(if earlier.starts_with(&later) { position } else { before });
            }
            previous = Some((position, &sort.keys));
        } else if order_matters(node) {
            previous = None;
        }
    }
    None
}

/// Whether a node's result depends on the order of its rows, or it changes that order.
fn order_matters(node: &Node) -> bool {
    node.kind.modifies()
        || matches!(
            node.kind,
            NodeKind::Limit(_) | NodeKind::Collect(_) | NodeKind::Window(_) | NodeKind::Return { .. }
        )
        || flow::is_loop(&node.kind)
}
