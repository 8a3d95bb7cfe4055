//! Shared snapshots and the set of active transactions.
//!
//! A snapshot is a commit number, the deltas that hold commits which the engine lacked when it was taken, and an engine
//! snapshot. Transactions that begin between two commits share one; those that begin between two checkpoints share the
//! engine's. So beginning costs no engine call. The registry also knows the oldest snapshot that an active transaction
//! reads from, which tells how long committed keys must be remembered for conflict detection.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use persea_kv::{Engine, Snapshot, Store, StoreSnapshot};
use smallvec::SmallVec;

use crate::delta::Delta;
use crate::primitives::{AtomicU64, Mutex};
use crate::{CommitSeq, Error, Result};

/// A state of the database shared by views and transactions.
#[derive(Debug)]
pub(crate) struct SharedSnapshot {
    seq: CommitSeq,
    /// Newest first; none that was empty.
    deltas: SmallVec<[Arc<Delta>; 2]>,
    main: Arc<Snapshot>,
    id: u64,
    births: Arc<Births>,
    is_expired: Arc<AtomicBool>,
}

impl SharedSnapshot {
    /// Whether it may still be read.
    ///
    /// # Errors
    /// [`Error::SnapshotTooOld`].
    #[inline]
    pub(crate) fn check_age(&self) -> Result<()> {
        if self.is_expired.load(Ordering::Relaxed) { Err(self.births.too_old()) } else { Ok(()) }
    }

    /// What the engine had when the snapshot was taken.
    #[inline]
    pub(crate) fn main(&self) -> &Snapshot {
        &self.main
    }

    /// Commits over it, newest first.
    #[inline]
    pub(crate) fn deltas(&self) -> &[Arc<Delta>] {
        &self.deltas
    }

    #[inline]
    pub(crate) fn commit_seq(&self) -> CommitSeq {
        self.seq
    }
}

impl Drop for SharedSnapshot {
    fn drop(&mut self) {
        self.births.living.lock().remove(&self.id);
    }
}

/// The live snapshots by their ids, which ascend.
#[derive(Debug, Default)]
struct Births {
    living: Mutex<BTreeMap<u64, Life>>,
    age_max: Option<Duration>,
    n_expired: AtomicU64,
}

#[derive(Debug)]
struct Life {
    born: Instant,
    seq: CommitSeq,
    /// When it was noticed that there is a newer state.
    outdated: Option<Instant>,
    is_expired: Arc<AtomicBool>,
}

impl Births {
    #[cold]
    fn too_old(&self) -> Error {
        Error::SnapshotTooOld { age_max: self.age_max.unwrap_or_default() }
    }
}

/// Where commits go that the engine does not have yet.
#[derive(Clone, Debug)]
pub(crate) struct Deltas {
    /// Takes new commits.
    pub(crate) active: Arc<Delta>,
    /// Takes no more and is being written to the engine.
    pub(crate) frozen: Option<Arc<Delta>>,
}

/// Hands out snapshots and counts who reads from which state.
#[derive(Debug)]
pub(crate) struct SnapshotRegistry {
    state: Mutex<State>,
    births: Arc<Births>,
    /// The newest commit that is published; a cached snapshot older than this is not handed out.
    latest: AtomicU64,
    /// Whether commits go to the engine at once, whose versions are the commit numbers then.
    is_direct: bool,
}

#[derive(Debug)]
struct State {
    /// The last one handed out, kept for the next: always the newest while nothing is committed.
    cached: Option<Arc<SharedSnapshot>>,
    shared: Weak<SharedSnapshot>,
    /// The engine's snapshot for all that are handed out until the engine is written to the next time.
    main: Option<Arc<Snapshot>>,
    /// None while commits go to the engine at once.
    deltas: Option<Deltas>,
    /// Writes under way that must find no snapshot of ours in the engine.
    n_released: usize,
    /// How many active transactions read from each commit.
    active: BTreeMap<CommitSeq, usize>,
    next_id: u64,
}

