//! `use-hash-joins`: an inner loop over a collection that is joined by equality to outer rows is read once into a hash
//! table, instead of once for each outer row.
//!
//! It replaces full scans, and index lookups when there would be so many that reading everything once is cheaper.
//! Inner loops over constant lists and over results of independent subqueries are joined in the same way.

use std::sync::Arc;

use super::Context;
use super::support::{Definitions, UseCounts, conditions_behind, written_by};
use crate::error::Error;
use crate::estimate;
use crate::flow;
use crate::plan::{
    BinaryOperator, EnumerateCollectionNode, EnumerateListNode, Expr, HashJoinNode, IndexKind, IndexNode,
    KeyTerm, NodeKind, Pipeline, Plan, VarId,
};
use crate::var_set::VarSet;

/// Index lookups below this number are left alone.
const LOOKUPS_MIN: f64 = 1000.0;
/// Shorter constant lists are searched as they are.
const LIST_MIN: usize = 8;
/// What a lookup costs, in documents read by a scan.
const LOOKUP_COST: f64 = 8.0;

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    estimate::estimate(plan);
    let definitions = Definitions::new(plan);
    let uses = UseCounts::new(plan);
    let mut root = std::mem::take(&mut plan.root);
    let changed = walk(plan, &mut root, 1.0, &definitions, &uses, context);
    plan.root = root;
    Ok(changed)
}

/// `times` is how often the pipeline runs.
fn walk(
    plan: &mut Plan,
    pipeline: &mut Pipeline,
    times: f64,
    definitions: &Definitions,
    uses: &UseCounts,
    context: &Context<'_>,
) -> bool {
    let mut changed = false;
    let mut rows = 1.0;
    for position in 0..pipeline.nodes.len() {
        if let Some(NodeKind::Subquery(subquery)) =
            pipeline.nodes.get_mut(position).map(|node| &mut node.kind)
        {
            let runs = if subquery.row_at_a_time { 1.0 } else { times * rows };
            changed |= walk(plan, &mut subquery.pipeline, runs, definitions, uses, context);
        }
        let after = pipeline.nodes.get(position).map_or(rows, |node| node.estimated_items);
        if let Some(join) = candidate(plan, pipeline, position, times * rows, definitions, uses, context) {
            replace(plan, pipeline, position, join);
            changed = true;
            // Positions behind have shifted; the next round finds further joins.
            return walk(plan, pipeline, times, definitions, uses, context) || changed;
        }
        rows = after;
    }
    changed
}

/// The inner side of a join.
enum Source {
    Collection(EnumerateCollectionNode),
    /// A list that is the same for all rows, computed by `Setup`.
    List(EnumerateListNode, Setup),
}

/// How the list of an inner loop comes about.
enum Setup {
    Constant(Expr),
    /// The subquery node at this position of the outer pipeline, which moves into the join.
    Subquery(usize),
}

impl Source {
    /// The variable of the inner loop.
    fn element(&self) -> VarId {
        match self {
            Self::Collection(scan) => scan.output.out,
            Self::List(list, _) => list.out,
        }
    }
}

struct Join {
    source: Source,
    build_keys: Vec<Expr>,
    probe_keys: Vec<Expr>,
    /// Conditions on the inner documents alone.
    inner: Vec<Expr>,
    /// What remains of each filter: its position and the rest.
    filters: Vec<(usize, Vec<Expr>)>,
}

fn candidate(
    plan: &Plan,
    pipeline: &Pipeline,
    position: usize,
    probes: f64,
    definitions: &Definitions,
    uses: &UseCounts,
    context: &Context<'_>,
) -> Option<Join> {
    if probes <= 1.5 {
        return None;
    }
    let (source, mut keys) = match &pipeline.nodes.get(position)?.kind {
        NodeKind::EnumerateCollection(scan) => (Source::Collection(scan.clone()), Vec::new()),
        NodeKind::Index(index) => {
            let (scan, keys) = from_lookups(plan, index, probes)?;
            (Source::Collection(scan), keys)
        }
        NodeKind::EnumerateList(list) => {
            (list_source(pipeline, position, list, definitions, uses)?, Vec::new())
        }
        _ => return None,
    };
    if let Source::Collection(scan) = &source
        && (scan.random || scan.read_own_writes || scan.count_into.is_some())
    {
        return None;
    }
    let document = source.element();
    let later = written_by(pipeline.nodes.iter().skip(position));
    let mut join = Join {
        source,
        build_keys: Vec::new(),
        probe_keys: Vec::new(),
        inner: Vec::new(),
        filters: Vec::new(),
    };
    for (at, condition) in conditions_behind(pipeline, position, definitions, context) {
        let mut rest = Vec::new();
        let parts = condition.operands(BinaryOperator::And);
        let total = parts.len();
        for part in parts {
            match equality(part, document, &later) {
                Some(pair) => keys.push(pair),
                None if reads_only(part, document) => join.inner.push(part.clone()),
                None => rest.push(part.clone()),
            }
        }
        if rest.len() < total {
            join.filters.push((at, rest));
        }
    }
    if keys.is_empty() {
        return None;
    }
    (join.build_keys, join.probe_keys) = keys.into_iter().unzip();
    // A key that is the same for all rows is a condition on the inner documents; a join needs a real one.
    join.probe_keys.iter().any(|key| !key.reads().is_empty()).then_some(join)
}

