//! `optimize-count`: counting the documents of a collection or index scan does not look at them.

use std::collections::HashMap;

use super::Context;
use crate::error::Error;
use crate::flow;
use crate::plan::{CollectMethod, Expr, NodeKind, Pipeline, Plan, VarId};
use crate::value;

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let mut counted: HashMap<VarId, ()> = HashMap::new();
    let mut root = std::mem::take(&mut plan.root);
    flow::for_each_node_mut(&mut root, &mut |node| {
        if let NodeKind::Subquery(subquery) = &mut node.kind
            && subquery.only_count
            && subquery.guard.is_none()
            && let Some(scan) = counted_scan(&subquery.pipeline)
        {
            let count = plan.new_variable();
            set_count(&mut subquery.pipeline, scan, count);
            if let Some(last) = subquery.pipeline.nodes.last_mut() {
                last.kind = NodeKind::Return { input: count };
            }
            subquery.only_count = false;
            counted.insert(subquery.out, ());
        }
    });
    let mut changed = !counted.is_empty();
    flow::for_each_node_mut(&mut root, &mut |node| {
        flow::for_each_expr_mut(&mut node.kind, &mut |expr| {
            expr.rewrite(&mut |part| length_of_counted(part, &counted));
        });
    });
    flow::for_each_pipeline_mut(&mut root, &mut |pipeline| changed |= count_by_scan(pipeline));
    plan.root = root;
    Ok(changed)
}

/// `LENGTH(subquery)` where the subquery now returns its count as only result.
fn length_of_counted(part: &Expr, counted: &HashMap<VarId, ()>) -> Option<Expr> {
    let Expr::Call { function, args } = part else { return None };
    match (&**function, args.as_slice()) {
        ("LENGTH" | "COUNT", [Expr::Var(var)]) if counted.contains_key(var) => {
            Some(Expr::Index(Box::new(Expr::Var(*var)), Box::new(value::int(0))))
        }
        _ => None,
    }
}

/// The position of a scan whose rows only count, directly followed by Return.
fn counted_scan(pipeline: &Pipeline) -> Option<usize> {
    let mut scan = None;
    for (position, node) in pipeline.nodes.iter().enumerate() {
        match &node.kind {
            NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Return { .. } => {}
            kind if scan.is_none() && only_counts(kind) => scan = Some(position),
            _ => return None,
        }
    }
    scan
}

/// Whether nothing of the documents is read.
fn only_counts(kind: &NodeKind) -> bool {
    let output = match kind {
        NodeKind::EnumerateCollection(scan) if !scan.random && scan.count_into.is_none() => &scan.output,
        NodeKind::Index(index) if index.count_into.is_none() && index.limit == 0 => &index.output,
        _ => return false,
    };
    !output.produces_document && output.projections.is_empty() && output.filter.is_none()
}

fn set_count(pipeline: &mut Pipeline, scan: usize, count: VarId) {
    match pipeline.nodes.get_mut(scan).map(|node| &mut node.kind) {
        Some(NodeKind::EnumerateCollection(scan)) => scan.count_into = Some(count),
        Some(NodeKind::Index(index)) => index.count_into = Some(count),
        _ => {}
    }
}

/// `FOR d IN c COLLECT WITH COUNT INTO n`: the scan gives the count itself, in a single row.
fn count_by_scan(pipeline: &mut Pipeline) -> bool {
    let Some(collect) = pipeline.nodes.iter().position(|node| matches!(node.kind, NodeKind::Collect(_)))
    else {
        return false;
    };
    let mut scan = None;
    for (position, node) in pipeline.nodes.iter().enumerate().take(collect) {
        match &node.kind {
            NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Subquery(_) => {}
            kind if scan.is_none() && only_counts(kind) => scan = Some(position),
            _ => return false,
        }
    }
    let count = match pipeline.nodes.get(collect).map(|node| &node.kind) {
        Some(NodeKind::Collect(node)) if node.method == CollectMethod::Count && node.into.is_none() => {
            match node.aggregates.as_slice() {
                [only] if only.input.is_none() && &*only.function == "LENGTH" => only.out,
                _ => return false,
            }
        }
        _ => return false,
    };
    let Some(scan) = scan else { return false };
    set_count(pipeline, scan, count);
    pipeline.nodes.remove(collect);
    true
}
