//! Stream transactions: begun, used and ended by requests of their own.
//!
//! One request at a time works in a transaction; others wait a while for their turn. A transaction that nobody uses
//! for some time is aborted. How a transaction ended is remembered for a while, for clients that ask again.

mod stream_transaction;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use persea::{Database, TransactionOptions};

use crate::error::ApiError;
pub use stream_transaction::{Lease, Status, StreamTransaction};
use stream_transaction::{Place, Running, Slot, Turn};

/// How many ended transactions are remembered at most, looked at whenever expired ones are; about 200 bytes each.
const ENDED_MAX: usize = 65_536;

/// How many requests may wait for their turn in one transaction. Each keeps a thread waiting.
const WAITING_MAX: usize = 32;

/// Limits of stream transactions.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many may run at once.
    pub running_max: usize,
    /// How long one may stay unused.
    pub idle: Duration,
    /// How long a request waits for another one in the same transaction.
    pub busy_wait: Duration,
}

/// The stream transactions of the server.
pub struct Transactions {
    entries: Mutex<HashMap<u64, Arc<StreamTransaction>>>,
    next_id: AtomicU64,
    n_running: Arc<AtomicUsize>,
    limits: Limits,
}

impl Transactions {
    /// None yet.
    pub fn new(limits: Limits) -> Transactions {
        // Ids start at the clock so that one from before a restart doesn't meet another's transaction.
        let seed = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |elapsed| elapsed.as_secs() << 16);
        Transactions {
            entries: Mutex::default(),
            next_id: AtomicU64::new(seed),
            n_running: Arc::default(),
            limits,
        }
    }

    /// Begins a transaction, once it has its locks, and gives its id.
    ///
    /// # Errors
    /// 32 when too many run; 1203 for a declared collection that doesn't exist; 18 when a lock was not to be had in time.
    pub fn begin(&self, database: &Database, options: &TransactionOptions) -> Result<u64, ApiError> {
        let place = match self.place() {
            Some(place) => place,
            None => {
                self.expire();
                self.place().ok_or_else(|| too_many(self.limits.running_max))?
            }
        };
        let transaction = database.begin_with(options)?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let entry = StreamTransaction {
            id,
            database: database.name().to_owned(),
            writes: transaction.declares_writes(),
            slot: Mutex::new(Slot {
                running: Some(Running { transaction, _place: place }),
                status: Status::Running,
                is_leased: false,
                n_waiting: 0,
                is_abort_wanted: false,
                deadline: Instant::now() + self.limits.idle,
            }),
            freed: Condvar::new(),
            idle: self.limits.idle,
        };
        self.entries.lock().insert(id, Arc::new(entry));
        Ok(id)
    }

    fn place(&self) -> Option<Place> {
        let max = self.limits.running_max;
        self.n_running
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |running| {
                (running < max).then_some(running + 1)
            })
            .ok()
            .map(|_| Place(self.n_running.clone()))
    }

    /// Takes a transaction for one request; waits for the request that has it.
    ///
    /// # Errors
    /// 10 for a malformed id, 1655 when there is none of that id in the database, 1653 when it was committed or
    /// another request has it for too long, 1654 when it was aborted.
    pub fn lease(&self, database: &str, id: &str) -> Result<Lease, ApiError> {
        let entry = self.find(database, id)?;
        let inside = {
            let mut slot = self.turn(&entry)?;
            let inside = match (&slot.running, slot.status) {
                (Some(running), _) => running.transaction.database().clone(),
                (None, Status::Committed) => return Err(entry.refusal(1653, "has already been committed")),
                (None, _) => return Err(entry.refusal(1654, "has already been aborted")),
            };
            slot.is_leased = true;
            inside
        };
        Ok(Lease { turn: Turn(entry), database: inside })
    }

    /// Whether it runs or how it ended. Asking is no use of it: it expires all the same.
    ///
    /// # Errors
    /// 10 for a malformed id, 1655 when there is none of that id in the database.
    pub fn status(&self, database: &str, id: &str) -> Result<(u64, Status), ApiError> {
        let entry = self.find(database, id)?;
        let status = entry.slot.lock().status;
        Ok((entry.id, status))
    }

    /// Commits a transaction; one that was committed stays so.
    ///
    /// # Errors
    /// 1653 when it was aborted; the commit's, which aborts it unless only the sync failed; else as [`lease`](Transactions::lease).
    pub fn commit(&self, database: &str, id: &str) -> Result<u64, ApiError> {
        let entry = self.find(database, id)?;
        let running = {
            let mut slot = self.turn(&entry)?;
            match slot.status {
                Status::Running => {}
                Status::Committed => return Ok(entry.id),
                Status::Aborted => return Err(entry.refusal(1653, "has already been aborted")),
            }
            // Whoever else wants it has to wait until it is known how it ended.
            slot.is_leased = true;
            slot.running.take()
        };
        let turn = Turn(entry);
        let lost = || persea::Error::with_number(1654, "the transaction was lost");
        let outcome = running.ok_or_else(lost).and_then(|running| running.transaction.commit());
        let is_committed = outcome.as_ref().map_or_else(persea::Error::is_committed, |()| true);
        turn.0.slot.lock().end(if is_committed { Status::Committed } else { Status::Aborted });
        outcome?;
        Ok(turn.0.id)
    }

    /// Aborts a transaction; one that was aborted stays so. A query that another request runs in it is ended; if the
    /// other request goes on too long all the same, the transaction is aborted after it.
    ///
    /// # Errors
    /// 1653 when it was committed; else as [`lease`](Transactions::lease).
    pub fn abort(&self, database: &str, id: &str) -> Result<u64, ApiError> {
        let entry = self.find(database, id)?;
        let running = {
            entry.slot.lock().interrupt();
            let mut slot = self.turn(&entry)?;
            if slot.status == Status::Committed {
                return Err(entry.refusal(1653, "has already been committed"));
            }
            slot.end(Status::Aborted)
        };
        drop(running);
        Ok(entry.id)
    }

    /// The ids of the transactions that run in a database, ascending.
    pub fn running(&self, database: &str) -> Vec<u64> {
        let mut ids: Vec<u64> = self
            .all(|entry| entry.database == database)
            .iter()
            .filter(|entry| entry.is_running())
            .map(|entry| entry.id)
            .collect();
        ids.sort_unstable();
        ids
    }

    /// Aborts every transaction that declared writes. A query that a request runs in one is ended; other requests are
    /// waited for, by the transaction and not by the caller.
    pub fn abort_writing(&self) {
        self.abort_each(|entry| entry.writes);
    }

    /// Aborts every transaction of a database.
    pub fn abort_database(&self, database: &str) {
        self.abort_each(|entry| entry.database == database);
    }

    fn abort_each(&self, chosen: impl Fn(&StreamTransaction) -> bool) {
        for entry in self.all(chosen) {
            let mut slot = entry.slot.lock();
            slot.interrupt();
            let running = if slot.is_leased { None } else { slot.end(Status::Aborted) };
            drop(slot);
            drop(running);
        }
    }

    /// Aborts what nobody used for too long, and forgets what ended long ago.
    pub fn expire(&self) {
        let now = Instant::now();
        let mut ended = Vec::new();
        for entry in self.all(|_| true) {
            let mut slot = entry.slot.lock();
            if slot.is_leased {
                continue;
            }
            if slot.status != Status::Running {
                ended.push((slot.deadline, entry.id));
            } else if slot.deadline <= now {
                let running = slot.end(Status::Aborted);
                drop(slot);
                drop(running);
            }
        }
        ended.sort_unstable();
        let surplus = ended.len().saturating_sub(ENDED_MAX);
        let forgotten = ended.iter().enumerate();
        let forgotten = forgotten.filter(|(position, (until, _))| *position < surplus || *until <= now);
        let mut entries = self.entries.lock();
        for (_, (_, id)) in forgotten {
            entries.remove(id);
        }
    }

    fn all(&self, chosen: impl Fn(&StreamTransaction) -> bool) -> Vec<Arc<StreamTransaction>> {
        self.entries.lock().values().filter(|entry| chosen(entry)).cloned().collect()
    }

    fn find(&self, database: &str, id: &str) -> Result<Arc<StreamTransaction>, ApiError> {
        let number = id.parse().ok().filter(|number: &u64| *number > 0);
        let number =
            number.ok_or_else(|| ApiError::bad_parameter(format!("malformed transaction id '{id}'")))?;
        let found = self.entries.lock().get(&number).filter(|entry| entry.database == database).cloned();
        found.ok_or_else(|| {
            persea::Error::with_number(1655, format!("transaction '{number}' not found")).into()
        })
    }

    /// The slot of a transaction once no request works in it.
    fn turn<'a>(&self, entry: &'a StreamTransaction) -> Result<MutexGuard<'a, Slot>, ApiError> {
        let mut slot = entry.slot.lock();
        let until = Instant::now() + self.limits.busy_wait;
        while slot.is_leased {
            if slot.n_waiting >= WAITING_MAX {
                return Err(entry.refusal(1653, "is in use by too many other requests"));
            }
            slot.n_waiting += 1;
            let is_over = entry.freed.wait_until(&mut slot, until).timed_out();
            slot.n_waiting -= 1;
            if is_over && slot.is_leased {
                return Err(entry.refusal(1653, "is in use by another request"));
            }
        }
        Ok(slot)
    }
}

fn too_many(max: usize) -> ApiError {
    persea::Error::with_number(32, format!("more than {max} stream transactions would run")).into()
}
