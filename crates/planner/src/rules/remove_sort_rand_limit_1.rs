//! `remove-sort-rand-limit-1`: `FOR d IN c SORT RAND() LIMIT 1` reads one document chosen at random.

use super::Context;
use super::support::{Definitions, for_each_pipeline};
use crate::error::Error;
use crate::plan::{Expr, NodeKind, Pipeline, Plan};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |_, pipeline| {
        let Some((scan, sort)) = candidate(pipeline, &definitions) else { return Ok(false) };
        if let Some(NodeKind::EnumerateCollection(scan)) =
            pipeline.nodes.get_mut(scan).map(|node| &mut node.kind)
        {
            scan.random = true;
        }
        pipeline.nodes.remove(sort);
        Ok(true)
    })
}

fn candidate(pipeline: &Pipeline, definitions: &Definitions) -> Option<(usize, usize)> {
    let mut scan = None;
    for (position, node) in pipeline.nodes.iter().enumerate() {
        match &node.kind {
            NodeKind::Singleton | NodeKind::Calculation(_) => {}
            NodeKind::EnumerateCollection(found) if scan.is_none() && !found.random => scan = Some(position),
            NodeKind::Sort(sort) => {
                let [key] = sort.keys.as_slice() else { return None };
                let is_random = matches!(
                    definitions.get(key.var),
                    Some(Expr::Call { function, args }) if &**function == "RAND" && args.is_empty()
                );
                let one = matches!(
                    pipeline.nodes.get(position + 1).map(|node| &node.kind),
                    Some(NodeKind::Limit(limit)) if limit.offset == 0 && limit.count == 1 && !limit.full_count
                );
                return (is_random && one).then_some((scan?, position));
            }
            _ => return None,
        }
    }
    None
}
