//! Inserting a document, and what happens when its key exists.

use persea_kv::Tree;
use persea_vpack::{Slice, VPackBuf};

use super::document::{SystemAttributes, build_document, edge_ends, stored_revision};
use super::options::{OverwriteMode, WriteOptions, WriteOutcome};
use super::transaction::Transaction;
use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::keys::is_valid_key;
use crate::revision::Revision;

impl Transaction {
    /// Inserts a document.
    ///
    /// # Errors
    /// [`Error::DocumentTypeInvalid`], [`Error::IllegalKey`], [`Error::UnexpectedKey`],
    /// [`Error::InvalidEdgeAttribute`], [`Error::UniqueConstraint`], [`Error::WriteConflict`], [`Error::OutOfKeys`].
    pub fn insert(
        &mut self,
        collection: &Collection,
        document: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        if !document.is_object() {
            return Err(Error::DocumentTypeInvalid);
        }
        let mut key = std::mem::take(&mut self.scratch.key);
        let outcome = self.insert_keyed(collection, document, options, &mut key);
        self.scratch.key = key;
        outcome
    }

    fn insert_keyed(
        &mut self,
        collection: &Collection,
        document: Slice<'_>,
        options: &WriteOptions,
        key: &mut String,
    ) -> Result<WriteOutcome> {
        let (position, definition) = self.touch(collection)?;
        let is_new_key = self.choose_key(collection, document, options, key)?;
        if !is_new_key && self.local_id(&definition, key)?.is_some() {
            return self.insert_over(collection, document, options, key);
        }
        let ends = edge_ends(definition.kind(), document, None)?;
        self.inner.lock_key(definition.primary, key.as_bytes())?;
        let local_id = self.stamp();
        let revision = self.new_revision(document, options, local_id);
        let attributes = SystemAttributes { collection: &definition.name, key, revision, ends };
        let scratch = &mut self.scratch;
        build_document(definition.kind(), &attributes, document, &mut scratch.id, &mut scratch.builder);
        self.check_new_entries(&definition, local_id.0)?;

        let stored = self.scratch.builder.as_slice()?;
        let id_bytes = local_id.0.to_be_bytes();
        self.check_room(Some(id_bytes.len() + stored.bytes().len()), Some(key.len() + id_bytes.len()))?;
        self.inner.put(Tree::Documents, definition.documents, &id_bytes, stored.bytes())?;
        self.inner.put(Tree::Index, definition.primary, key.as_bytes(), &id_bytes)?;
        let new = options.return_new.then(|| VPackBuf::from(stored));
        self.apply_entries(&definition, position)?;
        self.note_write(position, 1, revision.max(local_id), options.wait_for_sync);
        Ok(self.outcome(key, options, WriteOutcome { rev: revision, new, ..WriteOutcome::default() }))
    }

    /// The `_rev` a document gets: a fresh one, or the given one when restoring.
    pub(super) fn new_revision(
        &self,
        document: Slice<'_>,
        options: &WriteOptions,
        fresh: Revision,
    ) -> Revision {
        if !options.is_restore {
            return fresh;
        }
        let given = document.get("_rev").and_then(|rev| rev.as_str()).and_then(Revision::parse);
        if let Some(given) = given {
            self.shared.clock.observe(given);
        }
        given.unwrap_or(fresh)
    }

    /// Takes the key the user gave, or generates one. Tells whether no document can have the key.
    fn choose_key(
        &self,
        collection: &Collection,
        document: Slice<'_>,
        options: &WriteOptions,
        key: &mut String,
    ) -> Result<bool> {
        let Some(given) = document.get("_key") else {
            collection.keys.generate(&self.shared.ticks, key)?;
            return Ok(collection.keys.only_gives_new_keys());
        };
        let given = given.as_str().filter(|given| is_valid_key(given)).ok_or(Error::IllegalKey)?;
        // The server keeps documents of its own in system collections under fixed keys.
        if !collection.allows_user_keys && !options.is_restore {
            return Err(Error::UnexpectedKey);
        }
        key.clear();
        key.push_str(given);
        collection.keys.observe(key);
        Ok(false)
    }

    fn insert_over(
        &mut self,
        collection: &Collection,
        document: Slice<'_>,
        options: &WriteOptions,
        key: &str,
    ) -> Result<WriteOutcome> {
        match options.overwrite_mode {
            OverwriteMode::Conflict => Err(Error::UniqueConstraint {
                index: "primary".to_owned(),
                kind: "primary".to_owned(),
                fields: "_key".to_owned(),
                key: key.to_owned(),
            }),
            OverwriteMode::Ignore => {
                let stored = self.get(collection, key)?.ok_or(Error::DocumentNotFound)?;
                let rev = stored_revision(stored);
                let old = options.return_old.then(|| VPackBuf::from(stored));
                let outcome = WriteOutcome { rev, old, is_ignored: true, ..WriteOutcome::default() };
                self.set_id(&collection.name(), key);
                Ok(self.outcome(key, options, outcome))
            }
            OverwriteMode::Replace => self.replace(collection, key, document, options),
            OverwriteMode::Update => self.update(collection, key, document, options),
        }
    }

    /// Leaves the full identifier in the scratch buffer, where [`outcome`](Self::outcome) takes it from.
    pub(super) fn set_id(&mut self, collection: &str, key: &str) {
        let id = &mut self.scratch.id;
        id.clear();
        id.push_str(collection);
        id.push('/');
        id.push_str(key);
    }

    /// Completes an outcome with key and identifier, unless silent.
    pub(super) fn outcome(&self, key: &str, options: &WriteOptions, outcome: WriteOutcome) -> WriteOutcome {
        if options.silent {
            return outcome;
        }
        WriteOutcome { key: key.to_owned(), id: self.scratch.id.clone(), ..outcome }
    }
}
