//! What a change of a collection's definition locks, and how it waits.
//!
//! Two things are locked through the lock manager, which knows all waits: the right to change the collection, which one
//! change has at a time, and the collection itself, exclusively: its writers have ended then, later ones wait in the
//! queue behind it, and readers don't notice. A change that takes long does its work with the right alone, beside the
//! writers, and takes the collection for the end. Small changes that no other one can be in the way of lock the
//! collection only.
//!
//! Order of what is taken: the rights to change, the collections, the database's mutex of changes, the collections'
//! gates. Locks come first since they may take long, and since their holders may need the others to come to their end.
//! Nothing is asked of the lock manager while mutex or gates are held, so that nobody can wait in a circle.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;
use persea_txn::{
    Error as TxnError, Hold, Interrupt, LockMode, LockTimeouts, OTHER_LOCKS, TransactionOptions,
};

use crate::collection::Collection;
use crate::database::{Database, back_off};
use crate::error::Result;
use crate::shared::Shared;

/// How often a wait is begun again that was ended for a deadlock.
const ATTEMPTS_MAX: u32 = 64;
/// The same inside of a transaction, which may be the one that somebody waits for.
const ATTEMPTS_MAX_INSIDE: u32 = 8;
/// How long a change waits whose caller has gone away.
const LAST_WAIT: Duration = Duration::from_secs(10);

/// How a change of a definition waits for those who write to what it changes.
#[derive(Clone, Debug, Default)]
pub struct ChangeOptions {
    /// Ends its waits, with [`Error::Interrupted`](crate::Error::Interrupted).
    pub interrupt: Option<Interrupt>,
    /// How long it waits altogether; longer is
    /// [`Error::LockTimeout`](crate::Error::LockTimeout). What the store was opened with if there is none.
    pub lock_timeout: Option<Duration>,
    /// The transaction that can't go on before the change is done, by its number. It must not have locked what is
    /// changed.
    pub inside_of: Option<u64>,
}

/// The right to change how a collection is defined, as something to lock.
pub(crate) fn right_to_change(collection: u64) -> (u64, LockMode) {
    (collection | OTHER_LOCKS, LockMode::Exclusive)
}

/// A collection without its writers, as something to lock.
pub(crate) fn without_writers(collection: u64) -> (u64, LockMode) {
    (collection, LockMode::Exclusive)
}

/// What a change holds until it is dropped.
#[derive(Debug)]
pub(crate) struct ChangeLocks {
    shared: Arc<Shared>,
    options: ChangeOptions,
    /// When its patience ends; never without one.
    deadline: Option<Instant>,
    /// Whether the caller was there when it began.
    had_caller: bool,
    holds: Vec<Hold>,
}

impl ChangeLocks {
    /// Nothing is locked yet.
    pub(crate) fn new(shared: &Arc<Shared>, options: &ChangeOptions) -> Self {
        let timeout = options.lock_timeout.unwrap_or(shared.manager.lock_timeouts().collection);
        Self {
            shared: Arc::clone(shared),
            options: options.clone(),
            deadline: Instant::now().checked_add(timeout),
            had_caller: !options.interrupt.as_ref().is_some_and(Interrupt::is_set),
            holds: Vec::new(),
        }
    }

    /// Locks more, in the one order that all keep.
    ///
    /// # Errors
    /// [`Error::LockTimeout`](crate::Error::LockTimeout), [`Error::Interrupted`](crate::Error::Interrupted),
    /// [`Error::Stopping`](crate::Error::Stopping); [`Error::Deadlock`](crate::Error::Deadlock) if somebody waits for the
    /// transaction around the change, who would have to end first.
    pub(crate) fn lock(&mut self, wanted: impl IntoIterator<Item = (u64, LockMode)>) -> Result<()> {
        let wanted: Vec<_> = wanted.into_iter().collect();
        let attempts_max = if self.options.inside_of.is_some() { ATTEMPTS_MAX_INSIDE } else { ATTEMPTS_MAX };
        let mut attempt = 0;
        loop {
            match self.shared.manager.hold(&self.transaction_options(wanted.iter().copied())) {
                Ok(hold) => {
                    self.holds.push(hold);
                    return Ok(());
                }
                // It gives way to others, who can lose more by it.
                Err(TxnError::Deadlock) if attempt < attempts_max => {
                    attempt += 1;
                    back_off(attempt);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// How a transaction begins that is part of the change.
    pub(crate) fn transaction_options(
        &self,
        locks: impl IntoIterator<Item = (u64, LockMode)>,
    ) -> TransactionOptions {
        let collection = match self.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        };
        let timeouts = LockTimeouts { collection, ..self.shared.manager.lock_timeouts() };
        let mut options = TransactionOptions::locking(locks).with_lock_timeouts(timeouts);
        options.interrupt = self.options.interrupt.clone();
        options.inside_of.extend(self.options.inside_of);
        options.inside_of.extend(self.holds.iter().map(Hold::id));
        options.yields = true;
        options
    }

    /// Has a change that has come far go on though its caller has gone away, but not wait for long any more.
    pub(crate) fn outlive_caller(&mut self) {
        if self.had_caller && self.options.interrupt.as_ref().is_some_and(Interrupt::is_set) {
            self.options.interrupt = None;
            let soon = Instant::now() + LAST_WAIT;
            self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
        }
    }
}

impl Database {
    /// Locks the collection of this name or number as a whole, and the catalog against other changes.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`](crate::Error::CollectionNotFound), also when it goes during the wait; as [`ChangeLocks::lock`].
    pub(crate) fn lock_named(
        &self,
        name_or_id: &str,
        options: &ChangeOptions,
    ) -> Result<(Arc<Collection>, ChangeLocks, MutexGuard<'_, ()>)> {
        loop {
            let collection = self.collection(name_or_id)?;
            let _end = collection.announce_end();
            let mut locks = ChangeLocks::new(&self.shared, options);
            locks.lock([right_to_change(collection.id()), without_writers(collection.id())])?;
            let changes = self.changes.lock();
            // The name may have come to mean another one during the wait.
            if self.collection(name_or_id)?.id() == collection.id() {
                return Ok((collection, locks, changes));
            }
        }
    }
}
