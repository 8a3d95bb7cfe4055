//! `inline-subqueries`: `FOR x IN (FOR d IN c … RETURN d)` becomes `FOR d IN c …` in the outer query.
//!
//! Without a loop outside, every subquery qualifies whose rows the outer loop alone reads. Inside a loop, LIMIT, SORT
//! and the like would mean something else for all rows together, so only plain loops and filters are merged.

use std::collections::HashMap;

use super::Context;
use super::support::{UseCounts, for_each_pipeline, replace_everywhere, written_by};
use crate::error::Error;
use crate::flow;
use crate::plan::{Node, NodeKind, Pipeline, Plan, SubqueryNode, VarId};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    let mut renamed = HashMap::new();
    let changed = for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = false;
        while let Some((subquery, list)) = candidate(pipeline, &uses) {
            inline(pipeline, subquery, list, &mut renamed);
            changed = true;
        }
        Ok(changed)
    })?;
    // A renamed variable may have been renamed to one that went away later.
    for _ in 0..renamed.len() {
        let step: HashMap<VarId, VarId> =
            renamed.iter().map(|(from, to)| (*from, *renamed.get(to).unwrap_or(to))).collect();
        if step == renamed {
            break;
        }
        renamed = step;
    }
    replace_everywhere(&mut plan.root, &renamed);
    Ok(changed)
}

/// Positions of a subquery and of the list loop over it.
fn candidate(pipeline: &Pipeline, uses: &UseCounts) -> Option<(usize, usize)> {
    pipeline.nodes.iter().enumerate().find_map(|(list, node)| {
        let NodeKind::EnumerateList(enumerate) = &node.kind else { return None };
        let subquery = pipeline.nodes.iter().take(list).position(
            |node| matches!(&node.kind, NodeKind::Subquery(subquery) if subquery.out == enumerate.input),
        )?;
        let NodeKind::Subquery(inner) = &pipeline.nodes.get(subquery)?.kind else { return None };
        let qualifies = enumerate.filter.is_none()
            && uses.of(inner.out) == 1
            && inner.guard.is_none()
            && !inner.row_at_a_time
            && ends_in_return(&inner.pipeline)
            && !inner.pipeline.modifies()
            && keeps_meaning(pipeline, list, inner);
        qualifies.then_some((subquery, list))
    })
}

fn ends_in_return(pipeline: &Pipeline) -> bool {
    matches!(pipeline.nodes.last().map(|node| &node.kind), Some(NodeKind::Return { .. }))
}

fn keeps_meaning(pipeline: &Pipeline, list: usize, inner: &SubqueryNode) -> bool {
    let is_plain = |node: &Node| {
        flow::is_loop(&node.kind)
            || matches!(
                node.kind,
                NodeKind::Singleton
                    | NodeKind::Calculation(_)
                    | NodeKind::Filter { .. }
                    | NodeKind::Subquery(_)
                    | NodeKind::Return { .. }
            )
    };
    if inner.pipeline.nodes.iter().all(is_plain) {
        return true;
    }
    let single_row = pipeline.nodes.iter().take(list).all(|node| {
        matches!(node.kind, NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Subquery(_))
    });
    if !single_row {
        return false;
    }
    // COLLECT would hide what the outer query bound before.
    let groups = inner.pipeline.nodes.iter().any(|node| matches!(node.kind, NodeKind::Collect(_)));
    let outer = written_by(pipeline.nodes.iter().take(list));
    !groups || pipeline.nodes.iter().skip(list + 1).all(|node| !flow::reads(&node.kind).intersects(&outer))
}

fn inline(pipeline: &mut Pipeline, subquery: usize, list: usize, renamed: &mut HashMap<VarId, VarId>) {
    let removed = pipeline.nodes.remove(list);
    let NodeKind::EnumerateList(enumerate) = removed.kind else { return };
    let removed = pipeline.nodes.remove(subquery);
    let NodeKind::Subquery(inner) = removed.kind else { return };
    let mut nodes = inner.pipeline.nodes;
    nodes.retain(|node| !matches!(node.kind, NodeKind::Singleton));
    if let Some(NodeKind::Return { input }) = nodes.last().map(|node| &node.kind) {
        renamed.insert(enumerate.out, *input);
        nodes.pop();
    }
    let at = list - 1;
    pipeline.nodes.splice(at..at, nodes);
}
