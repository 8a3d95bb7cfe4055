//! Replacing a document, and the course that replacing and updating share.

use persea_kv::Tree;
use persea_vpack::{Builder, Slice, VPackBuf};

use super::document::{SystemAttributes, build_document, edge_ends, stored_revision};
use super::options::{WriteOptions, WriteOutcome};
use super::precondition::{check_revision, is_stale};
use super::transaction::Transaction;
use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::properties::CollectionKind;
use crate::revision::Revision;

impl Transaction {
    /// Replaces the document with this key. `_key`, `_id` and `_rev` of the new document are ignored.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn replace(
        &mut self,
        collection: &Collection,
        key: &str,
        document: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.write_over(collection, key, document, options, |kind, name, revision, _, id, builder| {
            let ends = edge_ends(kind, document, None)?;
            let attributes = SystemAttributes { collection: name, key, revision, ends };
            build_document(kind, &attributes, document, id, builder);
            Ok(())
        })
    }

    /// Writes what `build` makes of the stored document in its place.
    pub(super) fn write_over(
        &mut self,
        collection: &Collection,
        key: &str,
        given: Slice<'_>,
        options: &WriteOptions,
        build: impl FnOnce(CollectionKind, &str, Revision, Slice<'_>, &mut String, &mut Builder) -> Result<()>,
    ) -> Result<WriteOutcome> {
        if !given.is_object() {
            return Err(Error::DocumentTypeInvalid);
        }
        let (position, definition) = self.touch(collection)?;
        let local_id = self.load_old(&definition, key)?;
        let old = Slice::trusted(&self.scratch.old);
        let old_rev = stored_revision(old);
        check_revision(&definition.name, key, old, Some(given), options)?;
        if is_stale(old, given, options.version_attribute.as_deref()) {
            let copy = |wanted: bool| wanted.then(|| VPackBuf::from(old));
            let outcome = WriteOutcome {
                rev: old_rev,
                old_rev: Some(old_rev),
                old: copy(options.return_old),
                new: copy(options.return_new),
                is_ignored: true,
                ..WriteOutcome::default()
            };
            self.set_id(&definition.name, key);
            return Ok(self.outcome(key, options, outcome));
        }
        self.inner.lock_key(definition.primary, key.as_bytes())?;
        let fresh = self.stamp();
        let revision = self.new_revision(given, options, fresh);
        let scratch = &mut self.scratch;
        let old = Slice::trusted(&scratch.old);
        build(definition.kind(), &definition.name, revision, old, &mut scratch.id, &mut scratch.builder)?;
        self.check_changed_entries(&definition, local_id)?;

        let stored = self.scratch.builder.as_slice()?;
        let id_bytes = local_id.to_be_bytes();
        self.check_room(Some(id_bytes.len() + stored.bytes().len()), None)?;
        self.inner.put(Tree::Documents, definition.documents, &id_bytes, stored.bytes())?;
        let new = options.return_new.then(|| VPackBuf::from(stored));
        self.apply_entries(&definition, position)?;
        self.note_write(position, 0, revision, options.wait_for_sync);
        let old = options.return_old.then(|| VPackBuf::from(self.scratch.old_document()));
        let outcome =
            WriteOutcome { rev: revision, old_rev: Some(old_rev), old, new, ..WriteOutcome::default() };
        Ok(self.outcome(key, options, outcome))
    }
}
