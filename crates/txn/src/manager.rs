//! The manager: opens an engine for transactions and hands out snapshots.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use persea_kv::{Engine, Store, Tree};
use persea_wal::{StdStorage, Storage};

use crate::background::{Background, Bell};
use crate::clearing::{self, ClearQueue};
use crate::commit_pipeline::CommitPipeline;
use crate::follower::Follower;
use crate::journal::{self, Journal, StoredSeq};
use crate::locks::{LockManager, TransactionId};
use crate::snapshots::{SharedSnapshot, SnapshotRegistry};
use crate::{
    CommitSeq, Durability, Error, Hold, LockTimeouts, Metrics, Options, ReadView, Result, Transaction,
    TransactionOptions,
};

/// Where in the engine's folder the log is.
const LOG_FOLDER: &str = "log";

/// What the manager, its thread and its transactions share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) registry: SnapshotRegistry,
    pub(crate) pipeline: CommitPipeline,
    pub(crate) locks: LockManager,
    pub(crate) clears: ClearQueue,
    pub(crate) bell: Bell,
    pub(crate) counters: Counters,
    /// Where commits come from if another process makes them, and nobody here may.
    pub(crate) follower: Option<Follower>,
    next_transaction: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) aborts: AtomicU64,
    pub(crate) conflicts: AtomicU64,
}

impl Shared {
    /// A fresh id, never 0.
    pub(crate) fn next_transaction_id(&self) -> TransactionId {
        self.next_transaction.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A snapshot that contains every commit acknowledged so far.
    pub(crate) fn snapshot(&self) -> Result<Arc<SharedSnapshot>> {
        match &self.follower {
            None => self.registry.snapshot(self.pipeline.engine()),
            Some(follower) => follower.snapshot(self.pipeline.engine(), &self.registry),
        }
    }

    /// The same for a transaction, which is counted as active on it.
    pub(crate) fn begin_snapshot(&self) -> Result<Arc<SharedSnapshot>> {
        match &self.follower {
            None => self.registry.begin(self.pipeline.engine()),
            Some(follower) => {
                let snapshot = follower.snapshot(self.pipeline.engine(), &self.registry)?;
                self.registry.count_active(&snapshot);
                Ok(snapshot)
            }
        }
    }

    /// # Errors
    /// [`Error::ReadOnly`] if it was opened for reading only.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.follower.is_some() { Err(Error::opened_read_only()) } else { Ok(()) }
    }
}

/// Transactions over one engine. Handles are cheap clones that share everything.
///
/// The last handle that is dropped stops the background thread after a final checkpoint; transactions that are still
/// open then can be finished nevertheless.
#[derive(Clone, Debug)]
pub struct TransactionManager {
    shared: Arc<Shared>,
    /// None if it was opened for reading only and snapshots may get as old as they like: there is nothing to see to then.
    _background: Option<Arc<Background>>,
}

impl TransactionManager {
    /// Opens an engine with default options; see [`TransactionManager::open_with`].
    ///
    /// # Errors
    /// As of [`TransactionManager::open_with`].
    pub fn open(engine: Engine) -> Result<TransactionManager> {
        TransactionManager::open_with(engine, Options::default())
    }

    /// Opens an engine. If it has a folder, commits go to a log in the subfolder `log`; those that the engine lacks are
    /// read back from it. An engine without a folder takes commits at once.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage); [`Error::Log`](crate::Error::Log) if the log is damaged.
    pub fn open_with(engine: Engine, options: Options) -> Result<TransactionManager> {
        match engine.path().map(|path| path.join(LOG_FOLDER)) {
            Some(path) => {
                let storage = StdStorage::open(path)?;
                TransactionManager::open_on(engine, Arc::new(storage), options)
            }
            None => {
                let registry = SnapshotRegistry::new(engine.version(), None, options.snapshot_age_max);
                TransactionManager::start(engine, registry, None, options)
            }
        }
    }