impl SnapshotRegistry {
    /// A registry of a database whose commits go to the engine at once, or through `deltas`.
    ///
    /// Snapshots that are outdated for longer than `age_max` expire, if somebody looks after them by
    /// [`SnapshotRegistry::expire`].
    pub(crate) fn new(latest: u64, deltas: Option<Deltas>, age_max: Option<Duration>) -> SnapshotRegistry {
        let is_direct = deltas.is_none();
        let state = State {
            cached: None,
            shared: Weak::new(),
            main: None,
            deltas,
            n_released: 0,
            active: BTreeMap::new(),
            next_id: 0,
        };
        SnapshotRegistry {
            state: Mutex::new(state),
            births: Arc::new(Births { age_max, ..Births::default() }),
            latest: AtomicU64::new(latest),
            is_direct,
        }
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
        let is_current = |snapshot: &&Arc<SharedSnapshot>| snapshot.commit_seq().0 >= latest;
        if let Some(snapshot) = state.cached.as_ref().filter(is_current) {
            return Ok(snapshot.clone());
        }
        if let Some(snapshot) = state.shared.upgrade().filter(|snapshot| is_current(&snapshot)) {
            return Ok(snapshot);
        }
        let main = match &state.main {
            Some(main) if !self.is_direct => main.clone(),
            _ => Arc::new(engine.snapshot()?),
        };
        let seq = CommitSeq(if self.is_direct { main.version() } else { latest });
        let deltas = state.deltas.iter().flat_map(|deltas| [Some(&deltas.active), deltas.frozen.as_ref()]);
        let deltas = deltas.flatten().filter(|delta| !delta.is_empty()).cloned().collect();
        let snapshot = self.register(&mut state.next_id, seq, deltas, main.clone());
        state.shared = Arc::downgrade(&snapshot);
        if state.n_released == 0 {
            state.cached = Some(snapshot.clone());
            state.main = (!self.is_direct).then_some(main);
        }
        Ok(snapshot)
    }

    fn register(
        &self,
        next_id: &mut u64,
        seq: CommitSeq,
        deltas: SmallVec<[Arc<Delta>; 2]>,
        main: Arc<Snapshot>,
    ) -> Arc<SharedSnapshot> {
        let id = *next_id;
        *next_id += 1;
        let is_expired = Arc::new(AtomicBool::new(false));
        let life = Life { born: Instant::now(), seq, outdated: None, is_expired: is_expired.clone() };
        self.births.living.lock().insert(id, life);
        Arc::new(SharedSnapshot { seq, deltas, main, id, births: self.births.clone(), is_expired })
    }

    /// Makes a snapshot of what was found elsewhere: a commit number, what lies over the engine, and the engine's part.
    pub(crate) fn adopt(
        &self,
        seq: CommitSeq,
        delta: Option<&Arc<Delta>>,
        main: Arc<Snapshot>,
    ) -> Arc<SharedSnapshot> {
        let deltas = delta.filter(|delta| !delta.is_empty()).into_iter().cloned().collect();
        self.publish(seq);
        self.register(&mut self.state.lock().next_id, seq, deltas, main)
    }

    /// Counts a transaction as active on a snapshot until [`SnapshotRegistry::end`].
    pub(crate) fn count_active(&self, snapshot: &SharedSnapshot) {
        *self.state.lock().active.entry(snapshot.commit_seq()).or_insert(0) += 1;
    }

