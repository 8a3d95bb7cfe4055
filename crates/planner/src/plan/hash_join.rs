//! Equality joins with a hash table.

use super::{Expr, Pipeline, VarId};

/// Equality join. The build pipeline reads no variable of the outer row and is run once for the whole query, also when
/// the join stands in a subquery that runs many times; its rows are kept in a hash table by the build keys. Each input row is joined with all build rows whose keys are equal (AQL equality).
#[derive(Clone, Debug)]
pub struct HashJoinNode {
    /// Produces the inner rows; it has no Return node: its last node's live variables are the row.
    pub build: Pipeline,
    /// Keys of inner rows; read variables of `build` only.
    pub build_keys: Vec<Expr>,
    /// Keys of input rows, in the same order.
    pub probe_keys: Vec<Expr>,
    /// Variables of the build rows that are produced, ascending.
    pub outs: Vec<VarId>,
}