    /// Opens for reading what another process may be writing. Each view and transaction shows every commit that was
    /// acknowledged before it began, as [`Transaction`]s of the writer would: what the engine has, and over it what its
    /// log has. If nobody writes, that is everything that survived.
    ///
    /// The writer is neither waited for nor made to wait, and nothing in the folder changes but the slot of a reader in
    /// the engine's table. As long as a view lives, the writer's file keeps what the view can see. The log's end, which
    /// is the delta in the writer's memory, is kept in memory here too.
    ///
    /// Two things differ from what the writer's own readers see. A commit may show that the writer has not yet
    /// acknowledged, and one whose append failed half-way for a full disk may show until it is cut off. And while the
    /// writer takes one bulk commit after the other, a view may be as old as the last of them.
    ///
    /// # Errors
    /// [`Error::Storage`] if the engine is one of memory or holds nothing yet; [`Error::Log`] if the log is damaged.
    pub fn open_read_only(engine: Engine, options: Options) -> Result<TransactionManager> {
        let Some(path) = engine.path().map(|path| path.join(LOG_FOLDER)) else {
            return Err(persea_kv::Error::Unsupported("reading from another process", engine.name()).into());
        };
        let follower = Follower::new(Arc::new(StdStorage::read_only(path)), &options);
        let registry = SnapshotRegistry::new(0, None, options.snapshot_age_max);
        follower.snapshot(&engine, &registry)?;
        let shared = Arc::new(Shared {
            registry,
            pipeline: CommitPipeline::new(engine, None, options.bulk_bytes_min),
            options,
            locks: LockManager::new(),
            clears: ClearQueue::default(),
            bell: Bell::default(),
            counters: Counters::default(),
            follower: Some(follower),
            next_transaction: AtomicU64::new(0),
        });
        let background = match shared.options.snapshot_age_max {
            Some(_) => Some(Arc::new(Background::start(shared.clone()).map_err(persea_kv::Error::from)?)),
            None => None,
        };
        Ok(TransactionManager { shared, _background: background })
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.shared.follower.is_some()
    }

    /// Opens an engine with the log in any storage.
    ///
    /// # Errors
    /// As of [`TransactionManager::open_with`].
    pub fn open_on(
        engine: Engine,
        storage: Arc<dyn Storage>,
        options: Options,
    ) -> Result<TransactionManager> {
        let (journal, deltas, last_seq) = Journal::open(&engine, storage, &options)?;
        let registry = SnapshotRegistry::new(last_seq, Some(deltas), options.snapshot_age_max);
        TransactionManager::start(engine, registry, Some(journal), options)
    }

    /// Begins, and goes on clearing the keyspaces that an earlier run has left half cleared.
    fn start(
        engine: Engine,
        registry: SnapshotRegistry,
        journal: Option<Journal>,
        options: Options,
    ) -> Result<TransactionManager> {
        let view = ReadView::new(registry.snapshot(&engine)?, Arc::default());
        let unfinished = clearing::unfinished(&view)?;
        let latest = view.commit_seq();
        drop(view);
        let shared = Arc::new(Shared {
            registry,
            pipeline: CommitPipeline::new(engine, journal, options.bulk_bytes_min),
            options,
            locks: LockManager::new(),
            clears: ClearQueue::default(),
            bell: Bell::default(),
            counters: Counters::default(),
            follower: None,
            next_transaction: AtomicU64::new(0),
        });
        shared.clears.push(unfinished, latest);
        let background = Background::start(shared.clone()).map_err(persea_kv::Error::from)?;
        Ok(TransactionManager { shared, _background: Some(Arc::new(background)) })
    }

    /// Begins a transaction that sees every commit acknowledged so far.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage), for one when too many snapshots are open.
    pub fn begin(&self) -> Result<Transaction> {
        Transaction::begin(self.shared.clone(), &TransactionOptions::default())
    }

