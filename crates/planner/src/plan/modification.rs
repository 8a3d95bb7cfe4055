//! INSERT, UPDATE, REPLACE, REMOVE and UPSERT, which share their options.

use std::sync::Arc;

use super::{CollectionRef, VarId};

/// Options of data modification statements.
#[derive(Clone, Debug)]
pub struct ModificationOptions {
    /// Skip rows that fail.
    pub ignore_errors: bool,
    /// Skip rows whose document is missing (set with `ignore_errors` semantics for removals inside UPSERT-like plans).
    pub ignore_document_not_found: bool,
    /// Commit to disk before answering; none takes the collection's setting.
    pub wait_for_sync: Option<bool>,
    /// What INSERT does when the key exists.
    pub overwrite_mode: OverwriteMode,
    /// Keep attributes updated to null.
    pub keep_null: bool,
    /// Merge object attributes instead of replacing them.
    pub merge_objects: bool,
    /// Ignore `_rev` in the input.
    pub ignore_revs: bool,
    /// Lock out other writers.
    pub exclusive: bool,
    /// Write only if this attribute grows.
    pub version_attribute: Option<Arc<str>>,
    /// Put new entries into index caches.
    pub refill_index_caches: bool,
    /// UPSERT lookups see the writes of earlier rows.
    pub read_own_writes: bool,
}

impl Default for ModificationOptions {
    fn default() -> Self {
        Self {
            ignore_errors: false,
            ignore_document_not_found: false,
            wait_for_sync: None,
            overwrite_mode: OverwriteMode::Conflict,
            keep_null: true,
            merge_objects: true,
            ignore_revs: true,
            exclusive: false,
            version_attribute: None,
            refill_index_caches: false,
            read_own_writes: true,
        }
    }
}

/// What INSERT does when the key exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteMode {
    /// Fail with 1210.
    Conflict,
    /// Do nothing.
    Ignore,
    /// Replace the document.
    Replace,
    /// Update the document.
    Update,
}

impl OverwriteMode {
    /// ArangoDB's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Ignore => "ignore",
            Self::Replace => "replace",
            Self::Update => "update",
        }
    }
}

/// INSERT.
#[derive(Clone, Debug)]
pub struct InsertNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The document.
    pub input: VarId,
    /// The previous document (overwrite modes), null if there was none.
    pub out_old: Option<VarId>,
    /// The stored document.
    pub out_new: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// UPDATE and REPLACE.
#[derive(Clone, Debug)]
pub struct UpdateNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The new attributes.
    pub input_doc: VarId,
    /// The key (string or object with `_key`); without it the document's own `_key` counts.
    pub input_key: Option<VarId>,
    /// The previous document.
    pub out_old: Option<VarId>,
    /// The stored document.
    pub out_new: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// REMOVE.
#[derive(Clone, Debug)]
pub struct RemoveNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The key (string or object with `_key`).
    pub input: VarId,
    /// The removed document.
    pub out_old: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// UPSERT. The lookup is a [`SubqueryNode`](super::SubqueryNode) with `row_at_a_time` before it.
#[derive(Clone, Debug)]
pub struct UpsertNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The document found, or null; also what OLD refers to.
    pub input_doc: VarId,
    /// The document to insert if none was found.
    pub insert: VarId,
    /// The new attributes if one was found.
    pub update: VarId,
    /// Replace instead of update.
    pub is_replace: bool,
    /// The stored document.
    pub out_new: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}
