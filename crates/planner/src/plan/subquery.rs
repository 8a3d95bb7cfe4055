//! Subqueries.

use super::{Expr, Pipeline, VarId};

/// Subquery.
#[derive(Clone, Debug)]
pub struct SubqueryNode {
    /// The nested pipeline; its Singleton passes the current row in.
    pub pipeline: Pipeline,
    /// The array of results (empty when the pipeline ends in a modification).
    pub out: VarId,
    /// Variables of the surrounding row the pipeline reads, ascending.
    pub captures: Vec<VarId>,
    /// Whether it captures nothing and is deterministic without writes: one run serves all rows.
    pub is_const: bool,
    /// Run only for rows where this is truthy; others get null. (Subqueries in branches of `?:`, `&&` and `||`.)
    pub guard: Option<Expr>,
    /// UPSERT lookup: rows must pass from here to the Upsert node one at a time, since the lookup of a row has to see
    /// the write of the row before.
    pub row_at_a_time: bool,
    /// Only whether there is any result, or the number of results, matters: results may be any value (the executor
    /// may skip building them).
    pub only_count: bool,
}
