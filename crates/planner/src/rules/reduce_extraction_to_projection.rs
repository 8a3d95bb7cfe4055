//! `reduce-extraction-to-projection`: where only a few attributes of documents are read, only those are taken out of
//! them, into variables of their own.

use std::collections::HashMap;
use std::sync::Arc;

use super::Context;
use super::support::{document_variable, replace_everywhere};
use crate::catalog::CollectionMeta;
use crate::error::Error;
use crate::flow;
use crate::plan::{
    AttributePath, DocumentOutput, Expr, IndexKind, IndexNode, Node, NodeKind, Plan, Projection, VarId,
};
use crate::var_set::VarSet;

/// How a document variable is read.
#[derive(Default)]
struct Usage {
    whole: bool,
    paths: Vec<AttributePath>,
    filter_whole: bool,
    filter_paths: Vec<AttributePath>,
}

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let usages = usages(plan);
    let mut projected: HashMap<VarId, Vec<Projection>> = HashMap::new();
    let mut wanted: Vec<(VarId, Vec<AttributePath>)> = Vec::new();
    flow::for_each_node(&plan.root, &mut |node| {
        let Some(output) = output(&node.kind) else { return };
        let Some(usage) = usages.get(&output.out) else { return };
        if usage.whole || !output.produces_document {
            return;
        }
        let paths = shortest(&usage.paths);
        if paths.len() <= output.max_projections {
            wanted.push((output.out, paths));
        }
    });
    for (document, paths) in wanted {
        let projections = paths
            .into_iter()
            .map(|path| {
                let out = plan.new_variable();
                if let Some(variable) = plan.variables.get_mut(out.index()) {
                    variable.from_collection = true;
                }
                Projection { path, out }
            })
            .collect();
        projected.insert(document, projections);
    }
    let metas: Vec<Arc<CollectionMeta>> =
        plan.collections.iter().map(|used| Arc::clone(&used.meta)).collect();
    let mut changed = false;
    flow::for_each_node_mut(&mut plan.root, &mut |node| {
        changed |= rewrite_node(node, &projected, &usages, &metas);
    });
    if changed {
        merge_copies(plan, &projected);
    }
    Ok(changed)
}

/// A calculation that merely copies a projection goes; the projection takes its variable.
fn merge_copies(plan: &mut Plan, projected: &HashMap<VarId, Vec<Projection>>) {
    let fresh: VarSet = projected.values().flatten().map(|projection| projection.out).collect();
    let mut renamed: HashMap<VarId, VarId> = HashMap::new();
    let mut copies: Vec<VarId> = Vec::new();
    flow::for_each_node(&plan.root, &mut |node| {
        let NodeKind::Calculation(calculation) = &node.kind else { return };
        let Expr::Var(projection) = calculation.expr else { return };
        if !fresh.contains(projection) {
            return;
        }
        copies.push(calculation.out);
        match renamed.get(&projection) {
            Some(first) => {
                let first = *first;
                renamed.insert(calculation.out, first);
            }
            None => {
                renamed.insert(projection, calculation.out);
            }
        }
    });
    flow::for_each_pipeline_mut(&mut plan.root, &mut |pipeline| {
        pipeline.nodes.retain(
            |node| !matches!(&node.kind, NodeKind::Calculation(calculation) if copies.contains(&calculation.out)),
        );
    });
    replace_everywhere(&mut plan.root, &renamed);
    flow::for_each_node_mut(&mut plan.root, &mut |node| {
        let output = match &mut node.kind {
            NodeKind::EnumerateCollection(scan) => &mut scan.output,
            NodeKind::Index(index) => &mut index.output,
            _ => return,
        };
        for projection in &mut output.projections {
            if let Some(out) = renamed.get(&projection.out) {
                projection.out = *out;
            }
        }
    });
}

fn output(kind: &NodeKind) -> Option<&DocumentOutput> {
    match kind {
        NodeKind::EnumerateCollection(scan) if scan.count_into.is_none() => Some(&scan.output),
        NodeKind::Index(index) if index.count_into.is_none() => Some(&index.output),
        _ => None,
    }
}

fn usages(plan: &Plan) -> HashMap<VarId, Usage> {
    let mut usages: HashMap<VarId, Usage> = HashMap::new();
    flow::for_each_node(&plan.root, &mut |node| {
        if let Some(output) = output(&node.kind) {
            usages.entry(output.out).or_default();
        }
    });
    flow::for_each_node(&plan.root, &mut |node| {
        flow::for_each_input(&node.kind, &mut |var| {
            if let Some(usage) = usages.get_mut(&var) {
                usage.whole = true;
            }
        });
        let own = document_variable(&node.kind);
        flow::for_each_expr(&node.kind, &mut |expr| note_paths(expr, own, &mut usages));
        if let NodeKind::HashJoin(join) = &node.kind {
            join.build_keys.iter().for_each(|key| note_paths(key, None, &mut usages));
        }
    });
    usages
}

