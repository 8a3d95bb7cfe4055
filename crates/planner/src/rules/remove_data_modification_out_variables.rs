//! `remove-data-modification-out-variables`: OLD and NEW are not built unless they are read.

use super::Context;
use super::support::UseCounts;
use crate::error::Error;
use crate::flow;
use crate::plan::{NodeKind, Plan, VarId};

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    let mut changed = false;
    let mut drop_unread = |out: &mut Option<VarId>| {
        if out.is_some_and(|var| uses.of(var) == 0) {
            *out = None;
            changed = true;
        }
    };
    flow::for_each_node_mut(&mut plan.root, &mut |node| match &mut node.kind {
        NodeKind::Insert(node) => {
            drop_unread(&mut node.out_old);
            drop_unread(&mut node.out_new);
        }
        NodeKind::Update(node) | NodeKind::Replace(node) => {
            drop_unread(&mut node.out_old);
            drop_unread(&mut node.out_new);
        }
        NodeKind::Remove(node) => drop_unread(&mut node.out_old),
        NodeKind::Upsert(node) => drop_unread(&mut node.out_new),
        _ => {}
    });
    Ok(changed)
}
