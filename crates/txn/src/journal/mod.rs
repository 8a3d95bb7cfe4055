//! Commits by log and delta: how a commit becomes durable and visible without touching the engine.
//!
//! ```text
//! commit ──> log (append) ──> active delta ──> visible
//!                                  │ freeze
//!                             frozen delta ──> engine (one sorted batch, synced) ──> log trimmed
//! ```
//!
//! The engine always holds exactly the commits up to the number stored in it (and those of bulk commits), so a restart
//! reads the records after that number into a fresh delta and goes on.
//!
//! Order of the mutexes: engine writer, commit state, snapshot registry.

mod checkpoint;
mod log_note;
mod pressure;
mod record;
mod recovery;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use persea_kv::{Engine, Tree};
use persea_wal::{Batch, Log, Position, Storage};

pub(crate) use checkpoint::StoredSeq;
pub(crate) use log_note::forget_log_in;
pub(crate) use recovery::{EngineState, engine_state, replay};
pub use recovery::{needs_log, stored_commit};

use crate::delta::Delta;
use crate::primitives::{AtomicU64 as SharedAtomicU64, Mutex, RwLock};
use crate::snapshots::{Deltas, SnapshotRegistry};
use crate::write_set::{Layers, writes_of};
use crate::{CommitSeq, Error, Options, Result};
use log_note::LogNote;
use pressure::Pressure;

/// Memory of the batch that is kept for the next commit.
const BATCH_BYTES_KEPT: u64 = 1 << 20;

/// The log, the state of committing, and what is under way towards the engine.
pub(crate) struct Journal {
    engine: Engine,
    storage: Arc<dyn Storage>,
    log_options: persea_wal::Options,
    delta_bytes_max: usize,
    /// None while it is being opened anew after a failure.
    log: RwLock<Option<Arc<Log>>>,
    commit: Mutex<CommitState>,
    engine_writer: Mutex<EngineWriter>,
    pressure: Pressure,
    log_note: LogNote,
    /// Up to which commit the engine has everything.
    checkpointed: SharedAtomicU64,
    pub(crate) counters: JournalCounters,
}

/// Held while commits are added, so that log and delta have one order.
struct CommitState {
    last_seq: u64,
    active: Arc<Delta>,
    batch: Batch,
    /// Whether the engine tells that the log is needed.
    is_log_noted: bool,
}

/// Held while the engine is written to.
#[derive(Debug, Default)]
struct EngineWriter {
    /// The last commit in the frozen delta, if there is one.
    frozen_up_to: u64,
}

/// What the journal has done since it was opened.
#[derive(Debug, Default)]
pub(crate) struct JournalCounters {
    pub(crate) checkpoints: AtomicU64,
    pub(crate) checkpoint_failures: AtomicU64,
    pub(crate) bulk_commits: AtomicU64,
    pub(crate) checkpoint_nanos: AtomicU64,
    pub(crate) replayed_commits: AtomicU64,
}

/// Where commits went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Committed {
    /// Number of the first of them; the others follow.
    pub(crate) first: CommitSeq,
    /// What has yet to make them durable.
    pub(crate) lacks: Lacks,
}

/// What a commit that is visible lacks to be durable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lacks {
    Nothing,
    /// A sync of the log up to here.
    Sync(Position),
    /// The log was given up while the commit went past it: what the log may hold of a refused commit would come after
    /// this one if the process ended before there is a new log.
    NewLog,
}

/// What made the journal take note of its own state after a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The background has something to see to.
    Due,
    Nothing,
}

impl Journal {
    /// Opens log and deltas over an engine; returns the last commit as well.
    pub(crate) fn open(
        engine: &Engine,
        storage: Arc<dyn Storage>,
        options: &Options,
    ) -> Result<(Journal, Deltas, u64)> {
        let log_options = log_options(options);
        let recovered =
            recovery::recover(engine, storage.clone(), log_options.clone(), options.delta_bytes_max)?;
        let active = Arc::new(recovered.delta);
        let journal = Journal {
            engine: engine.clone(),
            storage,
            log_options,
            delta_bytes_max: options.delta_bytes_max,
            log: RwLock::new(Some(Arc::new(recovered.log))),
            commit: Mutex::new(CommitState {
                last_seq: recovered.last_seq,
                active: active.clone(),
                batch: Batch::new(),
                is_log_noted: recovered.is_log_noted,
            }),
            engine_writer: Mutex::default(),
            pressure: Pressure::default(),
            log_note: LogNote::default(),
            checkpointed: SharedAtomicU64::new(recovered.stored_seq),
            counters: JournalCounters::default(),
        };
        journal.counters.replayed_commits.store(recovered.n_replayed, Ordering::Relaxed);
        Ok((journal, Deltas { active, frozen: None }, recovered.last_seq))
    }