    /// Begins a transaction that holds the collections named by `options` before it takes its snapshot, so that what
    /// it reads from a collection locked [`Exclusive`](crate::LockMode::Exclusive) is not changed by anybody until it
    /// ends.
    ///
    /// All callers lock in one order, so transactions that lock up front only can't deadlock each other.
    ///
    /// # Errors
    /// [`Error::LockTimeout`](crate::Error::LockTimeout), [`Error::Deadlock`](crate::Error::Deadlock),
    /// [`Error::Interrupted`](crate::Error::Interrupted), and those of [`TransactionManager::begin`].
    pub fn begin_with(&self, options: &TransactionOptions) -> Result<Transaction> {
        Transaction::begin(self.shared.clone(), options)
    }

    /// Locks the collections named by `options` and nothing else.
    ///
    /// # Errors
    /// As of [`TransactionManager::begin_with`], but for those of the storage.
    pub fn hold(&self, options: &TransactionOptions) -> Result<Hold> {
        Hold::begin(self.shared.clone(), options)
    }

    /// How transactions wait for locks that don't say otherwise.
    pub fn lock_timeouts(&self) -> LockTimeouts {
        self.shared.options.lock_timeouts
    }

    /// Whether waits for locks end at once, since the manager is to be dropped.
    pub fn is_stopping(&self) -> bool {
        self.shared.locks.is_stopped()
    }

    /// Ends all waits for locks, and those that would begin later at once, with
    /// [`Error::Stopping`](crate::Error::Stopping). What needs no wait goes on: meant for the time before the manager
    /// is dropped.
    pub fn stop_waits(&self) {
        self.shared.locks.stop();
    }

    /// A view of every commit acknowledged so far, for readers that write nothing.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage), for one when too many snapshots are open.
    pub fn snapshot(&self) -> Result<ReadView> {
        Ok(ReadView::new(self.shared.snapshot()?, Arc::default()))
    }

    /// Returns when every commit acknowledged so far survives a power failure.
    ///
    /// # Errors
    /// [`Error::SyncFailed`](crate::Error::SyncFailed).
    pub fn sync(&self) -> Result<()> {
        let synced = self.shared.pipeline.journal().map_or(Ok(()), Journal::sync_all);
        // A log that could not be synced has to be opened anew.
        synced.inspect_err(|_| self.shared.bell.ring())
    }

    /// Returns when the engine has every commit acknowledged so far, durably. Reads are fastest then, and a restart
    /// has nothing to read back. It happens by itself at intervals and when the last handle is dropped.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage); nothing is lost then.
    pub fn checkpoint(&self) -> Result<()> {
        let shared = &*self.shared;
        match shared.pipeline.journal() {
            Some(journal) => journal.checkpoint(shared.pipeline.engine(), &shared.registry),
            None => Ok(()),
        }
    }

    /// Writes a consistent copy of every commit acknowledged so far into a new folder while reads and writes go on, also
    /// those of another process. Returns a commit that the copy has, with all before it.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage).
    pub fn copy_to(&self, path: impl AsRef<Path>) -> Result<CommitSeq> {
        let engine = self.shared.pipeline.engine();
        let path = path.as_ref();
        if !self.is_read_only() {
            self.checkpoint()?;
            let seq = self.shared.pipeline.checkpointed();
            engine.copy_to(path)?;
            journal::forget_log_in(&Engine::open_lmdb(path, &persea_kv::Options::default())?)?;
            return Ok(seq);
        }
        // The engine copies a state of its own choice, which is not older than the snapshot's. What the snapshot has over
        // it goes on top, as it would after a crash. Commits that the copy has already must not: it may have a bulk commit
        // that came after them, and that covers what they wrote.
        let snapshot = self.shared.snapshot()?;
        engine.copy_to(path)?;
        let copy = Engine::open_lmdb(path, &persea_kv::Options::default())?;
        let state = journal::engine_state(&copy.snapshot()?)?;
        if state.needs_log {
            journal::forget_log_in(&copy)?;
        }
        let copied = state.stored_seq;
        let seq = snapshot.commit_seq();
        if seq.0 <= copied {
            return Ok(CommitSeq(copied));
        }
        let stored_seq = StoredSeq::new(seq.0);
        let commits = snapshot.deltas().iter().flat_map(|delta| delta.writes_between(CommitSeq(copied), seq));
        copy.write(commits.chain(std::iter::once(stored_seq.write())))?;
        copy.sync()?;
        Ok(seq)
    }

