//! Creating and dropping indexes.

use std::sync::Arc;

use persea_index::{IndexDefinition, IndexKind};
use persea_vpack::Slice;

use crate::change_lock::{ChangeLocks, ChangeOptions, right_to_change, without_writers};
use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index_fill::IndexFill;
use crate::names::check_index_name;
use crate::unfinished::{self, Unfinished};

impl Collection {
    /// Creates an index, or finds the one that is the same; the flag tells whether it is new.
    ///
    /// Existing documents are indexed before the call returns. Others go on to write meanwhile; for the end, the
    /// collection's writers are waited for and later ones wait.
    ///
    /// # Errors
    /// [`Error::BadParameter`], [`Error::NotImplemented`], [`Error::IllegalName`] for bad definitions;
    /// [`Error::DuplicateName`]; [`Error::UniqueConstraint`] when documents violate it, and nothing is created then;
    /// [`Error::CollectionNotFound`] when the collection goes meanwhile; [`Error::LockTimeout`].
    pub fn create_index(&self, definition: Slice<'_>) -> Result<(Arc<Index>, bool)> {
        self.create_index_with(definition, &ChangeOptions::default())
    }

    /// As [`create_index`](Self::create_index) with waits of its own kind.
    ///
    /// An interrupt ends the waits for others before it begins and at its end. If it is set in between, the index is made
    /// all the same when no long wait is needed for its end.
    ///
    /// # Errors
    /// As [`create_index`](Self::create_index); [`Error::Interrupted`], [`Error::Deadlock`], [`Error::Stopping`].
    pub fn create_index_with(
        &self,
        definition: Slice<'_>,
        options: &ChangeOptions,
    ) -> Result<(Arc<Index>, bool)> {
        let wanted = IndexDefinition::from_vpack(definition)?;
        if !wanted.name.is_empty() {
            check_index_name(&wanted.name, self.shared.naming)?;
        }
        self.shared.check_writable()?;
        self.check_exists()?;
        // Who finds what he wants waits for nobody.
        if let Some(existing) = self.definition().index_like(&wanted) {
            return Ok((existing, false));
        }
        loop {
            match self.try_create_index(&wanted, options) {
                // It gave way to somebody who wanted to drop the collection, and has not.
                Err(Error::CollectionNotFound(_)) if self.check_exists().is_ok() => {}
                outcome => return outcome,
            }
        }
    }

    fn try_create_index(
        &self,
        wanted: &IndexDefinition,
        options: &ChangeOptions,
    ) -> Result<(Arc<Index>, bool)> {
        let mut locks = ChangeLocks::new(&self.shared, options);
        locks.lock([right_to_change(self.id())])?;
        self.check_exists()?;
        let current = self.definition();
        if let Some(existing) = current.index_like(wanted) {
            return Ok((existing, false));
        }
        if current.indexes.iter().any(|index| index.name() == wanted.name) {
            return Err(Error::DuplicateName(format!("index '{}' already exists", wanted.name)));
        }
        let id = self.shared.ticks.next()?;
        let index = Index::new(wanted.clone().with_identity(id), id, 0);
        unfinished::note(&self.shared.manager, &[Unfinished::Index(id)])?;
        match self.build_and_publish(index, locks) {
            Ok(index) => Ok((index, true)),
            // It is part of the collection, though it is unknown whether a power failure would leave it.
            Err(error) if error.is_committed() => Err(error),
            Err(error) => {
                // If even that fails, the next start clears what the build left.
                let _ = unfinished::give_up(&self.shared.manager, &[Unfinished::Index(id)]);
                Err(error)
            }
        }
    }

    fn build_and_publish(&self, mut index: Index, mut locks: ChangeLocks) -> Result<Arc<Index>> {
        let mut fill = IndexFill::begin(self, &index)?;
        fill.fill()?;
        locks.outlive_caller();
        locks.lock([without_writers(self.id())])?;
        let _gate = self.gate.write();
        self.check_exists()?;
        index.complete_since = fill.finish()?;
        let index = Arc::new(index);
        // Another index may have been dropped during the build.
        let current = self.definition();
        let indexes: Vec<_> = current.indexes.iter().cloned().chain([Arc::clone(&index)]).collect();
        let definition = current.with_indexes(indexes.into());
        let mut transaction = self.shared.manager.begin()?;
        unfinished::finish(&mut transaction, &[Unfinished::Index(index.keyspace)])?;
        index.estimate.store(&mut transaction, index.keyspace, true)?;
        self.commit_definition(transaction, definition)?;
        Ok(index)
    }

    /// Drops the index that `handle` means (see [`index`](Self::index)). Returns its number. Waits for who writes to the
    /// collection.
    ///
    /// # Errors
    /// [`Error::IndexNotFound`]; [`Error::Forbidden`] for the primary and the edge index; [`Error::LockTimeout`].
    pub fn drop_index(&self, handle: &str) -> Result<u64> {
        self.drop_index_with(handle, &ChangeOptions::default())
    }

    /// As [`drop_index`](Self::drop_index) with waits of its own kind.
    ///
    /// # Errors
    /// As [`drop_index`](Self::drop_index); [`Error::Interrupted`], [`Error::Deadlock`], [`Error::Stopping`].
    pub fn drop_index_with(&self, handle: &str, options: &ChangeOptions) -> Result<u64> {
        let index = self.droppable_index(handle)?;
        let mut locks = ChangeLocks::new(&self.shared, options);
        locks.lock([without_writers(self.id())])?;
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
