//! `use-indexes`: a collection scan with filters becomes an index scan where an index answers part of the condition.
//!
//! All parts of the filters behind the scan count together. One index can answer several of them; an OR can be
//! answered by one access for each branch. The filters stay: what the index answers exactly is taken out by
//! `remove-filter-covered-by-index`.

use std::sync::Arc;

use super::Context;
use super::index_match::{Condition, Match, best_match};
use super::support::{Definitions, conditions_behind, for_each_pipeline, written_by};
use crate::catalog::{CollectionMeta, IndexMeta};
use crate::error::Error;
use crate::plan::{
    BinaryOperator, EnumerateCollectionNode, Expr, IndexHint, IndexNode, NodeKind, Pipeline, Plan, VarId,
};
use crate::var_set::VarSet;

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |plan, pipeline| {
        let mut changed = false;
        for position in 0..pipeline.nodes.len() {
            let Some(NodeKind::EnumerateCollection(scan)) =
                pipeline.nodes.get(position).map(|node| &node.kind)
            else {
                continue;
            };
            let Some(meta) = plan.collection(&scan.collection).cloned() else { continue };
            let later = later_variables(pipeline, position);
            let parts = condition_parts(pipeline, position, &definitions, scan.output.out, context);
            let chosen = choose(scan, &meta, &parts, &later, context);
            if let Some(chosen) = chosen {
                let index = index_node(scan, chosen);
                if let Some(node) = pipeline.nodes.get_mut(position) {
                    node.kind = NodeKind::Index(index);
                }
                changed = true;
            } else if scan.hint.forced && !parts.is_empty() {
                return Err(Error::ForcedIndexHint(hint_text(&scan.hint)));
            }
        }
        Ok(changed)
    })
}

/// Variables not known yet where the node at `position` starts.
pub(super) fn later_variables(pipeline: &Pipeline, position: usize) -> VarSet {
    written_by(pipeline.nodes.iter().skip(position))
}

pub(super) fn hint_text(hint: &IndexHint) -> String {
    hint.names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
}

/// The parts of all filters a document of the scan at `position` has to pass, paths resolved.
pub(super) fn condition_parts(
    pipeline: &Pipeline,
    position: usize,
    definitions: &Definitions,
    document: VarId,
    context: &Context<'_>,
) -> Vec<Expr> {
    let mut parts = Vec::new();
    for (_, condition) in conditions_behind(pipeline, position, definitions, context) {
        for part in condition.operands(BinaryOperator::And) {
            if part.reads().contains(document) {
                parts.push(part.clone());
            }
        }
    }
    parts
}

/// Accesses chosen for a scan, with the conditions for display and those covered.
pub(super) struct Choice {
    pub(super) matches: Vec<Match>,
    pub(super) condition: Vec<Vec<Expr>>,
    pub(super) covered: Vec<Expr>,
    pub(super) cost: f64,
}

fn choose(
    scan: &EnumerateCollectionNode,
    meta: &Arc<CollectionMeta>,
    parts: &[Expr],
    later: &VarSet,
    context: &Context<'_>,
) -> Option<Choice> {
    if scan.hint.disabled || scan.random || parts.is_empty() {
        return None;
    }
    let document = scan.output.out;
    let hinted = |index: &IndexMeta| scan.hint.names.contains(&index.name);
    if !scan.hint.names.is_empty() {
        let choice = choose_among(meta, parts, document, later, context, &hinted);
        if choice.is_some() || scan.hint.forced {
            return choice;
        }
    }
    choose_among(meta, parts, document, later, context, &|_| true)
}

pub(super) fn choose_among(
    meta: &CollectionMeta,
    parts: &[Expr],
    document: VarId,
    later: &VarSet,
    context: &Context<'_>,
    allowed: &dyn Fn(&IndexMeta) -> bool,
) -> Option<Choice> {
    let conditions: Vec<Condition> = parts.iter().map(|part| Condition::new(part, document, later)).collect();
    let mut best = best_match(meta, &conditions, allowed).map(|(cost, found)| {
        let pick = |positions: &[usize]| positions.iter().filter_map(|at| parts.get(*at).cloned()).collect();
        let condition: Vec<Expr> = pick(&found.used);
        let covered = pick(&found.covered);
        Choice { matches: vec![found], condition: vec![condition], covered, cost }
    });
    for part in parts {
        let branches = part.operands(BinaryOperator::Or);
        if branches.len() < 2 || branches.len() > context.options.max_disjuncts {
            continue;
        }
        let choice = choose_for_branches(meta, part, &branches, parts, document, later, allowed);
        if let Some(choice) = choice
            && best.as_ref().is_none_or(|best| choice.cost < best.cost)
        {
            best = Some(choice);
        }
    }
    best
}

/// One access for each branch of an OR; each branch may use the other parts as well.
fn choose_for_branches(
    meta: &CollectionMeta,
    whole: &Expr,
    branches: &[&Expr],
    parts: &[Expr],
    document: VarId,
    later: &VarSet,
    allowed: &dyn Fn(&IndexMeta) -> bool,
) -> Option<Choice> {
    let mut choice = Choice { matches: Vec::new(), condition: Vec::new(), covered: Vec::new(), cost: 0.0 };
    let mut all_covered = true;
    for branch in branches {
        let own = branch.operands(BinaryOperator::And);
        let all: Vec<&Expr> =
            own.iter().copied().chain(parts.iter().filter(|part| !std::ptr::eq(*part, whole))).collect();
        let conditions: Vec<Condition> =
            all.iter().map(|part| Condition::new(part, document, later)).collect();
        let (cost, found) = best_match(meta, &conditions, allowed)?;
        // An access made only from what all branches share gains nothing over a plain access.
        if !found.used.iter().any(|at| *at < own.len()) {
            return None;
        }
        all_covered &= (0..own.len()).all(|at| found.covered.contains(&at));
        choice.cost += cost;
        choice
            .condition
            .push(found.used.iter().filter_map(|at| all.get(*at).map(|part| (*part).clone())).collect());
        choice.matches.push(found);
    }
    if all_covered {
        choice.covered.push(whole.clone());
    }
    Some(choice)
}

fn index_node(scan: &EnumerateCollectionNode, choice: Choice) -> IndexNode {
    let needs_dedup = choice.matches.len() > 1 || choice.matches.iter().any(|found| found.repeats);
    IndexNode {
        collection: scan.collection.clone(),
        output: scan.output.clone(),
        accesses: choice.matches.into_iter().map(|found| found.access).collect(),
        needs_dedup,
        ascending: true,
        sorted: false,
        covering: false,
        limit: 0,
        condition: choice.condition,
        covered: choice.covered,
        read_own_writes: scan.read_own_writes,
        hint: scan.hint.clone(),
        count_into: None,
    }
}
