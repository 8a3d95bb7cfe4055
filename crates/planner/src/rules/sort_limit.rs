//! `sort-limit`: a SORT followed by LIMIT keeps only as many rows as are asked for.

use super::Context;
use super::support::for_each_pipeline;
use crate::error::Error;
use crate::plan::{NodeKind, Pipeline, Plan};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = false;
        for position in 0..pipeline.nodes.len() {
            let Some(wanted) = wanted(pipeline, position) else { continue };
            if let Some(NodeKind::Sort(sort)) = pipeline.nodes.get_mut(position).map(|node| &mut node.kind)
                && sort.limit.is_none()
            {
                sort.limit = Some(wanted);
                changed = true;
            }
        }
        Ok(changed)
    })
}

/// How many sorted rows the LIMIT behind a Sort needs.
fn wanted(pipeline: &Pipeline, sort: usize) -> Option<usize> {
    let next =
        pipeline.nodes.iter().skip(sort + 1).find(|node| !matches!(node.kind, NodeKind::Calculation(_)))?;
    match &next.kind {
        // The number of all rows can only be counted if all of them come through.
        NodeKind::Limit(limit) if !limit.full_count && limit.count < u64::MAX => {
            limit.offset.checked_add(limit.count).and_then(|rows| usize::try_from(rows).ok())
        }
        _ => None,
    }
}