    /// Appends a group of write sets and makes them visible.
    ///
    /// # Errors
    /// [`Error::ReadOnly`]; nothing of the group is in the log or visible then.
    pub(crate) fn commit(
        &self,
        registry: &SnapshotRegistry,
        group: &[&Layers],
    ) -> Result<(Committed, Notice)> {
        self.pressure.pass(|| self.load(registry))?;
        let mut state = self.lock_for_append(registry)?;
        let state = &mut *state;
        let log = self.log()?;
        state.batch.clear();
        for (seq, layers) in (state.last_seq + 1..).zip(group) {
            state.batch.push_with(seq, record::KIND_WRITES, |payload| {
                writes_of(std::slice::from_ref(layers))
                    .for_each(|write| record::encode(write, |piece| payload.extend(piece)));
            });
        }
        let appended = log.append_batch(&mut state.batch).map_err(Error::from_append)?;
        let was_empty = state.active.is_empty();
        let mut writer = state.active.writer();
        for (seq, layers) in (state.last_seq + 1..).zip(group) {
            writes_of(std::slice::from_ref(layers)).for_each(|write| writer.put(CommitSeq(seq), write));
        }
        drop(writer);
        let first = CommitSeq(state.last_seq + 1);
        state.last_seq += group.len() as u64;
        registry.publish(CommitSeq(state.last_seq));
        if state.batch.byte_size() > BATCH_BYTES_KEPT {
            state.batch = Batch::new();
        }
        let is_full = state.active.memory_bytes() >= self.delta_bytes_max;
        let notice = if was_empty || is_full { Notice::Due } else { Notice::Nothing };
        Ok((Committed { first, lacks: Lacks::Sync(appended.end) }, notice))
    }

    fn log(&self) -> Result<Arc<Log>> {
        let log = self.log.read().clone();
        log.ok_or_else(|| Error::ReadOnly("the log is being opened anew after a failure".into()))
    }

    /// How full the deltas are: 1 is as full as one should get, 2 as full as both may.
    fn load(&self, registry: &SnapshotRegistry) -> f64 {
        match registry.deltas() {
            Some(Deltas { active, frozen: Some(_) }) => {
                active.memory_bytes() as f64 / self.delta_bytes_max.max(1) as f64
            }
            // Nothing is on its way to the engine, so the next checkpoint can begin at any time.
            _ => 0.0,
        }
    }

    /// Returns when the log is on the disk up to a position.
    pub(crate) fn sync(&self, until: Position) -> Result<()> {
        self.log()?.sync(until).map_err(Error::from_sync)
    }

    /// Returns when all of the log is on the disk.
    pub(crate) fn sync_all(&self) -> Result<()> {
        self.log()?.sync_all().map_err(Error::from_sync)
    }

    /// The last commit up to which the engine has everything.
    pub(crate) fn checkpointed(&self) -> CommitSeq {
        CommitSeq(self.checkpointed.load(Ordering::Acquire))
    }

    /// True if commits are not taken at present, though they may be again.
    ///
    /// # Errors
    /// [`Error::ReadOnly`] with the reason.
    pub(crate) fn health(&self) -> Result<()> {
        self.pressure.check()?;
        self.log_note.check()?;
        self.log()?.health().map_err(Error::from_append)
    }

    /// Bytes of log not trimmed, and the log's own metrics.
    pub(crate) fn log_metrics(&self) -> (u64, persea_wal::Metrics) {
        match self.log.read().as_ref() {
            Some(log) => (log.byte_size(), log.metrics()),
            None => Default::default(),
        }
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Journal").field("checkpointed", &self.checkpointed).finish_non_exhaustive()
    }
}

fn log_options(options: &Options) -> persea_wal::Options {
    let mut log_options = persea_wal::Options::new();
    log_options.sync_interval = options.sync_interval;
    log_options.segment_bytes = options.log_segment_bytes;
    log_options.ignore_damage = options.ignore_log_damage;
    log_options
}

/// Where the engine keeps the number of the last commit that it has: behind the clear markers.
const STORED_SEQ_KEY: &[u8] = &[2];
/// Where the engine names its last bulk commit, by a number that grows with each: the lowest that it can have.
const STORED_BULK_KEY: &[u8] = &[3];
/// Where the engine notes that the log is needed, with the last commit before that.
const LOG_NOTE_KEY: &[u8] = &[4];
const STORED_SEQ_TREE: Tree = Tree::Meta;
