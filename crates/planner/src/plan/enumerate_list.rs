//! Iteration over an array.

use super::{Expr, VarId};

/// Iteration over an array.
#[derive(Clone, Debug)]
pub struct EnumerateListNode {
    /// The array (a run time value of another type fails the query with 1563).
    pub input: VarId,
    /// The member.
    pub out: VarId,
    /// Condition evaluated for each member; reads `out` and variables bound before.
    pub filter: Option<Expr>,
}
