//! The transaction behind the handles that work inside of it.

use std::sync::Arc;

use parking_lot::Mutex;
use persea_collections::{ChangeOptions, Collection, Interrupt, LockMode, Transaction, View};

use super::declared::{AccessMode, Declared};
use super::options::{TransactionOptions, lock_timeouts};
use crate::error::{Error, Result};

type StoreResult<T> = std::result::Result<T, persea_collections::Error>;

/// A transaction shared by the handles that work inside of it. Operations run one after the other.
pub(crate) struct Bound {
    declared: Declared,
    state: Mutex<State>,
    /// The queries that run in it now.
    queries: Mutex<Vec<Interrupt>>,
    /// Ends the waits of the operation that runs in it now.
    interrupt: Mutex<Interrupt>,
}

struct State {
    /// Gone once it ended, and while an operation has it.
    transaction: Option<Transaction>,
    /// How it ended; while it runs, what a lost one counts as.
    end: End,
}

#[derive(Clone, Copy)]
enum End {
    Committed,
    Aborted,
}

impl Bound {
    /// Locks what is declared to be written, and begins.
    ///
    /// # Errors
    /// 1203 for an unknown collection, 18 when a lock was not to be had in time, 29 for a deadlock, 30 when the store is
    /// being closed, storage errors.
    pub(super) fn begin(
        database: &persea_collections::Database,
        options: &TransactionOptions,
    ) -> Result<Bound> {
        let declared = Declared::resolve(database, options)?;
        let transaction = begin(database, &declared, options)?;
        let state = State { transaction: Some(transaction), end: End::Aborted };
        Ok(Bound {
            declared,
            state: Mutex::new(state),
            queries: Mutex::default(),
            interrupt: Mutex::default(),
        })
    }

    /// Whether any collection was declared to be written.
    pub(super) fn writes(&self) -> bool {
        self.declared.writes()
    }

    /// Allows the access to a collection.
    ///
    /// # Errors
    /// 1652 when it wasn't declared for that.
    pub(crate) fn check(&self, id: u64, name: &str, mode: AccessMode) -> Result<()> {
        self.declared.check(id, name, mode)
    }

    /// The only collections that queries may read; `None` when they may read all.
    pub(crate) fn readable(&self) -> Option<Arc<[u64]>> {
        self.declared.readable()
    }

    /// Everything as the transaction sees it now.
    ///
    /// # Errors
    /// 1653 and 1654 after the end, storage errors.
    pub(crate) fn view(&self) -> Result<View> {
        self.with(|transaction| Ok(transaction.view()?))
    }

    /// # Errors
    /// 1653 when it has locked the collection: a change of its definition would wait for its end. 1653 and 1654 after
    /// the end.
    pub(crate) fn refuse_change(&self, collection: &Collection) -> Result<()> {
        if self.with(|transaction| Ok(transaction.lock_mode(collection)))? == LockMode::Read {
            return Ok(());
        }
        let message = format!(
            "collection '{}' can't be changed inside of the transaction that has locked it",
            collection.name()
        );
        Err(Error::with_number(1653, message))
    }

    /// How a change waits that the transaction makes around itself: it can't go on before that is done. Who aborts it
    /// ends the wait, as does `interrupt`.
    ///
    /// # Errors
    /// 1653 and 1654 after the end.
    pub(crate) fn change_options(&self, interrupt: Option<&Interrupt>) -> Result<ChangeOptions> {
        let number = self.with(|transaction| Ok(transaction.number()))?;
        let own = self.interrupt.lock().clone();
        Ok(ChangeOptions {
            interrupt: Some(Interrupt::below(interrupt.into_iter().chain([&own]))),
            inside_of: Some(number),
            ..ChangeOptions::default()
        })
    }

    /// Bytes written so far.
    pub(super) fn write_bytes(&self) -> Result<usize> {
        self.with(|transaction| Ok(transaction.write_bytes()))
    }

