//! What the executor needs to know about data flow: live variables, captures of subqueries, carried variables of COLLECT,
//! and which subqueries are constant.

use super::{pipeline_is_deterministic, pipeline_reads, reads, writes};
use crate::catalog::FunctionCatalog;
use crate::plan::{NodeKind, Pipeline, Plan};
use crate::var_set::VarSet;

/// Fills all of it in.
pub(crate) fn annotate(plan: &mut Plan, functions: &dyn FunctionCatalog) {
    annotate_pipeline(&mut plan.root, &VarSet::new(), functions);
}

fn annotate_pipeline(pipeline: &mut Pipeline, needed: &VarSet, functions: &dyn FunctionCatalog) {
    let mut live = needed.clone();
    for node in pipeline.nodes.iter_mut().rev() {
        node.live_after = live.iter().collect();
        let written = writes(&node.kind);
        if let NodeKind::Collect(collect) = &mut node.kind {
            collect.carried = live.iter().filter(|var| !written.contains(var)).collect();
        }
        match &mut node.kind {
            NodeKind::Subquery(subquery) => {
                annotate_pipeline(&mut subquery.pipeline, &VarSet::new(), functions);
                subquery.captures = pipeline_reads(&subquery.pipeline).iter().collect();
                subquery.is_const = subquery.captures.is_empty()
                    && subquery.guard.is_none()
                    && !subquery.pipeline.modifies()
                    && !subquery.row_at_a_time
                    && pipeline_is_deterministic(&subquery.pipeline, functions);
            }
            NodeKind::HashJoin(join) => {
                let built: VarSet = join.build.nodes.iter().flat_map(|node| writes(&node.kind)).collect();
                join.outs = live.iter().filter(|var| built.contains(*var)).collect();
                let mut needed: VarSet = join.outs.iter().copied().collect();
                join.build_keys.iter().for_each(|key| key.collect_reads(&mut needed));
                annotate_pipeline(&mut join.build, &needed, functions);
            }
            _ => {}
        }
        for var in written {
            live.remove(var);
        }
        live.union(&reads(&node.kind));
    }
}