    /// Whether commits are taken.
    ///
    /// # Errors
    /// [`Error::ReadOnly`](crate::Error::ReadOnly) with the reason why they are refused, or will be soon.
    pub fn health(&self) -> Result<()> {
        self.shared.check_writable()?;
        self.shared.pipeline.journal().map_or(Ok(()), Journal::health)
    }

    /// Retires a keyspace of a tree: its entries are deleted in the background, in slices that don't hold writers up
    /// for long, and also after a restart. Readers see it become emptier meanwhile, so the id must not be in use any
    /// more. To retire it together with other changes use [`Transaction::clear_keyspace`].
    ///
    /// # Errors
    /// [`Error::KeyspaceReserved`](crate::Error::KeyspaceReserved), [`Error::Storage`](crate::Error::Storage).
    pub fn clear_keyspace(&self, tree: Tree, keyspace: u64) -> Result<()> {
        let mut transaction = self.begin()?;
        transaction.clear_keyspace(tree, keyspace)?;
        transaction.commit(Durability::Buffered)?;
        Ok(())
    }

    /// The newest commit that new snapshots are sure to contain.
    pub fn latest_commit(&self) -> CommitSeq {
        CommitSeq(self.shared.registry.latest())
    }

    /// The engine below, for statistics; it lacks the commits since the last checkpoint. Writes past the manager escape
    /// conflict detection.
    pub fn engine(&self) -> &Engine {
        self.shared.pipeline.engine()
    }

    /// Counters and gauges.
    pub fn metrics(&self) -> Metrics {
        let shared = &*self.shared;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let pipeline = &shared.pipeline.counters;
        let journal = shared.pipeline.journal();
        let (log_bytes, log) = journal.map(Journal::log_metrics).unwrap_or_default();
        let deltas = shared.registry.deltas();
        let deltas = deltas.iter().flat_map(|deltas| std::iter::once(&deltas.active).chain(&deltas.frozen));
        let (live_snapshots, oldest_snapshot_age) = shared.registry.live();
        let (lock_waits, lock_timeouts, deadlocks) = shared.locks.counts();
        // Two transactions that end at the same time may leave keys to the next one that ends.
        shared.locks.prune(shared.registry.horizon());
        Metrics {
            commits: count(&shared.counters.commits),
            aborts: count(&shared.counters.aborts),
            conflicts: count(&shared.counters.conflicts),
            commit_groups: count(&pipeline.groups),
            grouped_commits: count(&pipeline.grouped_commits),
            group_commits_max: count(&pipeline.group_commits_max),
            bulk_commits: journal.map_or(0, |journal| count(&journal.counters.bulk_commits)),
            syncs: log.n_syncs,
            synced_commits: log.n_sync_waiters,
            log_written_bytes: log.written_bytes,
            log_bytes,
            delta_bytes: deltas.clone().map(|delta| delta.memory_bytes()).sum(),
            delta_keys: deltas.map(|delta| delta.n_keys()).sum(),
            checkpoints: journal.map_or(0, |journal| count(&journal.counters.checkpoints)),
            checkpoint_failures: journal.map_or(0, |journal| count(&journal.counters.checkpoint_failures)),
            last_checkpoint_duration: Duration::from_nanos(
                journal.map_or(0, |journal| count(&journal.counters.checkpoint_nanos)),
            ),
            replayed_commits: journal.map_or(0, |journal| count(&journal.counters.replayed_commits)),
            is_read_only: self.health().is_err(),
            active_transactions: shared.registry.n_active(),
            live_snapshots,
            oldest_snapshot_age,
            expired_snapshots: shared.registry.n_expired(),
            tracked_keys: shared.locks.n_keys(),
            locked_collections: shared.locks.n_collections(),
            waiting_transactions: shared.locks.n_waiting(),
            lock_waits,
            lock_timeouts,
            deadlocks,
            pending_clears: shared.clears.len(),
            clear_failures: count(&shared.clears.failures),
        }
    }
}
