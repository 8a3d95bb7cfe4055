//! `move-calculations-up`: calculations and subqueries move as far to the front as their inputs allow, out of loops
//! and before filters that may then move too.

use super::Context;
use super::support::{for_each_pipeline, is_barrier, is_movable};
use crate::error::Error;
use crate::flow;
use crate::plan::{NodeKind, Plan};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = false;
        for position in 1..pipeline.nodes.len() {
            let Some(node) = pipeline.nodes.get(position) else { break };
            if !is_movable(&node.kind, context) {
                continue;
            }
            let reads = flow::reads(&node.kind);
            let mut target = position;
            let mut passes_real_work = false;
            while let Some(before) = target.checked_sub(1).and_then(|at| pipeline.nodes.get(at)) {
                if is_barrier(&before.kind)
                    || flow::writes(&before.kind).iter().any(|var| reads.contains(*var))
                {
                    break;
                }
                passes_real_work |= !matches!(before.kind, NodeKind::Calculation(_) | NodeKind::Subquery(_));
                target -= 1;
            }
            // Passing only its like changes nothing.
            if target < position && passes_real_work {
                let node = pipeline.nodes.remove(position);
                pipeline.nodes.insert(target, node);
                changed = true;
            }
        }
        Ok(changed)
    })
}
