//! Full scan of a collection.

use super::{CollectionRef, DocumentOutput, IndexHint, VarId};

/// Full collection scan.
#[derive(Clone, Debug)]
pub struct EnumerateCollectionNode {
    /// The collection.
    pub collection: CollectionRef,
    /// Documents, projections, fused filter.
    pub output: DocumentOutput,
    /// Produce one document chosen at random instead of all.
    pub random: bool,
    /// Hint given by the user.
    pub hint: IndexHint,
    /// Whether the scan must see writes made earlier by the same query (UPSERT lookups).
    pub read_own_writes: bool,
    /// Only the number of documents matters: produce a single row whose `count_into` variable is the count.
    pub count_into: Option<VarId>,
}
