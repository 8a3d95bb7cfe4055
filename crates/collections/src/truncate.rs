//! Emptying a collection, at once or as part of a transaction.

use std::sync::Arc;

use persea_kv::{Direction, Tree};

use crate::change_lock::{ChangeLocks, ChangeOptions, right_to_change, without_writers};
use crate::collection::Collection;
use crate::counts::{self, Totals};
use crate::definition::Definition;
use crate::error::{Result, is_visible};
use crate::index::Index;
use crate::write::{Transaction, WriteOptions};

impl Collection {
    /// Removes all documents and keeps the indexes. Takes the same short time whatever the size: the collection gets
    /// fresh keyspaces, and the old ones are cleared in the background. Waits for who writes to the collection.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`](crate::Error::CollectionNotFound) when dropped,
    /// [`Error::LockTimeout`](crate::Error::LockTimeout), storage errors.
    pub fn truncate(&self) -> Result<()> {
        self.truncate_with(&ChangeOptions::default())
    }

    /// As [`truncate`](Self::truncate) with waits of its own kind.
    ///
    /// # Errors
    /// As [`truncate`](Self::truncate); [`Error::Interrupted`](crate::Error::Interrupted),
    /// [`Error::Deadlock`](crate::Error::Deadlock), [`Error::Stopping`](crate::Error::Stopping).
    pub fn truncate_with(&self, options: &ChangeOptions) -> Result<()> {
        self.shared.check_writable()?;
        let mut locks = ChangeLocks::new(&self.shared, options);
        locks.lock([right_to_change(self.id()), without_writers(self.id())])?;
        let _gate = self.gate.write();
        self.check_exists()?;
        let definition = self.definition();
        // The newest state, which must not change any more: that of after the gate.
        let mut transaction = self.shared.manager.begin()?;
        let totals = counts::totals(&transaction.view()?, self.id())?;
        let stamp = self.shared.clock.tick();
        let row = Totals { count: -totals.count, revision: stamp, key_value: self.keys.last_value(), stamp };
        let mut counter = self.counters.take(&self.shared.clock);
        counter.put(&mut transaction, self.id(), row)?;
        transaction.clear_keyspace(Tree::Documents, definition.documents)?;
        for index in definition.indexes.iter() {
            index.retire(&mut transaction)?;
        }
        let emptied = self.emptied_definition(&definition)?;
        let outcome = self.commit_definition(transaction, emptied);
        if is_visible(&outcome) {
            counter.keep();
            self.count_committed(-totals.count);
        }
        outcome
    }

    /// The next definition, with fresh keyspaces.
    pub(crate) fn emptied_definition(&self, definition: &Definition) -> Result<Definition> {
        let indexes = definition
            .indexes
            .iter()
            .map(|index| Ok(Arc::new(self.emptied_index(index)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(Definition::assemble(
            definition.generation + 1,
            definition.properties.clone(),
            self.shared.ticks.next()?,
            indexes.into(),
        ))
    }

    fn emptied_index(&self, index: &Index) -> Result<Index> {
        let keyspace = self.shared.ticks.next()?;
        let keyspace_in = if index.keyspace_in == 0 { 0 } else { self.shared.ticks.next()? };
        Ok(index.with_keyspaces(keyspace, keyspace_in))
    }
}

impl Transaction {
    /// Removes all documents of a collection, one by one, as part of this transaction.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn truncate(&mut self, collection: &Collection) -> Result<u64> {
        let view = self.view()?;
        let options = WriteOptions { silent: true, ..WriteOptions::default() };
        let mut n_removed = 0;
        for row in view.scan(collection, Direction::Forward)? {
            let (_, document) = row?;
            if let Some(key) = document.get("_key").and_then(|key| key.as_str()) {
                self.remove(collection, key, &options)?;
                n_removed += 1;
            }
        }
        Ok(n_removed)
    }
}
