//! Cost estimates: how many rows each node produces and how much work that is, on ArangoDB's scale (one row handled
//! by one node costs one).

use std::collections::HashMap;

use crate::catalog::{CollectionMeta, IndexMeta};
use crate::plan::{
    CollectionUse, Expr, GraphSource, IndexAccess, IndexKind, KeyTerm, Node, NodeKind, Pipeline, Plan, VarId,
};

/// Members of a list nothing is known about.
const LIST_LENGTH_DEFAULT: f64 = 100.0;
/// Members of an IN list nothing is known about.
const IN_LENGTH_DEFAULT: f64 = 10.0;
/// Share of distinct values of an index without estimate.
const SELECTIVITY_DEFAULT: f64 = 0.1;
/// Share of entries within one bound.
const RANGE_SHARE: f64 = 0.5;
/// Deepest traversal worth distinguishing in estimates.
const DEPTH_ESTIMATED_MAX: u64 = 20;

/// Fills in the estimates of all nodes.
pub(crate) fn estimate(plan: &mut Plan) {
    let mut estimator = Estimator { collections: &plan.collections, list_lengths: HashMap::new() };
    estimator.pipeline(&mut plan.root);
}

struct Estimator<'a> {
    collections: &'a [CollectionUse],
    list_lengths: HashMap<VarId, f64>,
}

impl Estimator<'_> {
    fn meta(&self, id: u64) -> Option<&CollectionMeta> {
        self.collections.iter().find(|used| used.collection.id == id).map(|used| &*used.meta)
    }

    fn count(&self, id: u64) -> f64 {
        self.meta(id).map_or(0.0, |meta| meta.count as f64)
    }

    /// Estimates a pipeline; gives cost and items of its last node.
    fn pipeline(&mut self, pipeline: &mut Pipeline) -> (f64, f64) {
        let (mut cost, mut items) = (0.0, 1.0);
        for node in &mut pipeline.nodes {
            (cost, items) = self.node(node, cost, items);
            node.estimated_cost = cost;
            node.estimated_items = items;
        }
        (cost, items)
    }

    fn node(&mut self, node: &mut Node, cost: f64, items: f64) -> (f64, f64) {
        match &mut node.kind {
            NodeKind::Singleton => (1.0, 1.0),
            NodeKind::EnumerateCollection(scan) => {
                let count = self.count(scan.collection.id);
                let produced = if scan.random || scan.count_into.is_some() { items } else { items * count };
                (cost + items * count + 1.0, produced)
            }
            NodeKind::Index(index) => {
                let Some(meta) = self.meta(index.collection.id) else { return (cost, items) };
                let (found, lookups) = accesses_estimate(meta, &index.accesses);
                let found = if index.limit > 0 { found.min(index.limit as f64) } else { found };
                let produced = if index.count_into.is_some() { items } else { items * found };
                (cost + items * (found + lookups), produced)
            }
            NodeKind::EnumerateList(list) => {
                let length = self.list_lengths.get(&list.input).copied().unwrap_or(LIST_LENGTH_DEFAULT);
                (cost + items * length, items * length)
            }
            NodeKind::Calculation(calculation) => {
                if let Some(length) = list_length(&calculation.expr) {
                    self.list_lengths.insert(calculation.out, length);
                }
                (cost + items, items)
            }
            NodeKind::Filter { .. } | NodeKind::Return { .. } | NodeKind::Window(_) => (cost + items, items),
            NodeKind::Limit(limit) => {
                let left = (items - limit.offset as f64).max(0.0).min(limit.count as f64);
                (cost + left, left)
            }
            NodeKind::Sort(_) => {
                let work = if items > 3.0 { items * items.log2() } else { items };
                (cost + work, items)
            }
            NodeKind::Collect(collect) => {
                let groups = match (collect.groups.is_empty(), items < 10.0) {
                    (true, _) => 1.0,
                    (false, true) => items,
                    (false, false) => items * 0.8,
                };
                (cost + items, groups)
            }
            NodeKind::NoResults => (0.5, 0.0),
            NodeKind::Subquery(subquery) => {
                let (own, results) = self.pipeline(&mut subquery.pipeline);
                self.list_lengths.insert(subquery.out, results);
                (cost + items * own, items)
            }
            NodeKind::Insert(node) => (cost + items, produced(items, node.out_old.or(node.out_new))),
            NodeKind::Update(node) | NodeKind::Replace(node) => {
                (cost + items, produced(items, node.out_old.or(node.out_new)))
            }
            NodeKind::Remove(node) => (cost + items, produced(items, node.out_old)),
            NodeKind::Upsert(node) => (cost + items, produced(items, node.out_new)),
            NodeKind::Traversal(node) => {
                let paths = self.paths(&node.graph, node.max_depth);
                (cost + items * paths, items * paths)
            }
            NodeKind::ShortestPath(node) => {
                let paths = self.paths(&node.graph, 1);
                (cost + items * paths, items * paths)
            }
            NodeKind::EnumeratePaths(node) => {
                let paths = self.paths(&node.graph, node.max_depth.max(1));
                (cost + items * paths, items * paths)
            }
            NodeKind::HashJoin(join) => {
                let (build_cost, build_items) = self.pipeline(&mut join.build);
                // Without statistics the number of distinct keys is taken to be the geometric mean of both sides.
                let joined = (items * build_items).sqrt().max(1.0);
                (cost + build_cost + 2.0 * build_items + items + joined, joined)
            }
        }
    }

    fn paths(&self, graph: &GraphSource, depth: u64) -> f64 {
        let fan_out: f64 = graph.edges.iter().map(|(edge, _)| (self.count(edge.id) / 10.0).max(1.0)).sum();
        let exponent = i32::try_from(depth.min(DEPTH_ESTIMATED_MAX)).unwrap_or(1);
        fan_out.max(1.0).powi(exponent).min(1e15)
    }
}

