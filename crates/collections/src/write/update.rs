//! Updating a document: merging a patch into it.

use persea_vpack::Slice;

use super::document::{SystemAttributes, build_merged, edge_ends};
use super::merge::MergeRules;
use super::options::{WriteOptions, WriteOutcome};
use super::transaction::Transaction;
use crate::collection::Collection;
use crate::error::Result;

impl Transaction {
    /// Merges `patch` into the document with this key. `_key`, `_id` and `_rev` of the patch are ignored.
    ///
    /// # Errors
    /// [`Error::DocumentTypeInvalid`](crate::Error::DocumentTypeInvalid),
    /// [`Error::DocumentNotFound`](crate::Error::DocumentNotFound),
    /// [`Error::RevisionMismatch`](crate::Error::RevisionMismatch),
    /// [`Error::InvalidEdgeAttribute`](crate::Error::InvalidEdgeAttribute),
    /// [`Error::UniqueConstraint`](crate::Error::UniqueConstraint),
    /// [`Error::WriteConflict`](crate::Error::WriteConflict).
    pub fn update(
        &mut self,
        collection: &Collection,
        key: &str,
        patch: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        let rules = MergeRules { keep_null: options.keep_null, merge_objects: options.merge_objects };
        self.write_over(collection, key, patch, options, |kind, name, revision, old, id, builder| {
            let ends = edge_ends(kind, patch, Some(old))?;
            let attributes = SystemAttributes { collection: name, key, revision, ends };
            build_merged(kind, &attributes, old, patch, rules, id, builder)
        })
    }
}
