//! `remove-redundant-or`: `a > 1 OR a > 2` is `a > 1`.

use super::Context;
use super::support::rewrite_exprs;
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, Plan};
use crate::value;

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    rewrite_exprs(plan, context, &mut reduced)
}

fn reduced(expr: &Expr) -> Option<Expr> {
    let Expr::Binary(BinaryOperator::Or, ..) = expr else { return None };
    let branches = expr.operands(BinaryOperator::Or);
    let kept: Vec<Expr> = branches
        .iter()
        .enumerate()
        .filter(|(position, branch)| {
            !branches.iter().enumerate().any(|(other_position, other)| {
                other_position != *position
                    && is_wider(other, branch)
                    // Of two equal ones the first stays.
                    && !(is_wider(branch, other) && position < &other_position)
            })
        })
        .map(|(_, branch)| (*branch).clone())
        .collect();
    if kept.len() == branches.len() {
        return None;
    }
    Expr::join(BinaryOperator::Or, kept)
}

/// Whether `wide` is true whenever `narrow` is.
fn is_wider(wide: &Expr, narrow: &Expr) -> bool {
    if wide == narrow {
        return is_comparison(wide);
    }
    let (Some((path, op, bound)), Some((path2, op2, bound2))) = (comparison(wide), comparison(narrow)) else {
        return false;
    };
    if path != path2 {
        return false;
    }
    let order = persea_order::compare(value::view(bound), value::view(bound2));
    use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual};
    match (op, op2) {
        (Greater | GreaterEqual, Greater | GreaterEqual) => {
            order.is_lt() || (order.is_eq() && (op == GreaterEqual || op2 == Greater))
        }
        (Less | LessEqual, Less | LessEqual) => {
            order.is_gt() || (order.is_eq() && (op == LessEqual || op2 == Less))
        }
        (Greater, Equal) => order.is_lt(),
        (GreaterEqual, Equal) => order.is_le(),
        (Less, Equal) => order.is_gt(),
        (LessEqual, Equal) => order.is_ge(),
        _ => false,
    }
}

fn is_comparison(expr: &Expr) -> bool {
    comparison(expr).is_some()
}

fn comparison(expr: &Expr) -> Option<(&Expr, BinaryOperator, &persea_vpack::VPackBuf)> {
    let Expr::Binary(op, left, right) = expr else { return None };
    let mirrored = op.mirrored()?;
    match (left.as_path(), right.as_const(), left.as_const(), right.as_path()) {
        (Some(_), Some(bound), _, _) => Some((left, *op, bound)),
        (_, _, Some(bound), Some(_)) => Some((right, mirrored, bound)),
        _ => None,
    }
}
