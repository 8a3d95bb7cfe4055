//! `optimize-subqueries`: a subquery of which only the first results, or only the number of results, are read, stops
//! early, or builds no results.

use std::collections::HashMap;

use super::Context;
use crate::error::Error;
use crate::flow;
use crate::plan::{BinaryOperator, Expr, LimitNode, NodeKind, Plan, SubqueryNode, VarId};
use crate::value;

/// What is read of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    /// So many members from the front.
    First(u64),
    /// Whether there is any member.
    Existence,
    /// The number of members.
    Count,
    Everything,
}

impl Need {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, need) | (need, Self::Nothing) => need,
            (Self::First(one), Self::First(two)) => Self::First(one.max(two)),
            (Self::Existence, Self::Existence) => Self::Existence,
            (Self::Existence | Self::Count, Self::Existence | Self::Count) => Self::Count,
            _ => Self::Everything,
        }
    }
}

pub(super) fn apply(plan: &mut Plan, _: &mut Context<'_>) -> Result<bool, Error> {
    let needs = needs(plan);
    let mut root = std::mem::take(&mut plan.root);
    let mut changed = false;
    flow::for_each_node_mut(&mut root, &mut |node| {
        if let NodeKind::Subquery(subquery) = &mut node.kind
            && let Some(need) = needs.get(&subquery.out)
        {
            changed |= shorten(plan, subquery, *need);
        }
    });
    plan.root = root;
    Ok(changed)
}

fn needs(plan: &Plan) -> HashMap<VarId, Need> {
    let mut needs: HashMap<VarId, Need> = HashMap::new();
    flow::for_each_node(&plan.root, &mut |node| {
        if let NodeKind::Subquery(subquery) = &node.kind {
            needs.insert(subquery.out, Need::Nothing);
        }
    });
    flow::for_each_node(&plan.root, &mut |node| {
        flow::for_each_input(&node.kind, &mut |var| note(&mut needs, var, Need::Everything));
        flow::for_each_expr(&node.kind, &mut |expr| note_uses(expr, &mut needs));
    });
    needs
}

fn note(needs: &mut HashMap<VarId, Need>, var: VarId, need: Need) {
    if let Some(known) = needs.get_mut(&var) {
        *known = known.join(need);
    }
}

fn note_uses(expr: &Expr, needs: &mut HashMap<VarId, Need>) {
    match expr {
        Expr::Var(var) => note(needs, *var, Need::Everything),
        Expr::Binary(op, left, right) => {
            if let Some(var) = existence_test(*op, left, right) {
                note(needs, var, Need::Existence);
                return;
            }
            note_uses(left, needs);
            note_uses(right, needs);
        }
        Expr::Index(base, index) => match (&**base, position(index)) {
            (Expr::Var(var), Some(position)) => note(needs, *var, Need::First(position + 1)),
            _ => expr.for_each_child(&mut |child| note_uses(child, needs)),
        },
        Expr::Call { function, args } => match (&**function, args.as_slice()) {
            ("FIRST", [Expr::Var(var)]) => note(needs, *var, Need::First(1)),
            ("LENGTH" | "COUNT", [Expr::Var(var)]) => note(needs, *var, Need::Count),
            _ => args.iter().for_each(|arg| note_uses(arg, needs)),
        },
        other => other.for_each_child(&mut |child| note_uses(child, needs)),
    }
}

fn position(index: &Expr) -> Option<u64> {
    index.as_const().filter(|value| value.as_slice().is_number()).and_then(|value| {
        value
            .as_slice()
            .as_i64()
            .and_then(|position| u64::try_from(position).ok())
            .filter(|position| *position < 1000)
    })
}

/// The list in `LENGTH(list) > 0` and the like.
fn existence_test(op: BinaryOperator, left: &Expr, right: &Expr) -> Option<VarId> {
    let list = |expr: &Expr| match expr {
        Expr::Call { function, args } if matches!(&**function, "LENGTH" | "COUNT") => match args.as_slice() {
            [Expr::Var(var)] => Some(*var),
            _ => None,
        },
        _ => None,
    };
    let number =
        |expr: &Expr| expr.as_const().filter(|value| value.as_slice().is_number())?.as_slice().as_i64();
    let (op, list, number) = match (list(left), number(right)) {
        (Some(list), Some(number)) => (op, list, number),
        _ => (op.mirrored()?, list(right)?, number(left)?),
    };
    let decides = matches!(
        (op, number),
        (
            BinaryOperator::Greater
                | BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::LessEqual,
            0
        ) | (BinaryOperator::GreaterEqual | BinaryOperator::Less, 1)
    );
    decides.then_some(list)
}

fn shorten(plan: &mut Plan, subquery: &mut SubqueryNode, need: Need) -> bool {
    if subquery.row_at_a_time || subquery.only_count || subquery.pipeline.modifies() {
        return false;
    }
    match need {
        Need::First(count) => add_limit(plan, subquery, count),
        Need::Existence => {
            let limited = add_limit(plan, subquery, 1);
            return_nothing(plan, subquery) | limited
        }
        Need::Count => return_nothing(plan, subquery),
        Need::Nothing | Need::Everything => false,
    }
}

fn add_limit(plan: &mut Plan, subquery: &mut SubqueryNode, count: u64) -> bool {
    let nodes = &mut subquery.pipeline.nodes;
    let has_loop = nodes.iter().any(|node| flow::is_loop(&node.kind));
    let limited = nodes.iter().rev().any(|node| match &node.kind {
        NodeKind::Limit(limit) => limit.count <= count,
        _ => false,
    });
    if !has_loop || limited || !matches!(nodes.last().map(|node| &node.kind), Some(NodeKind::Return { .. })) {
        return false;
    }
    let limit = plan.new_node(NodeKind::Limit(LimitNode { offset: 0, count, full_count: false }));
    nodes.insert(nodes.len() - 1, limit);
    true
}

/// Results are not looked at: any constant will do.
fn return_nothing(plan: &mut Plan, subquery: &mut SubqueryNode) -> bool {
    let nodes = &mut subquery.pipeline.nodes;
    let Some(NodeKind::Return { input }) = nodes.last().map(|node| &node.kind) else { return false };
    if plan.variable(*input).is_some_and(|variable| variable.constant.is_some()) {
        subquery.only_count = true;
        return false;
    }
    let (calculation, input) = plan.new_calculation(value::bool(true));
    if let Some(last) = nodes.last_mut() {
        last.kind = NodeKind::Return { input };
    }
    nodes.insert(1.min(nodes.len()), calculation);
    subquery.only_count = true;
    true
}