/// An index lookup by equality that would be done too often.
fn from_lookups(
    plan: &Plan,
    index: &IndexNode,
    probes: f64,
) -> Option<(EnumerateCollectionNode, Vec<(Expr, Expr)>)> {
    let [access] = index.accesses.as_slice() else { return None };
    let meta = plan.collection(&index.collection)?;
    let hinted = index.hint.forced || !index.hint.names.is_empty();
    if hinted || index.sorted || access.lower.is_some() || access.upper.is_some() || access.terms.is_empty() {
        return None;
    }
    let (found, _) = estimate::accesses_estimate(meta, std::slice::from_ref(access));
    if probes < LOOKUPS_MIN || probes * (1.0 + found) * LOOKUP_COST < meta.count as f64 * 2.0 {
        return None;
    }
    let definition = meta.indexes.iter().find(|definition| definition.id == access.index)?;
    let mut keys = Vec::new();
    for (position, term) in access.terms.iter().enumerate() {
        let KeyTerm::Equal(value) = term else { return None };
        let path = match access.kind {
            IndexKind::Primary | IndexKind::Edge => vec![Arc::clone(&access.field)],
            _ => {
                let field = definition.fields.get(position)?;
                if field.expanded_after.is_some() {
                    return None;
                }
                field.path.clone()
            }
        };
        keys.push((Expr::path(index.output.out, &path), value.clone()));
    }
    let scan = EnumerateCollectionNode {
        collection: index.collection.clone(),
        output: index.output.clone(),
        random: false,
        hint: index.hint.clone(),
        read_own_writes: index.read_own_writes,
        count_into: None,
    };
    Some((scan, keys))
}

/// `document.path == value known before`, as (build key, probe key).
fn equality(part: &Expr, document: VarId, later: &VarSet) -> Option<(Expr, Expr)> {
    let Expr::Binary(BinaryOperator::Equal, left, right) = part else { return None };
    let sided = |inner: &Expr, outer: &Expr| {
        let is_join = reads_only(inner, document)
            && inner.as_path().is_some()
            && !outer.reads().is_empty()
            && !outer.reads().intersects(later);
        is_join.then(|| (inner.clone(), outer.clone()))
    };
    sided(left, right).or_else(|| sided(right, left))
}

fn reads_only(expr: &Expr, document: VarId) -> bool {
    let mut reads = expr.reads();
    if !reads.contains(document) {
        return false;
    }
    reads.remove(document);
    reads.is_empty()
}

fn replace(plan: &mut Plan, pipeline: &mut Pipeline, position: usize, join: Join) {
    for (at, rest) in join.filters.into_iter().rev() {
        match Expr::join(BinaryOperator::And, rest) {
            Some(condition) => {
                let (calculation, input) = plan.new_calculation(condition);
                if let Some(node) = pipeline.nodes.get_mut(at) {
                    node.kind = NodeKind::Filter { input };
                }
                pipeline.nodes.insert(at, calculation);
            }
            None => {
                pipeline.nodes.remove(at);
            }
        }
    }
    let document = join.source.element();
    let mut build = vec![plan.new_node(NodeKind::Singleton)];
    let mut moved = None;
    match join.source {
        Source::Collection(scan) => build.push(plan.new_node(NodeKind::EnumerateCollection(scan))),
        Source::List(mut list, Setup::Constant(expr)) => {
            let (calculation, input) = plan.new_calculation(expr);
            list.input = input;
            build.push(calculation);
            build.push(plan.new_node(NodeKind::EnumerateList(list)));
        }
        Source::List(list, Setup::Subquery(at)) => {
            moved = Some(at);
            build.extend(pipeline.nodes.get(at).cloned());
            build.push(plan.new_node(NodeKind::EnumerateList(list)));
        }
    }
    if let Some(condition) = Expr::join(BinaryOperator::And, join.inner) {
        let (calculation, input) = plan.new_calculation(condition);
        build.push(calculation);
        build.push(plan.new_node(NodeKind::Filter { input }));
    }
    if let Some(node) = pipeline.nodes.get_mut(position) {
        node.kind = NodeKind::HashJoin(Box::new(HashJoinNode {
            build: Pipeline { nodes: build },
            build_keys: join.build_keys,
            probe_keys: join.probe_keys,
            outs: vec![document],
        }));
    }
    if let Some(at) = moved {
        pipeline.nodes.remove(at);
    }
}

/// A list loop whose list is known before any row: a constant, or an independent subquery nobody else reads.
fn list_source(
    pipeline: &Pipeline,
    position: usize,
    list: &EnumerateListNode,
    definitions: &Definitions,
    uses: &UseCounts,
) -> Option<Source> {
    if list.filter.is_some() {
        return None;
    }
    if let Some(expr @ Expr::Const(value)) = definitions.get(list.input) {
        let is_long = value.as_slice().is_array() && value.as_slice().len() >= LIST_MIN;
        return is_long.then(|| Source::List(list.clone(), Setup::Constant(expr.clone())));
    }
    let at =
        pipeline.nodes.iter().take(position).position(
            |node| matches!(&node.kind, NodeKind::Subquery(subquery) if subquery.out == list.input),
        )?;
    let NodeKind::Subquery(subquery) = &pipeline.nodes.get(at)?.kind else { return None };
    let independent = uses.of(subquery.out) == 1
        && subquery.guard.is_none()
        && !subquery.row_at_a_time
        && !subquery.pipeline.modifies()
        && flow::pipeline_reads(&subquery.pipeline).is_empty();
    independent.then(|| Source::List(list.clone(), Setup::Subquery(at)))
}
