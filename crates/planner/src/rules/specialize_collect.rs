//! `specialize-collect`: decides how COLLECT groups.
//!
//! Hashing is the rule; its output is sorted by the group values unless the user waived that with `SORT null`.
//! When an index alone delivers the rows in group order, or OPTIONS ask for it, the input is sorted instead.

use super::Context;
use super::support::{Definitions, for_each_pipeline};
use crate::error::Error;
use crate::flow;
use crate::plan::{AttributePath, CollectMethod, CollectNode, NodeKind, Pipeline, Plan, SortKey, SortNode};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let mut changed = false;
        let mut position = 0;
        while position < pipeline.nodes.len() {
            let chosen = match pipeline.nodes.get(position).map(|node| &node.kind) {
                Some(NodeKind::Collect(collect)) if !collect.specialized => {
                    Some(choose(plan, pipeline, position, collect, &definitions))
                }
                _ => None,
            };
            if let Some(method) = chosen {
                position = specialize(plan, pipeline, position, method);
                changed = true;
            }
            position += 1;
        }
        Ok(changed)
    })
}

fn choose(
    plan: &Plan,
    pipeline: &Pipeline,
    position: usize,
    collect: &CollectNode,
    definitions: &Definitions,
) -> CollectMethod {
    if collect.groups.is_empty() {
        let only_counts = collect.into.is_none()
            && collect.aggregates.len() == 1
            && collect.aggregates.iter().all(|aggregate| &*aggregate.function == "LENGTH");
        return if only_counts { CollectMethod::Count } else { CollectMethod::Sorted };
    }
    match collect.requested_method {
        Some(method) => method,
        None if index_gives_order(plan, pipeline, position, collect, definitions) => CollectMethod::Sorted,
        None => CollectMethod::Hash,
    }
}

/// Sets the method and adds the Sort it needs; gives the position of the COLLECT.
fn specialize(plan: &mut Plan, pipeline: &mut Pipeline, position: usize, method: CollectMethod) -> usize {
    let Some(NodeKind::Collect(collect)) = pipeline.nodes.get_mut(position).map(|node| &mut node.kind) else {
        return position;
    };
    collect.method = method;
    collect.specialized = true;
    let keys: Vec<SortKey> = collect
        .groups
        .iter()
        .map(|group| SortKey {
            var: if method == CollectMethod::Sorted { group.input } else { group.out },
            ascending: true,
        })
        .collect();
    let waived = collect.unsorted;
    if keys.is_empty() {
        return position;
    }
    let sort = NodeKind::Sort(SortNode { keys, limit: None, stable: false });
    if method == CollectMethod::Sorted {
        let sort = plan.new_node(sort);
        pipeline.nodes.insert(position, sort);
        return position + 1;
    }
    if !waived {
        let sort = plan.new_node(sort);
        pipeline.nodes.insert(position + 1, sort);
    }
    position
}

/// Whether the rows come from a single, unfiltered collection with an index that starts with the group attributes.
fn index_gives_order(
    plan: &Plan,
    pipeline: &Pipeline,
    position: usize,
    collect: &CollectNode,
    definitions: &Definitions,
) -> bool {
    if collect.disable_index {
        return false;
    }
    let mut scan = None;
    for node in pipeline.nodes.iter().take(position) {
        match &node.kind {
            NodeKind::EnumerateCollection(found) if scan.is_none() => scan = Some(found),
            NodeKind::Singleton | NodeKind::Calculation(_) => {}
            kind if flow::is_loop(kind) => return false,
            _ => return false,
        }
    }
    let Some(scan) = scan else { return false };
    let paths: Option<Vec<_>> = collect
        .groups
        .iter()
        .map(|group| {
            let (var, path) = definitions.resolve_var(group.input).as_path()?;
            (var == scan.output.out).then_some(path)
        })
        .collect();
    let Some(paths) = paths else { return false };
    // Reading every document in index order costs more than hashing, so the index has to hold all that is read.
    let inputs: Option<Vec<_>> = collect
        .aggregates
        .iter()
        .filter_map(|aggregate| aggregate.input)
        .map(|input| definitions.resolve_var(input).as_path().map(|(_, path)| path))
        .collect();
    let (Some(inputs), true) = (inputs, collect.into.is_none()) else { return false };
    !scan.hint.disabled
        && plan.collection(&scan.collection).is_some_and(|meta| {
            meta.indexes.iter().any(|index| {
                let holds = |path: &AttributePath| index.fields.iter().any(|field| field.path == *path);
                index.can_cover
                    && super::index_match::gives_order(index, &paths, &[])
                    && inputs.iter().all(holds)
            })
        })
}
