//! `remove-unnecessary-filters`: a filter that is always true goes; one that never is empties the result.

use super::Context;
use super::support::{Definitions, for_each_pipeline};
use crate::error::Error;
use crate::plan::{Expr, NodeKind, Plan};
use crate::value;

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    for_each_pipeline(plan, &mut |_, pipeline| {
        let mut changed = false;
        pipeline.nodes.retain_mut(|node| {
            let NodeKind::Filter { input } = node.kind else { return true };
            let Some(Expr::Const(constant)) = definitions.get(input) else { return true };
            changed = true;
            if value::is_truthy(constant) {
                return false;
            }
            node.kind = NodeKind::NoResults;
            true
        });
        Ok(changed)
    })
}