fn produced(items: f64, out: Option<VarId>) -> f64 {
    if out.is_some() { items } else { 0.0 }
}

/// Length of a constant list.
fn list_length(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Const(value) if value.as_slice().is_array() => Some(value.as_slice().len() as f64),
        Expr::Array(members) => Some(members.len() as f64),
        Expr::Range(low, high) => {
            let bound =
                |expr: &Expr| expr.as_const().and_then(|value| value.as_slice().as_f64()).map(f64::trunc);
            Some((bound(high)? - bound(low)?).abs() + 1.0)
        }
        _ => None,
    }
}

/// Documents found for one input row, and the cost of finding them beside reading them.
pub(crate) fn accesses_estimate(meta: &CollectionMeta, accesses: &[IndexAccess]) -> (f64, f64) {
    let count = meta.count as f64;
    let depth = (count + 1.0).log2().max(1.0) * 0.1;
    let mut found = 0.0;
    let mut lookups = 0.0;
    for access in accesses {
        let index = meta.indexes.iter().find(|index| index.id == access.index);
        let probes = access.terms.iter().map(term_members).product::<f64>();
        found += index.map_or(count, |index| found_per_probe(index, access, count)) * probes;
        lookups += probes * depth;
    }
    (found.min(count.max(1.0)), lookups)
}

/// How many values a term looks up.
fn term_members(term: &KeyTerm) -> f64 {
    match term {
        KeyTerm::Equal(_) => 1.0,
        KeyTerm::In(list) => list_length(list).unwrap_or(IN_LENGTH_DEFAULT),
    }
}

/// Documents found for one combination of values.
fn found_per_probe(index: &IndexMeta, access: &IndexAccess, count: f64) -> f64 {
    let fields = index.fields.len().max(1);
    let equal = access.terms.len();
    if index.kind == IndexKind::Primary || (index.unique && equal >= fields) {
        return 1.0;
    }
    let selectivity = index.selectivity.filter(|share| *share > 0.0).unwrap_or(SELECTIVITY_DEFAULT);
    let fields = if index.kind == IndexKind::Edge { 1 } else { fields };
    let distinct = (selectivity * count).max(1.0);
    // Each field of a prefix is taken to contribute equally to the number of distinct keys.
    let per_value = count / distinct.powf(equal as f64 / fields as f64);
    let bounds = usize::from(access.lower.is_some()) + usize::from(access.upper.is_some());
    (per_value * RANGE_SHARE.powi(i32::try_from(bounds).unwrap_or(0))).max(1.0).min(count.max(1.0))
}