    /// Does all of `work`, or nothing of it; what was written before stays either way. Where that can't be had, the
    /// transaction is aborted.
    ///
    /// # Errors
    /// Those of `work`; 1653 and 1654 after the end. 29 for a deadlock, which aborts the transaction.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut Transaction) -> StoreResult<T>) -> Result<T> {
        self.lend(|mut transaction| {
            let savepoint = transaction.savepoint();
            match work(&mut transaction) {
                Ok(value) => (Some(transaction), Ok(value)),
                Err(error) => {
                    let is_undone = transaction.rollback_to(&savepoint).is_ok();
                    (is_undone.then_some(transaction), Err(error.into()))
                }
            }
        })
    }

    /// Gives the transaction to `work`, which gives it back. Without it, or when it was rolled back to end a deadlock,
    /// the transaction is aborted.
    ///
    /// # Errors
    /// Those of `work`; 1653 and 1654 after the end.
    pub(crate) fn lend<T>(
        &self,
        work: impl FnOnce(Transaction) -> (Option<Transaction>, Result<T>),
    ) -> Result<T> {
        let mut state = self.state.lock();
        // Taken, so that one lost to a panic halfway through an operation can't be committed.
        let mut transaction = state.transaction.take().ok_or_else(|| ended(state.end))?;
        transaction.set_interrupt(Some(self.interrupt.lock().clone()));
        let (transaction, outcome) = work(transaction);
        state.transaction = transaction.filter(Transaction::is_active);
        outcome
    }

    /// As [`lend`](Bound::lend) for a query, which locks first what it writes. The query's own `interrupt` ends the waits.
    ///
    /// # Errors
    /// 18 when a lock was not to be had in time, 29 for a deadlock, which aborts the transaction; as
    /// [`lend`](Bound::lend).
    pub(crate) fn lend_to_query<T>(
        &self,
        locks: &[(u64, LockMode)],
        interrupt: &Interrupt,
        work: impl FnOnce(Transaction) -> (Option<Transaction>, Result<T>),
    ) -> Result<T> {
        self.lend(|mut transaction| {
            transaction.set_interrupt(Some(interrupt.clone()));
            match transaction.lock_collections(locks) {
                Ok(()) => work(transaction),
                Err(error) => (Some(transaction), Err(error.into())),
            }
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        self.lend(|mut transaction| {
            let outcome = work(&mut transaction);
            (Some(transaction), outcome)
        })
    }

    /// Lets [`interrupt`](Bound::interrupt) end a query, until the guard is dropped.
    pub(crate) fn interruptible(&self, kill: &Interrupt) -> Interruptible<'_> {
        self.queries.lock().push(kill.clone());
        Interruptible { bound: self, kill: kill.clone() }
    }

    /// Ends the queries that run in it now, and the wait for a lock of another operation.
    pub(super) fn interrupt(&self) {
        for kill in &*self.queries.lock() {
            kill.set();
        }
        // Set for good, so the operations to come get another one.
        std::mem::take(&mut *self.interrupt.lock()).set();
    }

    /// Whether it has neither been committed nor aborted.
    pub(super) fn is_running(&self) -> bool {
        self.state.lock().transaction.is_some()
    }

    /// # Errors
    /// Those of the storage; nothing is written then, unless only the sync failed. 1653 and 1654 after the end.
    pub(super) fn commit(&self) -> Result<()> {
        let mut state = self.state.lock();
        let transaction = state.transaction.take().ok_or_else(|| ended(state.end))?;
        let outcome = transaction.commit().map_err(Error::from);
        if outcome.as_ref().map_or_else(Error::is_committed, |()| true) {
            state.end = End::Committed;
        }
        outcome
    }

    pub(super) fn abort(&self) {
        let transaction = self.state.lock().transaction.take();
        drop(transaction);
    }
}

/// A query that can be interrupted.
pub(crate) struct Interruptible<'a> {
    bound: &'a Bound,
    kill: Interrupt,
}

impl Drop for Interruptible<'_> {
    fn drop(&mut self) {
        self.bound.queries.lock().retain(|kill| *kill != self.kill);
    }
}

/// Begins a transaction that holds what is declared to be written.
pub(super) fn begin(
    database: &persea_collections::Database,
    declared: &Declared,
    options: &TransactionOptions,
) -> Result<Transaction> {
    let mut begin = persea_collections::TransactionOptions::locking(declared.locks())
        .with_lock_timeouts(lock_timeouts(options.lock_timeout));
    begin.interrupt = options.interrupt.clone();
    let mut transaction = database.begin_with(&begin)?;
    declared.check_exist(database)?;
    if options.wait_for_sync {
        transaction.require_sync();
    }
    if let Some(bytes_max) = options.write_bytes_max {
        transaction.limit_write_bytes(bytes_max);
    }
    Ok(transaction)
}

fn ended(end: End) -> Error {
    match end {
        End::Committed => Error::with_number(1653, "the transaction has already been committed"),
        End::Aborted => Error::with_number(1654, "the transaction has already been aborted"),
    }
}
