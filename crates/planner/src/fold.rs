//! Constant folding: parts of expressions that are the same for all rows are computed once, while planning.

use persea_vpack::Slice;

use crate::catalog::{ConstantEvaluator, FunctionCatalog};
use crate::error::Error;
use crate::plan::{BinaryOperator, Expr, ObjectKey};
use crate::value;
use crate::warnings::Warnings;

/// Division by zero: its constant form has a text of its own.
const DIVISION_BY_ZERO: u32 = 1562;

/// Folds the outermost operation of `expr`, whose operands are folded already.
pub(crate) fn fold(
    expr: Expr,
    functions: &dyn FunctionCatalog,
    evaluator: &dyn ConstantEvaluator,
    warnings: &mut Warnings,
) -> Result<Expr, Error> {
    let expr = match fold_literal(expr) {
        Ok(folded) => return Ok(folded),
        Err(expr) => expr,
    };
    let expr = match fold_choice(expr) {
        Ok(folded) => return Ok(folded),
        Err(expr) => expr,
    };
    if !is_computable(&expr, functions) {
        return Ok(expr);
    }
    let Some(evaluated) = evaluator.evaluate(&expr) else { return Ok(expr) };
    for (number, message) in evaluated.warnings {
        let message = if number == DIVISION_BY_ZERO { "division by zero".to_owned() } else { message };
        warnings.add(number, message)?;
    }
    Ok(Expr::Const(std::sync::Arc::new(evaluated.value)))
}

/// Arrays and objects of constants, and attributes of such objects.
fn fold_literal(expr: Expr) -> Result<Expr, Expr> {
    match &expr {
        Expr::Array(members) => {
            let constants: Option<Vec<Slice<'_>>> = members.iter().map(constant).collect();
            match constants {
                Some(constants) => Ok(Expr::Const(value::array(constants.into_iter()))),
                None => Err(expr),
            }
        }
        Expr::Object(members) => {
            let constants: Option<Vec<(&str, Slice<'_>)>> = members
                .iter()
                .map(|member| match &member.key {
                    ObjectKey::Name(name) => Some((&**name, constant(&member.value)?)),
                    ObjectKey::Computed(_) => None,
                })
                .collect();
            match constants {
                Some(constants) => Ok(Expr::Const(value::object(constants.into_iter()))),
                None => Err(expr),
            }
        }
        Expr::Attribute(base, name) => match constant(base) {
            Some(base) => {
                Ok(base.get(name).map_or_else(value::null, |member| Expr::Const(value::copy(member))))
            }
            None => Err(expr),
        },
        _ => Err(expr),
    }
}

fn constant(expr: &Expr) -> Option<Slice<'_>> {
    expr.as_const().map(|value| value.as_slice())
}

/// Logical operators and conditions decided by a constant.
fn fold_choice(expr: Expr) -> Result<Expr, Expr> {
    match expr {
        Expr::Binary(op @ (BinaryOperator::And | BinaryOperator::Or), left, right) => match &*left {
            Expr::Const(value) if value::is_truthy(value) == (op == BinaryOperator::And) => Ok(*right),
            Expr::Const(_) => Ok(*left),
            _ => Err(Expr::Binary(op, left, right)),
        },
        Expr::Ternary { condition, then, otherwise } => match &*condition {
            Expr::Const(value) if value::is_truthy(value) => Ok(then.map_or(*condition, |then| *then)),
            Expr::Const(_) => Ok(*otherwise),
            _ => Err(Expr::Ternary { condition, then, otherwise }),
        },
        other => Err(other),
    }
}

/// Whether the value depends on nothing but constants.
fn is_computable(expr: &Expr, functions: &dyn FunctionCatalog) -> bool {
    match expr {
        // Ranges stay lazy; user functions run only at run time.
        Expr::Const(_) | Expr::Var(_) | Expr::Range(..) | Expr::UserCall { .. } => return false,
        Expr::Expansion { source, .. } | Expr::QuestionMark { source, .. } => {
            if !is_constant_operand(source) || !expr.reads().is_empty() {
                return false;
            }
        }
        _ => {
            let mut all = true;
            expr.for_each_child(&mut |child| all &= is_constant_operand(child));
            if !all {
                return false;
            }
        }
    }
    let purity = expr.purity(functions);
    purity.deterministic && !purity.accesses_documents
}

fn is_constant_operand(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::Range(low, high) => matches!((&**low, &**high), (Expr::Const(_), Expr::Const(_))),
        _ => false,
    }
}
