//! Creating and dropping indexes.

use std::sync::Arc;

use persea_index::{IndexDefinition, IndexKind, key_hash, split_key};
use persea_kv::{Direction, Tree};
use persea_txn::{CommitSeq, Durability, Interrupt};
use persea_vpack::Slice;

use crate::collection::Collection;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::estimates::EstimateChange;
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::names::check_index_name;
use crate::read::{LocalId, View};
use crate::unfinished::{self, Unfinished};
use crate::write::{EntryList, EntryMaker, violation};

/// Documents whose entries are written in one commit: bounds the memory of a build.
const SLICE_DOCUMENTS: usize = 50_000;

impl Collection {
    /// Creates an index, or finds the one that is the same; the flag tells whether it is new.
    ///
    /// Existing documents are indexed before the call returns; commits to the collection wait meanwhile, and
    /// transactions that wrote to it before fail with a conflict. Who holds the collection exclusively is waited for.
    ///
    /// # Errors
    /// [`Error::BadParameter`], [`Error::NotImplemented`], [`Error::IllegalName`] for bad definitions;
    /// [`Error::DuplicateName`]; [`Error::UniqueConstraint`] when documents violate it, and nothing is created then;
    /// [`Error::LockTimeout`].
    pub fn create_index(&self, definition: Slice<'_>) -> Result<(Arc<Index>, bool)> {
        self.create_index_unless(definition, None)
    }

    /// As [`create_index`](Self::create_index) with a wait that `interrupt` ends.
    ///
    /// # Errors
    /// As [`create_index`](Self::create_index); [`Error::Interrupted`].
    pub fn create_index_unless(
        &self,
        definition: Slice<'_>,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Arc<Index>, bool)> {
        let wanted = IndexDefinition::from_vpack(definition)?;
        if !wanted.name.is_empty() {
            check_index_name(&wanted.name, self.shared.naming)?;
        }
        self.check_exists()?;
        // Who finds what he wants waits for nobody.
        if let Some(existing) = self.definition().index_like(&wanted) {
            return Ok((existing, false));
        }
        let _lock = self.lock_for_change(interrupt)?;
        let _gate = self.gate.write();
        self.check_exists()?;
        let current = self.definition();
        if let Some(existing) = current.index_like(&wanted) {
            return Ok((existing, false));
        }
        if current.indexes.iter().any(|index| index.name() == wanted.name) {
            return Err(Error::DuplicateName(format!("index '{}' already exists", wanted.name)));
        }
        let id = self.shared.ticks.next()?;
        let index = Index::new(wanted.with_identity(id), id, 0);
        unfinished::note(&self.shared.manager, &[Unfinished::Index(id)])?;
        match self.build_and_publish(&current, index) {
            Ok(index) => Ok((index, true)),
            Err(error) => {
                // If even that fails, the next start clears what the build left.
                let _ = unfinished::give_up(&self.shared.manager, &[Unfinished::Index(id)]);
                Err(error)
            }
        }
    }

    fn build_and_publish(&self, current: &Definition, mut index: Index) -> Result<Arc<Index>> {
        index.complete_since = self.build(current, &index)?;
        let index = Arc::new(index);
        let indexes: Vec<_> = current.indexes.iter().cloned().chain([Arc::clone(&index)]).collect();
        let definition = current.with_indexes(indexes.into());
        let mut transaction = self.shared.manager.begin()?;
        unfinished::finish(&mut transaction, &[Unfinished::Index(index.keyspace)])?;
        index.estimate.store(&mut transaction, index.keyspace, true)?;
        self.commit_definition(transaction, definition)?;
        Ok(index)
    }

    /// Writes the entries of all documents, a slice a commit; returns the last commit. The caller holds the gate, so
    /// no document changes.
    fn build(&self, current: &Definition, index: &Index) -> Result<CommitSeq> {
        let view = View::latest(&self.shared)?;
        let mut complete_since = view.inner().commit_seq();
        let mut documents = view.scan(self, Direction::Forward)?;
        let mut maker = EntryMaker::default();
        let mut list = EntryList::default();
        loop {
            list.clear();
            let mut n_documents = 0;
            for row in documents.by_ref().take(SLICE_DOCUMENTS) {
                let (LocalId(local_id), document) = row?;
                maker.list(index, 0, document, local_id, &mut list)?;
                n_documents += 1;
            }
            if n_documents == 0 {
                return Ok(complete_since);
            }
            complete_since = self.write_slice(current, index, &list)?;
        }
    }

    fn write_slice(&self, current: &Definition, index: &Index, list: &EntryList) -> Result<CommitSeq> {
        let mut transaction = self.shared.manager.begin()?;
        for entry in list.iter() {
            if index.definition().unique
                && let Some(holder) =
                    transaction.get(Tree::Index, entry.keyspace, entry.key)?.and_then(read_u64)
            {
                let bytes = transaction.get(Tree::Documents, current.documents, &holder.to_be_bytes())?;
                let key = bytes.and_then(|bytes| Slice::trusted(bytes).get("_key")?.as_str());
                return Err(violation(index, key.unwrap_or_default()));
            }
            transaction.put(Tree::Index, entry.keyspace, entry.key, entry.value)?;
        }
        if index.is_estimated() {
            index.estimate.apply(list.iter().filter_map(|entry| {
                let (field_key, _) = split_key(entry.key)?;
                Some(EstimateChange { hash: key_hash(field_key), is_insert: true })
            }));
        }
        Ok(transaction.commit(Durability::Buffered)?)
    }

    /// Drops the index that `handle` means (see [`index`](Self::index)). Returns its number. Waits for who holds the
    /// collection exclusively.
    ///
    /// # Errors
    /// [`Error::IndexNotFound`]; [`Error::Forbidden`] for the primary and the edge index; [`Error::LockTimeout`].
    pub fn drop_index(&self, handle: &str) -> Result<u64> {
        self.drop_index_unless(handle, None)
    }

    /// As [`drop_index`](Self::drop_index) with a wait that `interrupt` ends.
    ///
    /// # Errors
    /// As [`drop_index`](Self::drop_index); [`Error::Interrupted`].
    pub fn drop_index_unless(&self, handle: &str, interrupt: Option<&Interrupt>) -> Result<u64> {
        let index = self.droppable_index(handle)?;
        let _lock = self.lock_for_change(interrupt)?;
        let _gate = self.gate.write();
        self.check_exists()?;
        // Others may have dropped it meanwhile, and given its name to another.
        let index = self.droppable_index(&index.id().to_string())?;
        let current = self.definition();
        let indexes: Vec<_> =
            current.indexes.iter().filter(|other| other.id() != index.id()).cloned().collect();
        let definition = current.with_indexes(indexes.into());
        let mut transaction = self.shared.manager.begin()?;
        index.retire(&mut transaction)?;
        self.commit_definition(transaction, definition)?;
        Ok(index.id())
    }

    fn droppable_index(&self, handle: &str) -> Result<Arc<Index>> {
        let index = self.index(handle)?;
        if matches!(index.kind(), IndexKind::Primary | IndexKind::Edge) {
            return Err(Error::Forbidden(format!("the {} index cannot be dropped", index.name())));
        }
        Ok(index)
    }
}
