//! One stream transaction: who works in it, and how it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use persea::{Database, OwnedTransaction};

use crate::error::ApiError;

/// How long the end of a transaction is remembered.
const ENDED_KEPT: Duration = Duration::from_secs(600);

/// Whether a transaction runs, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It can be used.
    Running,
    /// Its writes are visible.
    Committed,
    /// Its writes are gone.
    Aborted,
}

impl Status {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Committed => "committed",
            Status::Aborted => "aborted",
        }
    }
}

/// One stream transaction, running or ended.
pub struct StreamTransaction {
    pub(super) id: u64,
    pub(super) database: String,
    pub(super) writes: bool,
    pub(super) slot: Mutex<Slot>,
    /// Told when the request that works in it is done.
    pub(super) freed: Condvar,
    pub(super) idle: Duration,
}

pub(super) struct Slot {
    /// Gone once it ended.
    pub(super) running: Option<Running>,
    pub(super) status: Status,
    /// Whether a request works in it.
    pub(super) is_leased: bool,
    /// How many requests wait for their turn.
    pub(super) n_waiting: usize,
    /// Whether that request is to abort it when it is done.
    pub(super) is_abort_wanted: bool,
    /// When it expires; once ended, when it is forgotten.
    pub(super) deadline: Instant,
}

pub(super) struct Running {
    pub(super) transaction: OwnedTransaction,
    pub(super) _place: Place,
}

/// A place among the running transactions; free again when dropped.
pub(super) struct Place(pub(super) Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Slot {
    /// If a request works in it: ends its query, and has the transaction aborted after it.
    pub(super) fn interrupt(&mut self) {
        if let Some(running) = self.running.as_ref().filter(|_| self.is_leased) {
            running.transaction.interrupt();
            self.is_abort_wanted = true;
        }
    }

    /// Ends it and gives what is left of it, to be dropped once the slot is unlocked.
    pub(super) fn end(&mut self, status: Status) -> Option<Running> {
        if self.status == Status::Running {
            self.status = status;
            self.deadline = Instant::now() + ENDED_KEPT;
        }
        self.running.take()
    }
}

impl StreamTransaction {
    /// Whether it can be used.
    pub fn is_running(&self) -> bool {
        self.slot.lock().status == Status::Running
    }

    /// Tells that a client is still interested.
    pub fn touch(&self) {
        let mut slot = self.slot.lock();
        if slot.status == Status::Running {
            slot.deadline = Instant::now() + self.idle;
        }
    }

    pub(super) fn refusal(&self, number: u16, why: &str) -> ApiError {
        persea::Error::with_number(number, format!("transaction '{}' {why}", self.id)).into()
    }
}

/// One request's turn; the next one's when dropped.
pub(super) struct Turn(pub(super) Arc<StreamTransaction>);

impl Drop for Turn {
    fn drop(&mut self) {
        let mut slot = self.0.slot.lock();
        slot.is_leased = false;
        // A request that met a bug, or was chosen to end a deadlock, has lost the transaction.
        let is_lost = !slot.running.as_ref().is_some_and(|running| running.transaction.is_running());
        let running = if slot.is_abort_wanted || is_lost {
            slot.end(Status::Aborted)
        } else {
            slot.deadline = Instant::now() + self.0.idle;
            None
        };
        drop(slot);
        // All, since the one that gets its turn may not take it: the transaction may have ended.
        self.0.freed.notify_all();
        drop(running);
    }
}

/// One request's turn in a transaction; over when dropped.
pub struct Lease {
    pub(super) turn: Turn,
    pub(super) database: Database,
}

impl Lease {
    /// The database as the transaction sees it.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The transaction.
    pub fn transaction(&self) -> &Arc<StreamTransaction> {
        &self.turn.0
    }
}
