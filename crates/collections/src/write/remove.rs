//! Removing a document.

use persea_kv::Tree;
use persea_vpack::{Slice, VPackBuf};

use super::document::stored_revision;
use super::options::{WriteOptions, WriteOutcome};
use super::precondition::check_revision;
use super::transaction::Transaction;
use crate::collection::Collection;
use crate::error::Result;

impl Transaction {
    /// Removes the document with this key.
    ///
    /// # Errors
    /// [`Error::DocumentNotFound`](crate::Error::DocumentNotFound),
    /// [`Error::RevisionMismatch`](crate::Error::RevisionMismatch) against `if_match`,
    /// [`Error::WriteConflict`](crate::Error::WriteConflict).
    pub fn remove(
        &mut self,
        collection: &Collection,
        key: &str,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.remove_checked(collection, key, None, options)
    }

    /// Removes the document with this key; unless revisions are ignored, `_rev` in `given` has to match.
    pub(crate) fn remove_checked(
        &mut self,
        collection: &Collection,
        key: &str,
        given: Option<Slice<'_>>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        let (position, definition) = self.touch(collection)?;
        let local_id = self.load_old(&definition, key)?;
        let old = self.scratch.old_document();
        check_revision(&definition.name, key, old, given, options)?;
        let rev = stored_revision(old);
        self.inner.lock_key(definition.primary, key.as_bytes())?;
        self.list_old_entries(&definition, local_id)?;

        let id_bytes = local_id.to_be_bytes();
        self.check_room(Some(id_bytes.len()), Some(key.len()))?;
        self.inner.delete(Tree::Documents, definition.documents, &id_bytes)?;
        self.inner.delete(Tree::Index, definition.primary, key.as_bytes())?;
        self.apply_entries(&definition, position)?;
        let stamp = self.stamp();
        self.note_write(position, -1, stamp, options.wait_for_sync);
        let old = options.return_old.then(|| VPackBuf::from(self.scratch.old_document()));
        self.set_id(&definition.name, key);
        Ok(self.outcome(key, options, WriteOutcome { rev, old, ..WriteOutcome::default() }))
    }
}
