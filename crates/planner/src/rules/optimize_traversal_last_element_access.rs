//! `optimize-traversal-last-element-access`: `p.vertices[-1]` is the vertex variable, `p.edges[-1]` the edge variable.

use std::collections::HashMap;

use super::Context;
use super::support::rewrite_exprs;
use crate::error::Error;
use crate::flow;
use crate::plan::{Expr, NodeKind, Plan, VarId};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let mut paths: HashMap<VarId, (Option<VarId>, Option<VarId>)> = HashMap::new();
    flow::for_each_node(&plan.root, &mut |node| {
        if let NodeKind::Traversal(traversal) = &node.kind
            && let Some(path) = traversal.path_out
        {
            paths.insert(path, (traversal.vertex_out, traversal.edge_out));
        }
    });
    if paths.is_empty() {
        return Ok(false);
    }
    rewrite_exprs(plan, context, &mut |expr| {
        let Expr::Index(base, index) = expr else { return None };
        if index.as_const()?.as_slice().as_i64() != Some(-1) {
            return None;
        }
        let (path, names) = base.as_path()?;
        let (vertex, edge) = paths.get(&path)?;
        match names.as_slice() {
            [only] if &**only == "vertices" => vertex.map(Expr::Var),
            [only] if &**only == "edges" => edge.map(Expr::Var),
            _ => None,
        }
    })
}
