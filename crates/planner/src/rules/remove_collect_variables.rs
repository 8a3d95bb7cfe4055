//! `remove-collect-variables`: drops aggregates and INTO values nobody reads; INTO keeps only the variables that are.
//! An INTO of which only the number of members is read becomes a count.

use std::collections::HashMap;
use std::sync::Arc;

use super::Context;
use super::support::UseCounts;
use crate::error::Error;
use crate::flow;
use crate::plan::{Aggregate, CollectContent, CollectNode, Expr, NodeKind, Plan, VarId};

/// How INTO values are read.
#[derive(Default)]
struct Usage {
    whole: bool,
    lengths: bool,
    names: Vec<Arc<str>>,
}

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    let usages = usages(plan);
    let mut root = std::mem::take(&mut plan.root);
    let mut counted: HashMap<VarId, VarId> = HashMap::new();
    let mut changed = false;
    flow::for_each_node_mut(&mut root, &mut |node| {
        if let NodeKind::Collect(collect) = &mut node.kind {
            changed |= drop_unread(collect, &uses);
            changed |= reduce_into(plan, collect, &usages, &mut counted);
        }
    });
    if !counted.is_empty() {
        flow::for_each_node_mut(&mut root, &mut |node| {
            flow::for_each_expr_mut(&mut node.kind, &mut |expr| {
                expr.rewrite(&mut |part| {
                    length_argument(part).and_then(|var| counted.get(&var)).map(|var| Expr::Var(*var))
                });
            });
        });
    }
    plan.root = root;
    Ok(changed)
}

fn drop_unread(collect: &mut CollectNode, uses: &UseCounts) -> bool {
    let mut changed = false;
    if collect.into.as_ref().is_some_and(|into| uses.of(into.out) == 0) {
        collect.into = None;
        changed = true;
    }
    let before = collect.aggregates.len();
    collect.aggregates.retain(|aggregate| uses.of(aggregate.out) > 0);
    changed | (collect.aggregates.len() < before)
}

fn reduce_into(
    plan: &mut Plan,
    collect: &mut CollectNode,
    usages: &HashMap<VarId, Usage>,
    counted: &mut HashMap<VarId, VarId>,
) -> bool {
    let Some(into) = &mut collect.into else { return false };
    let Some(usage) = usages.get(&into.out) else { return false };
    if usage.whole {
        return false;
    }
    if usage.names.is_empty() && usage.lengths {
        let out = plan.new_variable();
        counted.insert(into.out, out);
        collect.aggregates.push(Aggregate { out, function: Arc::from("LENGTH"), input: None });
        collect.into = None;
        return true;
    }
    let CollectContent::Variables(variables) = &mut into.content else { return false };
    let before = variables.len();
    variables.retain(|(name, _)| usage.names.contains(name));
    variables.len() < before
}

fn usages(plan: &Plan) -> HashMap<VarId, Usage> {
    let mut usages: HashMap<VarId, Usage> = HashMap::new();
    flow::for_each_node(&plan.root, &mut |node| {
        if let NodeKind::Collect(collect) = &node.kind
            && let Some(into) = &collect.into
        {
            usages.insert(into.out, Usage::default());
        }
    });
    flow::for_each_node(&plan.root, &mut |node| {
        flow::for_each_input(&node.kind, &mut |var| note_whole(&mut usages, var));
        flow::for_each_expr(&node.kind, &mut |expr| note_uses(expr, &mut usages));
    });
    usages
}

fn note_whole(usages: &mut HashMap<VarId, Usage>, var: VarId) {
    if let Some(usage) = usages.get_mut(&var) {
        usage.whole = true;
    }
}

fn note_uses(expr: &Expr, usages: &mut HashMap<VarId, Usage>) {
    if let Some(var) = length_argument(expr) {
        if let Some(usage) = usages.get_mut(&var) {
            usage.lengths = true;
        }
        return;
    }
    match expr {
        Expr::Var(var) => note_whole(usages, *var),
        Expr::Expansion { source, flatten: 0, current, filter, limit, map: Some(map) } => {
            let Expr::Var(var) = **source else {
                return expr.for_each_child(&mut |child| note_uses(child, usages));
            };
            let mut names = Vec::new();
            let by_name = [filter.as_deref(), Some(map)]
                .into_iter()
                .flatten()
                .all(|body| member_names(body, *current, &mut names));
            match usages.get_mut(&var) {
                Some(usage) if by_name => usage.names.extend(names),
                Some(usage) => usage.whole = true,
                None => {}
            }
            for body in [filter.as_deref(), Some(map)].into_iter().flatten() {
                note_uses(body, usages);
            }
            if let Some(limit) = limit {
                note_uses(&limit.0, usages);
                note_uses(&limit.1, usages);
            }
        }
        other => other.for_each_child(&mut |child| note_uses(child, usages)),
    }
}

/// Adds the attributes of `current` that are read; false if it is read as a whole.
fn member_names(expr: &Expr, current: VarId, names: &mut Vec<Arc<str>>) -> bool {
    if let Some((var, path)) = expr.as_path() {
        return match path.first() {
            Some(name) if var == current => {
                names.push(Arc::clone(name));
                true
            }
            None if var == current => false,
            _ => true,
        };
    }
    let mut by_name = true;
    expr.for_each_child(&mut |child| by_name &= member_names(child, current, names));
    by_name
}

fn length_argument(expr: &Expr) -> Option<VarId> {
    match expr {
        Expr::Call { function, args } if matches!(&**function, "LENGTH" | "COUNT") => match args.as_slice() {
            [Expr::Var(var)] => Some(*var),
            _ => None,
        },
        _ => None,
    }
}
