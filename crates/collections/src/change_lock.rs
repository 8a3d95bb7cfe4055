//! What a change of a collection's definition waits for: nobody may hold the collection exclusively.
//!
//! Order of what is taken: the collection's lock, the database's mutex of changes, the collection's gate. The lock comes
//! first since it may take long, and since its holder may need the others to come to its end. Nothing is asked of the
//! lock manager while one is held, so that nobody can wait in a circle.

use std::sync::Arc;

use parking_lot::MutexGuard;
use persea_txn::{Interrupt, LockMode, TransactionOptions};

use crate::collection::Collection;
use crate::database::Database;
use crate::error::Result;

/// Keeps others from holding a collection exclusively. Whoever reads or writes goes on beside it.
#[derive(Debug)]
pub(crate) struct ChangeLock {
    _transaction: persea_txn::Transaction,
}

impl Collection {
    /// Waits for who holds the collection exclusively.
    ///
    /// # Errors
    /// [`Error::LockTimeout`](crate::Error::LockTimeout), [`Error::Interrupted`](crate::Error::Interrupted).
    pub(crate) fn lock_for_change(&self, interrupt: Option<&Interrupt>) -> Result<ChangeLock> {
        let mut intent = TransactionOptions::locking([(self.id(), LockMode::Write)]);
        intent.interrupt = interrupt.cloned();
        Ok(ChangeLock { _transaction: self.shared.manager.begin_with(&intent)? })
    }
}

impl Database {
    /// Locks the collection of this name or number, and the catalog against other changes.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`](crate::Error::CollectionNotFound), also when it goes during the wait; as
    /// [`lock_for_change`](Collection::lock_for_change).
    pub(crate) fn lock_named(
        &self,
        name_or_id: &str,
        interrupt: Option<&Interrupt>,
    ) -> Result<(Arc<Collection>, ChangeLock, MutexGuard<'_, ()>)> {
        loop {
            let collection = self.collection(name_or_id)?;
            let lock = collection.lock_for_change(interrupt)?;
            let changes = self.changes.lock();
            // The name may have come to mean another one during the wait.
            if self.collection(name_or_id)?.id() == collection.id() {
                return Ok((collection, lock, changes));
            }
        }
    }
}
