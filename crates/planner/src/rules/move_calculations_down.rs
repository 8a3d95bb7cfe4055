//! `move-calculations-down`: what is needed only after FILTER, SORT or LIMIT is computed only for rows that remain.

use super::Context;
use super::support::{for_each_pipeline, is_movable};
use crate::error::Error;
use crate::flow;
use crate::plan::{NodeKind, Plan};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = false;
        for position in (0..pipeline.nodes.len()).rev() {
            let Some(node) = pipeline.nodes.get(position) else { continue };
            if !is_movable(&node.kind, context) {
                continue;
            }
            let writes = flow::writes(&node.kind);
            let mut target = position;
            let mut saves_rows = false;
            while let Some(next) = pipeline.nodes.get(target + 1) {
                let passable = match &next.kind {
                    NodeKind::Calculation(_)
                    | NodeKind::Filter { .. }
                    | NodeKind::Sort(_)
                    | NodeKind::Limit(_)
                    | NodeKind::NoResults => true,
                    NodeKind::Subquery(_) => !next.kind.modifies(),
                    _ => false,
                };
                let reads = flow::reads(&next.kind);
                if !passable || writes.iter().any(|var| reads.contains(*var)) {
                    break;
                }
                target += 1;
                if matches!(next.kind, NodeKind::Filter { .. } | NodeKind::Limit(_) | NodeKind::NoResults) {
                    saves_rows = true;
                }
            }
            if saves_rows {
                let node = pipeline.nodes.remove(position);
                pipeline.nodes.insert(target, node);
                changed = true;
            }
        }
        Ok(changed)
    })
}
