//! What a query reads and writes, and the locks that it takes for that.

use std::time::Duration;

use persea_collections::{Error as StoreError, Interrupt, LockMode, TransactionOptions, View};
use persea_executor::Access;
use persea_planner::Planned;

use super::QueryOptions;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::transaction::{Bound, lock_timeouts};

/// What a query reads and writes.
#[allow(clippy::large_enum_variant, reason = "there is one for each query, never a list of them")]
pub(super) enum Opened<'a> {
    /// Its own snapshot or transaction, or the view of the transaction that it is a part of.
    Own(Access),
    /// The transaction that it is a part of, taken only while the plan runs; what to lock in it, and what ends the wait.
    Lent(&'a Bound, Vec<(u64, LockMode)>, Interrupt),
}

/// Opens what a query reads and writes; `view` is what it was planned on. Its own transaction locks all that is written
/// before it takes its snapshot, so that waiting costs no conflict.
pub(super) fn open<'a>(
    database: &'a Database,
    writes: bool,
    planned: &Planned,
    view: View,
    options: &QueryOptions,
    kill: &Interrupt,
) -> Result<Opened<'a>> {
    if !writes {
        return Ok(Opened::Own(Access::Read(view)));
    }
    let locks = planned.plan.collections.iter().map(|used| (used.collection.id, lock_mode(used.mode)));
    if let Some(bound) = database.bound() {
        return Ok(Opened::Lent(bound, locks.collect(), kill.clone()));
    }
    // A wait must not keep an old state alive.
    drop(view);
    let patience = options.lock_timeout.into_iter().chain(options.runtime_max).min();
    let begin = TransactionOptions::locking(locks)
        .with_lock_timeouts(lock_timeouts(patience))
        .with_interrupt(kill.clone());
    let mut transaction = database.inner().begin_with(&begin)?;
    if let Some(bytes_max) = options.write_bytes_max {
        transaction.limit_write_bytes(bytes_max);
    }
    Ok(Opened::Own(Access::Write(transaction)))
}

fn lock_mode(mode: persea_planner::plan::AccessMode) -> LockMode {
    match mode {
        persea_planner::plan::AccessMode::Read => LockMode::Read,
        persea_planner::plan::AccessMode::Write => LockMode::Write,
        persea_planner::plan::AccessMode::Exclusive => LockMode::Exclusive,
    }
}

/// A transaction must have declared the collections of its queries.
pub(super) fn check_declared(database: &Database, planned: &Planned) -> Result<()> {
    let Some(bound) = database.bound() else { return Ok(()) };
    for used in &planned.plan.collections {
        bound.check(used.collection.id, &used.collection.name, lock_mode(used.mode))?;
    }
    Ok(())
}

/// What the end of a wait for a lock means: a query that was killed, or has no time left, is over.
pub(super) fn ended_wait(error: Error, options: &QueryOptions, run_time: Duration) -> Error {
    let reason = match &error {
        Error::Collections(reason) | Error::Execute(persea_executor::Error::Collections(reason)) => reason,
        _ => return error,
    };
    let is_over = match reason {
        StoreError::Interrupted => true,
        // Documents have a shorter patience than most queries, which try again.
        StoreError::LockTimeout(_) | StoreError::WriteConflict(_) => {
            options.runtime_max.is_some_and(|most| run_time >= most)
        }
        _ => false,
    };
    if is_over { Error::Execute(persea_executor::Error::Killed) } else { error }
}
