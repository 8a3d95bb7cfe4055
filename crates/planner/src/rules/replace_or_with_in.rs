//! `replace-or-with-in`: `a == 1 OR a == 2` becomes `a IN [1, 2]`.

use super::Context;
use super::support::rewrite_exprs;
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, Plan};
use crate::value;

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    rewrite_exprs(plan, context, &mut merged)
}

fn merged(expr: &Expr) -> Option<Expr> {
    let Expr::Binary(BinaryOperator::Or, ..) = expr else { return None };
    let mut groups: Vec<(Option<Expr>, Vec<Expr>, Expr)> = Vec::new();
    let mut any_merged = false;
    for branch in expr.operands(BinaryOperator::Or) {
        // A branch that accepts no value stays as it is: merged with one of one value it would be taken for the whole.
        match members(branch).filter(|(_, values)| !values.is_empty()) {
            Some((attribute, values)) => {
                match groups.iter_mut().find(|(known, ..)| known.as_ref() == Some(&attribute)) {
                    Some((_, group, _)) => {
                        group.extend(values);
                        any_merged = true;
                    }
                    None => groups.push((Some(attribute), values, branch.clone())),
                }
            }
            None => groups.push((None, Vec::new(), branch.clone())),
        }
    }
    if !any_merged {
        return None;
    }
    let branches = groups.into_iter().map(|(attribute, values, original)| match attribute {
        Some(attribute) if values.len() > 1 => Expr::binary(BinaryOperator::In, attribute, list(values)),
        _ => original,
    });
    Expr::join(BinaryOperator::Or, branches)
}

/// The attribute a comparison is about, and the values it accepts.
fn members(branch: &Expr) -> Option<(Expr, Vec<Expr>)> {
    let Expr::Binary(op, left, right) = branch else { return None };
    match op {
        BinaryOperator::Equal => {
            let (attribute, accepted) = match (is_attribute(left), is_simple(right)) {
                (true, true) => (left, right),
                _ if is_attribute(right) && is_simple(left) => (right, left),
                _ => return None,
            };
            Some((attribute.as_ref().clone(), vec![accepted.as_ref().clone()]))
        }
        BinaryOperator::In if is_attribute(left) => match &**right {
            Expr::Const(constant) if constant.as_slice().is_array() => {
                let values = constant.as_slice().array_iter().map(|member| Expr::Const(value::copy(member)));
                Some((left.as_ref().clone(), values.collect()))
            }
            Expr::Array(members) if members.iter().all(is_simple) => {
                Some((left.as_ref().clone(), members.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_attribute(expr: &Expr) -> bool {
    expr.as_path().is_some_and(|(_, path)| !path.is_empty())
}

/// Values that can be put into a list without changing when they are computed.
fn is_simple(expr: &Expr) -> bool {
    expr.as_const().is_some() || expr.as_path().is_some_and(|(_, path)| path.is_empty())
}

fn list(values: Vec<Expr>) -> Expr {
    let mut distinct: Vec<Expr> = Vec::with_capacity(values.len());
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    let constants: Option<Vec<_>> =
        distinct.iter().map(|value| value.as_const().map(|constant| constant.as_slice())).collect();
    match constants {
        Some(constants) => Expr::Const(value::array(constants.into_iter())),
        None => Expr::Array(distinct),
    }
}
