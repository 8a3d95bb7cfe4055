//! `use-index-for-sort`: a SORT in the order of an index goes; the index is read in that order.

use std::sync::Arc;

use super::Context;
use super::index_match::{document_path, gives_order, order_matches};
use super::support::{Definitions, for_each_pipeline, is_barrier};
use super::use_indexes::hint_text;
use crate::catalog::{CollectionMeta, IndexMeta};
use crate::error::Error;
use crate::flow;
use crate::plan::{
    AttributePath, EnumerateCollectionNode, IndexAccess, IndexKind, IndexNode, KeyTerm, NodeKind, Pipeline,
    Plan, SortNode, VarId,
};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    let changed = for_each_pipeline(plan, &mut |plan, pipeline| {
        let Some((source, sort)) = candidate(pipeline) else { return Ok(false) };
        let Some(replaced) = ordered_source(plan, pipeline, source, sort, &definitions) else {
            return Ok(false);
        };
        if let Some(node) = pipeline.nodes.get_mut(source) {
            node.kind = replaced;
        }
        pipeline.nodes.remove(sort);
        Ok(true)
    })?;
    check_forced_hints(plan)?;
    Ok(changed)
}

/// Positions of the first loop of a pipeline and of a sort of its rows.
fn candidate(pipeline: &Pipeline) -> Option<(usize, usize)> {
    let source = pipeline.nodes.iter().position(|node| flow::is_loop(&node.kind))?;
    let before_is_plain = pipeline.nodes.iter().take(source).all(|node| {
        matches!(
            node.kind,
            NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Filter { .. } | NodeKind::Subquery(_)
        )
    });
    let sort = pipeline
        .nodes
        .iter()
        .enumerate()
        .skip(source + 1)
        .take_while(|(_, node)| !is_barrier(&node.kind))
        .find(|(_, node)| matches!(node.kind, NodeKind::Sort(_)))
        .map(|(position, _)| position)?;
    before_is_plain.then_some((source, sort))
}

fn ordered_source(
    plan: &Plan,
    pipeline: &Pipeline,
    source: usize,
    sort: usize,
    definitions: &Definitions,
) -> Option<NodeKind> {
    let NodeKind::Sort(sort) = &pipeline.nodes.get(sort)?.kind else { return None };
    match &pipeline.nodes.get(source)?.kind {
        NodeKind::EnumerateCollection(scan) if !scan.random && !scan.hint.disabled => {
            let (paths, ascending) = sort_paths(sort, scan.output.out, definitions)?;
            let meta = plan.collection(&scan.collection)?;
            let index = ordering_index(scan, meta, &paths)?;
            Some(NodeKind::Index(full_index_scan(scan, index, ascending)))
        }
        NodeKind::Index(index) => {
            let (paths, ascending) = sort_paths(sort, index.output.out, definitions)?;
            let meta = plan.collection(&index.collection)?;
            if !delivers_order(index, meta, &paths) {
                return None;
            }
            let mut ordered = index.clone();
            ordered.sorted = true;
            ordered.ascending = ascending;
            Some(NodeKind::Index(ordered))
        }
        _ => None,
    }
}

/// The attributes of `document` sorted by, all in one direction.
fn sort_paths(
    sort: &SortNode,
    document: VarId,
    definitions: &Definitions,
) -> Option<(Vec<AttributePath>, bool)> {
    let ascending = sort.keys.first()?.ascending;
    let paths: Option<Vec<AttributePath>> = sort
        .keys
        .iter()
        .map(|key| {
            document_path(&definitions.resolve_var(key.var), document).filter(|_| key.ascending == ascending)
        })
        .collect();
    Some((paths?, ascending))
}

fn ordering_index<'a>(
    scan: &EnumerateCollectionNode,
    meta: &'a Arc<CollectionMeta>,
    paths: &[AttributePath],
) -> Option<&'a IndexMeta> {
    let mut fitting = meta.indexes.iter().filter(|index| gives_order(index, paths, &[]));
    if scan.hint.names.is_empty() {
        return fitting.min_by_key(|index| index.fields.len());
    }
    let fitting: Vec<&IndexMeta> = fitting.by_ref().collect();
    let hinted = fitting.iter().find(|index| scan.hint.names.contains(&index.name)).copied();
    if scan.hint.forced { hinted } else { hinted.or_else(|| fitting.first().copied()) }
}

fn full_index_scan(scan: &EnumerateCollectionNode, index: &IndexMeta, ascending: bool) -> IndexNode {
    IndexNode {
        collection: scan.collection.clone(),
        output: scan.output.clone(),
        accesses: vec![IndexAccess {
            index: index.id,
            name: Arc::clone(&index.name),
            kind: index.kind,
            field: index
                .fields
                .first()
                .and_then(|field| field.path.first().cloned())
                .unwrap_or_else(|| Arc::from("")),
            terms: Vec::new(),
            lower: None,
            upper: None,
        }],
        needs_dedup: false,
        ascending,
        sorted: true,
        covering: false,
        limit: 0,
        condition: Vec::new(),
        covered: Vec::new(),
        read_own_writes: scan.read_own_writes,
        hint: scan.hint.clone(),
        count_into: None,
    }
}

/// Whether an index scan finds its documents in the order of `paths`.
fn delivers_order(index: &IndexNode, meta: &CollectionMeta, paths: &[AttributePath]) -> bool {
    let [access] = index.accesses.as_slice() else { return false };
    let Some(definition) = meta.indexes.iter().find(|candidate| candidate.id == access.index) else {
        return false;
    };
    if access.kind != IndexKind::Persistent || index.needs_dedup {
        return false;
    }
    // Attributes fixed by equality don't vary; members of IN lists are visited in order.
    let fixed: Vec<AttributePath> = definition
        .fields
        .iter()
        .zip(&access.terms)
        .filter(|(_, term)| matches!(term, KeyTerm::Equal(_)))
        .map(|(field, _)| field.path.clone())
        .collect();
    order_matches(&definition.fields, paths, &fixed)
}

/// A forced hint that no rule followed fails the query.
fn check_forced_hints(plan: &Plan) -> Result<(), Error> {
    let mut result = Ok(());
    flow::for_each_node(&plan.root, &mut |node| {
        if let NodeKind::EnumerateCollection(scan) = &node.kind
            && scan.hint.forced
            && !scan.hint.names.is_empty()
        {
            result = Err(Error::ForcedIndexHint(hint_text(&scan.hint)));
        }
    });
    result
}
