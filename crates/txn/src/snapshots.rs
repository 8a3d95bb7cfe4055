//! Shared snapshots and the set of active transactions.
//!
//! Transactions that begin between two commits share one engine snapshot, so beginning costs no engine call in a
//! read-mostly database. The registry also knows the oldest snapshot that an active transaction reads from, which
//! tells how long committed keys must be remembered for conflict detection.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use persea_kv::{Engine, Snapshot, Store, StoreSnapshot};

use crate::{CommitSeq, Result};

/// An engine snapshot shared by views and transactions.
#[derive(Debug)]
pub(crate) struct SharedSnapshot {
    store: Snapshot,
    id: u64,
    births: Arc<Births>,
}

impl SharedSnapshot {
    #[inline]
    pub(crate) fn store(&self) -> &Snapshot {
        &self.store
    }

    pub(crate) fn commit_seq(&self) -> CommitSeq {
        CommitSeq(self.store.version())
    }
}

impl Drop for SharedSnapshot {
    fn drop(&mut self) {
        self.births.0.lock().remove(&self.id);
    }
}

/// When each live snapshot was taken, by its id; ids ascend.
#[derive(Debug, Default)]
struct Births(Mutex<BTreeMap<u64, Instant>>);

/// Hands out snapshots and counts who reads from which state.
#[derive(Debug)]
pub(crate) struct SnapshotRegistry {
    state: Mutex<State>,
    births: Arc<Births>,
    /// The newest commit that is published; a cached snapshot older than this is not handed out.
    latest: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Kept alive between uses, but not while a write is under way: an old snapshot would keep pages from reuse.
    cached: Option<Arc<SharedSnapshot>>,
    shared: Weak<SharedSnapshot>,
    n_writes_running: usize,
    /// How many active transactions read from each commit.
    active: BTreeMap<CommitSeq, usize>,
    next_id: u64,
}

impl SnapshotRegistry {
    pub(crate) fn new(latest: u64) -> SnapshotRegistry {
        SnapshotRegistry { state: Mutex::default(), births: Arc::default(), latest: AtomicU64::new(latest) }
    }

    /// A snapshot that contains every published commit.
    pub(crate) fn snapshot(&self, engine: &Engine) -> Result<Arc<SharedSnapshot>> {
        self.current(&mut self.state.lock(), engine)
    }

    /// Like [`SnapshotRegistry::snapshot`], and counts a transaction as active on it until [`SnapshotRegistry::end`].
    pub(crate) fn begin(&self, engine: &Engine) -> Result<Arc<SharedSnapshot>> {
        // Taken and counted under one lock: a commit that finishes in between can't miss this reader.
        let mut state = self.state.lock();
        let snapshot = self.current(&mut state, engine)?;
        *state.active.entry(snapshot.commit_seq()).or_insert(0) += 1;
        Ok(snapshot)
    }

    fn current(&self, state: &mut State, engine: &Engine) -> Result<Arc<SharedSnapshot>> {
        let latest = self.latest.load(Ordering::Acquire);
        let is_current = |snapshot: &Arc<SharedSnapshot>| snapshot.commit_seq().0 >= latest;
        if let Some(snapshot) = state.cached.clone().or_else(|| state.shared.upgrade()).filter(is_current) {
            return Ok(snapshot);
        }
        let id = state.next_id;
        state.next_id += 1;
        let snapshot =
            Arc::new(SharedSnapshot { store: engine.snapshot()?, id, births: self.births.clone() });
        self.births.0.lock().insert(id, Instant::now());
        state.shared = Arc::downgrade(&snapshot);
        state.cached = (state.n_writes_running == 0).then(|| snapshot.clone());
        Ok(snapshot)
    }

    /// Counts a transaction out; returns the oldest snapshot that active transactions read from.
    pub(crate) fn end(&self, seq: CommitSeq) -> Option<CommitSeq> {
        let mut state = self.state.lock();
        if let Some(count) = state.active.get_mut(&seq) {
            *count -= 1;
            if *count == 0 {
                state.active.remove(&seq);
            }
        }
        state.active.first_key_value().map(|(seq, _)| *seq)
    }

    /// Lets go of the cached snapshot for the time of a write.
    pub(crate) fn write_begins(&self) {
        let mut state = self.state.lock();
        state.n_writes_running += 1;
        let cached = state.cached.take();
        drop(state);
        drop(cached);
    }

    /// Publishes the version that a write has made, if it has.
    pub(crate) fn write_ended(&self, version: Option<u64>) {
        if let Some(version) = version {
            self.latest.fetch_max(version, Ordering::AcqRel);
        }
        self.state.lock().n_writes_running -= 1;
    }

    /// The newest published commit.
    pub(crate) fn latest(&self) -> u64 {
        self.latest.load(Ordering::Acquire)
    }

    pub(crate) fn n_active(&self) -> usize {
        self.state.lock().active.values().sum()
    }

    /// Lets go of the cached snapshot if nobody uses it.
    fn release_idle(&self) {
        let mut state = self.state.lock();
        let idle = state.cached.take_if(|cached| Arc::strong_count(cached) == 1);
        drop(state);
        drop(idle);
    }

    /// Number of snapshots in use and the age of the oldest.
    pub(crate) fn live(&self) -> (usize, Duration) {
        self.release_idle();
        let births = self.births.0.lock();
        let oldest = births.first_key_value().map_or(Duration::ZERO, |(_, birth)| birth.elapsed());
        (births.len(), oldest)
    }
}
