//! `simplify-conditions`: takes values straight out of literals (`{a: x}.a`, `[x, y][0]`) and undoes negations.

use std::sync::Arc;

use super::Context;
use super::support::{Definitions, rewrite_exprs};
use crate::error::Error;
use crate::plan::{Expr, ObjectKey, ObjectMember, Plan, UnaryOperator};

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let definitions = Definitions::new(plan);
    rewrite_exprs(plan, context, &mut |expr| simplify(expr, &definitions))
}

fn simplify(expr: &Expr, definitions: &Definitions) -> Option<Expr> {
    match expr {
        Expr::Attribute(base, name) => member_of(base, name, definitions),
        Expr::Index(base, index) => match &**base {
            Expr::Array(members) => {
                let position = index.as_const()?.as_slice().as_i64()?;
                let position =
                    if position < 0 { position + i64::try_from(members.len()).ok()? } else { position };
                members.get(usize::try_from(position).ok()?).cloned()
            }
            _ => None,
        },
        Expr::Unary(UnaryOperator::Not, operand) => match &**operand {
            Expr::Binary(op, left, right) => {
                op.negated().map(|op| Expr::Binary(op, left.clone(), right.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The member of an object literal, if the base is one and the member is cheap enough to be repeated.
fn member_of(base: &Expr, name: &Arc<str>, definitions: &Definitions) -> Option<Expr> {
    let (members, shared): (&[ObjectMember], bool) = match base {
        Expr::Object(members) => (members, false),
        Expr::Var(var) => match definitions.get(*var)? {
            Expr::Object(members) => (members, true),
            _ => return None,
        },
        _ => return None,
    };
    if members.iter().any(|member| matches!(member.key, ObjectKey::Computed(_))) {
        return None;
    }
    let member =
        members.iter().rev().find(|member| matches!(&member.key, ObjectKey::Name(known) if known == name));
    match member {
        None => Some(crate::value::null()),
        Some(member) if !shared || member.value.as_path().is_some() || member.value.as_const().is_some() => {
            Some(member.value.clone())
        }
        Some(_) => None,
    }
}
