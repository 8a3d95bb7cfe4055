//! `splice-subqueries`: subqueries are shown as part of the outer node list. They run the same either way.

use super::Context;
use crate::error::Error;
use crate::flow;
use crate::plan::{NodeKind, Plan};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let mut any = false;
    flow::for_each_node(&plan.root, &mut |node| any |= matches!(node.kind, NodeKind::Subquery(_)));
    plan.spliced = true;
    Ok(any)
}
