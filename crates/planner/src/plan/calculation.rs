//! Computation of one value.

use super::{Expr, VarId};

/// Computation of one value.
#[derive(Clone, Debug)]
pub struct CalculationNode {
    /// What to compute.
    pub expr: Expr,
    /// Where the value goes.
    pub out: VarId,
}