fn note_paths(expr: &Expr, own: Option<VarId>, usages: &mut HashMap<VarId, Usage>) {
    if let Some((var, path)) = expr.as_path() {
        let Some(usage) = usages.get_mut(&var) else { return };
        let in_filter = own == Some(var);
        let (whole, paths) = match in_filter {
            true => (&mut usage.filter_whole, &mut usage.filter_paths),
            false => (&mut usage.whole, &mut usage.paths),
        };
        if path.is_empty() {
            *whole = true;
        } else if !paths.contains(&path) {
            paths.push(path);
        }
        return;
    }
    expr.for_each_child(&mut |child| note_paths(child, own, usages));
}

/// The paths that are not inside of another one.
fn shortest(paths: &[AttributePath]) -> Vec<AttributePath> {
    let mut kept: Vec<AttributePath> = Vec::new();
    for path in paths {
        let inside = paths.iter().any(|other| other.len() < path.len() && path.starts_with(other));
        if !inside && !kept.contains(path) {
            kept.push(path.clone());
        }
    }
    kept
}

fn rewrite_node(
    node: &mut Node,
    projected: &HashMap<VarId, Vec<Projection>>,
    usages: &HashMap<VarId, Usage>,
    metas: &[Arc<CollectionMeta>],
) -> bool {
    let mut changed = false;
    let own = document_variable(&node.kind);
    flow::for_each_expr_mut(&mut node.kind, &mut |expr| replace_paths(expr, own, projected));
    if let NodeKind::HashJoin(join) = &mut node.kind {
        join.build_keys.iter_mut().for_each(|key| replace_paths(key, None, projected));
    }
    let output = match &mut node.kind {
        NodeKind::EnumerateCollection(scan) => Some(&mut scan.output),
        NodeKind::Index(index) => Some(&mut index.output),
        _ => None,
    };
    if let Some(output) = output
        && let Some(projections) = projected.get(&output.out)
    {
        changed = !projections.is_empty();
        output.produces_document = false;
        output.projections.clone_from(projections);
        if let Some(usage) = usages.get(&output.out)
            && !usage.filter_whole
        {
            output.filter_projections = shortest(&usage.filter_paths);
        }
    }
    if let NodeKind::Index(index) = &mut node.kind {
        index.covering = is_covering(index, usages, metas);
    }
    changed
}

fn replace_paths(expr: &mut Expr, own: Option<VarId>, projected: &HashMap<VarId, Vec<Projection>>) {
    if let Some((var, path)) = expr.as_path() {
        if own == Some(var) {
            return;
        }
        let projection = projected
            .get(&var)
            .and_then(|projections| projections.iter().find(|projection| path.starts_with(&projection.path)));
        if let Some(projection) = projection {
            let rest = path.get(projection.path.len()..).unwrap_or_default();
            *expr = Expr::path(projection.out, rest);
        }
        return;
    }
    expr.for_each_child_mut(&mut |child| replace_paths(child, own, projected));
}

/// Whether the index entries alone hold everything that is read.
fn is_covering(index: &IndexNode, usages: &HashMap<VarId, Usage>, metas: &[Arc<CollectionMeta>]) -> bool {
    if index.output.produces_document {
        return false;
    }
    let Some(usage) = usages.get(&index.output.out) else { return false };
    if index.output.filter.is_some() && usage.filter_whole {
        return false;
    }
    let filter_paths: &[AttributePath] =
        if index.output.filter.is_some() { &usage.filter_paths } else { &[] };
    let paths = index.output.projections.iter().map(|projection| &projection.path).chain(filter_paths);
    let Some(meta) = metas.iter().find(|meta| meta.id == index.collection.id) else { return false };
    let definitions: Vec<_> = index
        .accesses
        .iter()
        .map(|access| meta.indexes.iter().find(|definition| definition.id == access.index))
        .collect();
    paths.into_iter().all(|path| {
        definitions.iter().all(|definition| {
            definition.is_some_and(|definition| {
                let in_key = definition.can_cover
                    && definition.kind == IndexKind::Persistent
                    && definition
                        .fields
                        .iter()
                        .any(|field| field.expanded_after.is_none() && path.starts_with(&field.path));
                in_key || definition.stored_values.iter().any(|stored| path.starts_with(stored))
            })
        })
    })
}
