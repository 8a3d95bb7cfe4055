//! Writing one document as VelocyPack; the operation is tried again when it loses against another.

use persea_collections::{WriteOptions, WriteOutcome};
use persea_vpack::Slice;

use super::Collection;
use crate::error::Result;

impl Collection {
    /// Inserts a document.
    ///
    /// # Errors
    /// 1210 when its key or a unique value is taken, 1221 for a bad key, 1227 for what is no object, 1233 for an edge
    /// without ends.
    pub fn insert_with(&self, document: Slice<'_>, options: &WriteOptions) -> Result<WriteOutcome> {
        self.write(|tx| tx.insert(&self.inner, document, options))
    }

    /// Merges `patch` into the document of this key.
    ///
    /// # Errors
    /// 1202 when there is none, 1200 when its revision isn't the expected one; else as
    /// [`insert_with`](Collection::insert_with).
    pub fn update_with(&self, key: &str, patch: Slice<'_>, options: &WriteOptions) -> Result<WriteOutcome> {
        self.write(|tx| tx.update(&self.inner, key, patch, options))
    }

    /// Replaces the document of this key.
    ///
    /// # Errors
    /// As [`update_with`](Collection::update_with).
    pub fn replace_with(
        &self,
        key: &str,
        document: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.write(|tx| tx.replace(&self.inner, key, document, options))
    }

    /// Removes the document of this key.
    ///
    /// # Errors
    /// 1202 when there is none, 1200 when its revision isn't the expected one.
    pub fn remove_with(&self, key: &str, options: &WriteOptions) -> Result<WriteOutcome> {
        self.write(|tx| tx.remove(&self.inner, key, options))
    }
}
