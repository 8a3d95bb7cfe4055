//! The planner's question for the value of an expression without variables.

use bumpalo::Bump;
use persea_functions::{Environment, NoDocuments, Warnings};
use persea_planner::plan::Expr;
use persea_planner::{ConstantEvaluator, Evaluated};

use super::evaluate::Frame;
use super::{Compiler, Evaluator, Rows};

/// Folded results larger than this are left to the run time: a plan is kept and shown, a result only passes through.
const FOLDED_BYTES_MAX: usize = 64 * 1024;
/// The same as a number of members: ranges are lazy and stay so.
const FOLDED_MEMBERS_MAX: usize = 1000;

/// Expressions that take more work than this to compute are left to the run time too, where they can be ended.
const FOLDED_EFFORT_THOUSANDS: u32 = 64;
/// The same as memory they take on the way to their result.
const FOLDED_ARENA_BYTES_MAX: usize = 4 << 20;

/// Evaluates constant expressions at plan time, with the same code as at run time.
///
/// ```
/// use std::sync::Arc;
/// use persea_executor::ConstantFolder;
/// use persea_planner::ConstantEvaluator;
/// use persea_planner::plan::{BinaryOperator, Expr};
/// use persea_vpack::vpack;
///
/// let number = |value: i64| Box::new(Expr::Const(Arc::new(vpack!(value))));
/// let product = Expr::Binary(BinaryOperator::Multiply, number(6), number(7));
/// let folded = ConstantFolder.evaluate(&product).expect("a constant");
/// assert_eq!(folded.value.as_slice().as_i64(), Some(42));
///
/// let quotient = Expr::Binary(BinaryOperator::Divide, number(1), number(0));
/// let folded = ConstantFolder.evaluate(&quotient).expect("a constant");
/// assert_eq!(folded.warnings, [(1562, "division by zero".to_owned())]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ConstantFolder;

impl ConstantEvaluator for ConstantFolder {
    fn evaluate(&self, expr: &Expr) -> Option<Evaluated> {
        let arena = Bump::new();
        let env = Environment::new()
            .with_warnings(Warnings::new(usize::MAX, false))
            .with_effort_max(FOLDED_EFFORT_THOUSANDS)
            .with_arena_bytes_max(FOLDED_ARENA_BYTES_MAX);
        let compiled = Compiler::new(&[]).compile(expr);
        let evaluator = Evaluator::for_constants(&arena, &env, &NoDocuments);
        let mut values = Vec::new();
        evaluator.evaluate_in(&compiled, &Frame::Batch, Rows::All(1), &mut values).ok()?;
        let value = *values.first()?;
        if value.len() > FOLDED_MEMBERS_MAX {
            return None;
        }
        let value = value.to_vpack().ok()?;
        if value.bytes().len() > FOLDED_BYTES_MAX {
            return None;
        }
        let warnings =
            env.warnings().take().into_iter().map(|warning| (warning.code, warning.message)).collect();
        Some(Evaluated { value, warnings })
    }
}
