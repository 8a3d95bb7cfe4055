//! Data flow: which variables nodes read and set, and what they do besides.

mod annotate;
mod walk;

pub(crate) use annotate::annotate;
pub(crate) use walk::{
    for_each_expr, for_each_expr_mut, for_each_input, for_each_input_mut, for_each_node, for_each_node_mut,
    for_each_pipeline_mut, nested, nested_mut,
};

use crate::catalog::FunctionCatalog;
use crate::plan::{DocumentOutput, NodeKind, Pipeline, VarId};
use crate::var_set::VarSet;

/// The variables a node needs from the row it gets (those of nested pipelines included).
pub(crate) fn reads(kind: &NodeKind) -> VarSet {
    let mut set = VarSet::new();
    for_each_input(kind, &mut |var| {
        set.insert(var);
    });
    for_each_expr(kind, &mut |expr| expr.collect_reads(&mut set));
    if let Some(pipeline) = nested(kind) {
        set.union(&pipeline_reads(pipeline));
    }
    // Variables an expression of the node gets from the node itself.
    for var in own_variables(kind) {
        set.remove(var);
    }
    set
}

/// Variables bound inside the node for its own expressions.
fn own_variables(kind: &NodeKind) -> Vec<VarId> {
    match kind {
        NodeKind::EnumerateCollection(node) => vec![node.output.out],
        NodeKind::Index(node) => vec![node.output.out],
        NodeKind::EnumerateList(node) => vec![node.out],
        NodeKind::Traversal(node) => {
            let prune = node.prune.iter().flat_map(|prune| [prune.vertex, prune.edge, prune.path]).flatten();
            node.conditions.iter().map(|condition| condition.element).chain(prune).collect()
        }
        _ => Vec::new(),
    }
}

/// The variables a pipeline needs from the surrounding row.
pub(crate) fn pipeline_reads(pipeline: &Pipeline) -> VarSet {
    let mut set = VarSet::new();
    let mut set_here = VarSet::new();
    for node in &pipeline.nodes {
        set.union(&reads(&node.kind));
        for var in writes(&node.kind) {
            set_here.insert(var);
        }
        if let Some(var) = bound_inside(&node.kind) {
            set_here.insert(var);
        }
    }
    for var in set_here.iter() {
        set.remove(var);
    }
    set
}

/// Document variables a node knows although it does not produce them.
fn bound_inside(kind: &NodeKind) -> Option<VarId> {
    match kind {
        NodeKind::EnumerateCollection(node) => Some(node.output.out),
        NodeKind::Index(node) => Some(node.output.out),
        _ => None,
    }
}

fn document_writes(output: &DocumentOutput, set: &mut Vec<VarId>) {
    if output.produces_document {
        set.push(output.out);
    }
    set.extend(output.projections.iter().map(|projection| projection.out));
}

/// The variables a node sets.
pub(crate) fn writes(kind: &NodeKind) -> Vec<VarId> {
    let mut set = Vec::new();
    match kind {
        NodeKind::EnumerateCollection(node) => {
            document_writes(&node.output, &mut set);
            set.extend(node.count_into);
        }
        NodeKind::Index(node) => {
            document_writes(&node.output, &mut set);
            set.extend(node.count_into);
        }
        NodeKind::EnumerateList(node) => set.push(node.out),
        NodeKind::Calculation(node) => set.push(node.out),
        NodeKind::Collect(node) => {
            set.extend(node.groups.iter().map(|group| group.out));
            set.extend(node.aggregates.iter().map(|aggregate| aggregate.out));
            set.extend(node.into.iter().map(|into| into.out));
        }
        NodeKind::Window(node) => set.extend(node.aggregates.iter().map(|aggregate| aggregate.out)),
        NodeKind::Subquery(node) => set.push(node.out),
        NodeKind::Insert(node) => set.extend(node.out_old.into_iter().chain(node.out_new)),
        NodeKind::Update(node) | NodeKind::Replace(node) => {
            set.extend(node.out_old.into_iter().chain(node.out_new));
        }
        NodeKind::Remove(node) => set.extend(node.out_old),
        NodeKind::Upsert(node) => set.extend(node.out_new),
        NodeKind::Traversal(node) => {
            set.extend([node.vertex_out, node.edge_out, node.path_out].into_iter().flatten());
            set.extend(node.prune.iter().filter_map(|prune| prune.out));
        }
        NodeKind::ShortestPath(node) => set.extend(node.vertex_out.into_iter().chain(node.edge_out)),
        NodeKind::EnumeratePaths(node) => set.extend(node.path_out),
        NodeKind::HashJoin(node) => set.extend(node.outs.iter().copied()),
        NodeKind::Singleton
        | NodeKind::Filter { .. }
        | NodeKind::Limit(_)
        | NodeKind::Sort(_)
        | NodeKind::Return { .. }
        | NodeKind::NoResults => {}
    }
    set
}

/// Whether a node can produce more than one row for a row it gets.
pub(crate) fn is_loop(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::EnumerateCollection(_)
            | NodeKind::Index(_)
            | NodeKind::EnumerateList(_)
            | NodeKind::Traversal(_)
            | NodeKind::ShortestPath(_)
            | NodeKind::EnumeratePaths(_)
            | NodeKind::HashJoin(_)
    )
}

/// Whether equal surrounding rows give equal results.
pub(crate) fn pipeline_is_deterministic(pipeline: &Pipeline, functions: &dyn FunctionCatalog) -> bool {
    let mut deterministic = true;
    for_each_node(pipeline, &mut |node| {
        for_each_expr(&node.kind, &mut |expr| deterministic &= expr.purity(functions).deterministic);
        if let NodeKind::EnumerateCollection(scan) = &node.kind {
            deterministic &= !scan.random;
        }
    });
    deterministic
}
