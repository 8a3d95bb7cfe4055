//! Index scans and lookups.

use std::sync::Arc;

use super::{CollectionRef, DocumentOutput, Expr, VarId};

/// Index scan: the union of the documents found by `accesses`, each document once.
#[derive(Clone, Debug)]
pub struct IndexNode {
    /// The collection.
    pub collection: CollectionRef,
    /// Documents, projections, fused filter.
    pub output: DocumentOutput,
    /// Lookups to perform, at least one. They are performed in this order.
    pub accesses: Vec<IndexAccess>,
    /// Whether a document may be found more than once (several accesses, array indexes), so that the executor has to
    /// remember those already produced for the current input row.
    pub needs_dedup: bool,
    /// Direction of the scan.
    pub ascending: bool,
    /// Whether later nodes rely on the index order.
    pub sorted: bool,
    /// Whether projections and filter can be computed from the index entry (key and stored values) alone; then
    /// documents need not be read.
    pub covering: bool,
    /// Stop after this many documents for each input row (0: no limit).
    pub limit: usize,
    /// The condition the accesses were made from, for display.
    pub condition: Vec<Vec<Expr>>,
    /// Conditions that hold for every document the accesses find, so that filters for them can go.
    pub covered: Vec<Expr>,
    /// Whether the scan must see writes made earlier by the same query (UPSERT lookups).
    pub read_own_writes: bool,
    /// Hint given by the user.
    pub hint: IndexHint,
    /// Only the number of entries matters: produce a single row whose `count_into` variable is the count.
    pub count_into: Option<VarId>,
}

/// Which part of an index to read. Everything inclusive of AQL order: entries whose first fields equal `terms` and
/// whose next field lies within the bounds. Without terms and bounds it is the whole index.
///
/// Values are evaluated for each input row. A primary index access has one term for `_key` or `_id`, an edge index
/// access one for `_from` or `_to` (see [`IndexAccess::field`]); values that are no strings there find nothing.
#[derive(Clone, Debug)]
pub struct IndexAccess {
    /// Number of the index in its collection.
    pub index: u64,
    /// Its name.
    pub name: Arc<str>,
    /// Its kind.
    pub kind: IndexKind,
    /// For the primary index `_key` or `_id`, for edge indexes `_from` or `_to`; otherwise the first index field.
    pub field: Arc<str>,
    /// Equality terms for a prefix of the index fields.
    pub terms: Vec<KeyTerm>,
    /// Lower bound of the field after the terms.
    pub lower: Option<KeyBound>,
    /// Upper bound of the field after the terms.
    pub upper: Option<KeyBound>,
}

/// Kinds of indexes the planner tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// `_key` and `_id`.
    Primary,
    /// `_from` and `_to`.
    Edge,
    /// Sorted index on attribute paths.
    Persistent,
    /// Any other: never chosen for a condition.
    Other,
}

impl IndexKind {
    /// ArangoDB's type name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Edge => "edge",
            Self::Persistent => "persistent",
            Self::Other => "other",
        }
    }
}

/// Equality condition for one index field.
#[derive(Clone, Debug)]
pub enum KeyTerm {
    /// The field equals the value.
    Equal(Expr),
    /// The field equals a member of the array; anything but an array finds nothing. The executor removes duplicate
    /// members and visits them in index order.
    In(Expr),
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct KeyBound {
    /// The bound.
    pub value: Expr,
    /// Whether the bound itself belongs to the range.
    pub inclusive: bool,
}

/// The user's say on indexes of one FOR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexHint {
    /// Names of indexes to prefer, best first.
    pub names: Vec<Arc<str>>,
    /// Fail unless one of them can be used.
    pub forced: bool,
    /// Use no index at all.
    pub disabled: bool,
}
