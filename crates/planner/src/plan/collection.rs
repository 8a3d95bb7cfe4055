//! The collections that a plan uses, and how.

use std::sync::Arc;

use crate::catalog::CollectionMeta;

/// How a query accesses a collection; ordered by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessMode {
    /// Only reads.
    Read,
    /// Reads and writes.
    Write,
    /// Writes, and no one else may write meanwhile.
    Exclusive,
}

/// One collection a plan uses.
#[derive(Clone, Debug)]
pub struct CollectionUse {
    /// The collection.
    pub collection: CollectionRef,
    /// Strongest access of any node.
    pub mode: AccessMode,
    /// What the catalog said about it.
    pub meta: Arc<CollectionMeta>,
}

/// A collection by number and name, cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CollectionRef {
    /// The collection's number in its database.
    pub id: u64,
    /// Its name when the plan was made.
    pub name: Arc<str>,
    /// Whether it is an edge collection.
    pub is_edge: bool,
}
