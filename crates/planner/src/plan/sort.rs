//! SORT.

use super::VarId;

/// One sort criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The value compared.
    pub var: VarId,
    /// Ascending or descending.
    pub ascending: bool,
}

/// SORT.
#[derive(Clone, Debug)]
pub struct SortNode {
    /// Criteria, most significant first.
    pub keys: Vec<SortKey>,
    /// Only the first so many rows in order are needed (the Limit node itself follows).
    pub limit: Option<usize>,
    /// Whether equal rows must keep their input order.
    pub stable: bool,
}