    /// Takes note of which snapshots are outdated, and lets those expire that have been for too long. To be called now
    /// and then if there is a limit.
    pub(crate) fn expire(&self) {
        let Some(age_max) = self.births.age_max else { return };
        let latest = CommitSeq(self.latest());
        let now = Instant::now();
        for life in self.births.living.lock().values_mut().filter(|life| life.seq < latest) {
            let outdated = *life.outdated.get_or_insert(now);
            let is_over = now.duration_since(outdated) >= age_max;
            if is_over && !life.is_expired.swap(true, Ordering::Relaxed) {
                self.births.n_expired.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Whether anybody has a snapshot.
    pub(crate) fn has_live_snapshots(&self) -> bool {
        !self.births.living.lock().is_empty()
    }

    /// How many snapshots have expired.
    pub(crate) fn n_expired(&self) -> u64 {
        self.births.n_expired.load(Ordering::Relaxed)
    }

    /// Counts a transaction out. Returns the [horizon](SnapshotRegistry::horizon).
    pub(crate) fn end(&self, seq: CommitSeq) -> CommitSeq {
        let mut state = self.state.lock();
        if let Some(count) = state.active.get_mut(&seq) {
            *count -= 1;
            if *count == 0 {
                state.active.remove(&seq);
            }
        }
        self.horizon_of(&state)
    }

    /// The commit up to which every transaction sees everything, those that run now and those that begin later.
    pub(crate) fn horizon(&self) -> CommitSeq {
        self.horizon_of(&self.state.lock())
    }

    fn horizon_of(&self, state: &State) -> CommitSeq {
        // Never beyond the latest commit, not even without active transactions: some may begin, and others commit,
        // before the caller acts on the answer.
        let latest = CommitSeq(self.latest.load(Ordering::Acquire));
        state.active.first_key_value().map_or(latest, |(oldest, _)| (*oldest).min(latest))
    }

    /// The horizon of all transactions but one that reads from `seq` and goes on.
    pub(crate) fn horizon_of_others(&self, seq: CommitSeq) -> CommitSeq {
        let state = self.state.lock();
        let latest = CommitSeq(self.latest.load(Ordering::Acquire));
        let others = |(other, count): &(&CommitSeq, &usize)| **other != seq || **count > 1;
        state.active.iter().find(others).map_or(latest, |(oldest, _)| (*oldest).min(latest))
    }

    /// Lets go of the kept snapshots for the time of a write to the engine, which could not grow beside them.
    pub(crate) fn release_engine(&self) {
        let mut state = self.state.lock();
        state.n_released += 1;
        let kept = (state.cached.take(), state.main.take());
        drop(state);
        drop(kept);
    }

    /// Ends the time that [`SnapshotRegistry::release_engine`] began.
    pub(crate) fn engine_released(&self) {
        self.state.lock().n_released -= 1;
    }

    /// Publishes a version that the engine has got, as the newest commit.
    pub(crate) fn publish_version(&self, version: u64) {
        self.latest.fetch_max(version, Ordering::AcqRel);
    }

    /// Publishes what was added to the active delta up to `seq`.
    pub(crate) fn publish(&self, seq: CommitSeq) {
        self.latest.fetch_max(seq.0, Ordering::AcqRel);
    }

    /// The deltas as they are now.
    pub(crate) fn deltas(&self) -> Option<Deltas> {
        self.state.lock().deltas.clone()
    }

    /// Makes the active delta the frozen one, unless there is one or it is empty, and returns the frozen one. The
    /// caller sees to it that nobody is adding a commit.
    pub(crate) fn freeze(&self, new_active: impl FnOnce() -> Delta) -> Option<Arc<Delta>> {
        let mut state = self.state.lock();
        let deltas = state.deltas.as_mut()?;
        if deltas.frozen.is_none() && !deltas.active.is_empty() {
            let filled = std::mem::replace(&mut deltas.active, Arc::new(new_active()));
            deltas.frozen = Some(filled);
        }
        deltas.frozen.clone()
    }

    /// Lets snapshots read from the engine what was read from the frozen delta before, and publishes what else the
    /// engine has got, as `seq`.
    pub(crate) fn thaw(&self, engine: &Engine, seq: Option<CommitSeq>) {
        let mut state = self.state.lock();
        // Without a new one the next snapshot takes it.
        let main = if state.n_released == 0 { engine.snapshot().ok().map(Arc::new) } else { None };
        let frozen = state.deltas.as_mut().and_then(|deltas| deltas.frozen.take());
        let old = (std::mem::replace(&mut state.main, main), state.cached.take(), frozen);
        state.shared = Weak::new();
        if let Some(seq) = seq {
            self.publish(seq);
        }
        drop(state);
        // Freeing a large delta takes a while.
        drop(old);
    }

    /// Takes the engine's snapshot now, so that nobody sees a write to the engine before it is published.
    pub(crate) fn pin(&self, engine: &Engine) -> Result<()> {
        let mut state = self.state.lock();
        if state.main.is_none() && state.n_released == 0 {
            state.main = Some(Arc::new(engine.snapshot()?));
        }
        Ok(())
    }

    /// Lets the next snapshot see what was written to the engine beside the commits.
    pub(crate) fn forget_main(&self) {
        let mut state = self.state.lock();
        let kept = (state.cached.take(), state.main.take());
        state.shared = Weak::new();
        drop(state);
        drop(kept);
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
        let living = self.births.living.lock();
        let oldest = living.first_key_value().map_or(Duration::ZERO, |(_, life)| life.born.elapsed());
        (living.len(), oldest)
    }
}
