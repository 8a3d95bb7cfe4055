//! The manager: opens an engine for transactions and hands out snapshots.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use persea_kv::{Engine, Store, Tree};

use crate::background::{Background, Bell};
use crate::clearing::{self, ClearQueue};
use crate::commit_pipeline::CommitPipeline;
use crate::locks::{LockManager, TransactionId};
use crate::snapshots::SnapshotRegistry;
use crate::{CommitSeq, Durability, Metrics, Options, ReadView, Result, Transaction, TransactionOptions};

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
}

/// Transactions over one engine. Handles are cheap clones that share everything.
///
/// The last handle that is dropped stops the background thread after a final sync; transactions that are still open
/// then can be finished nevertheless.
#[derive(Clone, Debug)]
pub struct TransactionManager {
    shared: Arc<Shared>,
    _background: Arc<Background>,
}

impl TransactionManager {
    /// Opens an engine with default options.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage).
    pub fn open(engine: Engine) -> Result<TransactionManager> {
        TransactionManager::open_with(engine, Options::default())
    }

    /// Opens an engine, and goes on clearing the keyspaces that an earlier run has left half cleared.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage).
    pub fn open_with(engine: Engine, options: Options) -> Result<TransactionManager> {
        let unfinished = clearing::unfinished(&engine)?;
        let shared = Arc::new(Shared {
            options,
            registry: SnapshotRegistry::new(engine.version()),
            pipeline: CommitPipeline::new(engine),
            locks: LockManager::new(),
            clears: ClearQueue::default(),
            bell: Bell::default(),
            counters: Counters::default(),
            next_transaction: AtomicU64::new(0),
        });
        shared.clears.push(unfinished);
        let background = Background::start(shared.clone()).map_err(persea_kv::Error::from)?;
        Ok(TransactionManager { shared, _background: Arc::new(background) })
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
    /// [`Error::LockTimeout`](crate::Error::LockTimeout), [`Error::Deadlock`](crate::Error::Deadlock), and those of
    /// [`TransactionManager::begin`].
    pub fn begin_with(&self, options: &TransactionOptions) -> Result<Transaction> {
        Transaction::begin(self.shared.clone(), options)
    }

    /// A view of every commit acknowledged so far, for readers that write nothing.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage), for one when too many snapshots are open.
    pub fn snapshot(&self) -> Result<ReadView> {
        let snapshot = self.shared.registry.snapshot(self.shared.pipeline.engine())?;
        Ok(ReadView::new(snapshot, Arc::default()))
    }

    /// Returns when every commit acknowledged so far survives a power failure.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage).
    pub fn sync(&self) -> Result<()> {
        self.shared.pipeline.sync_up_to(&self.shared.registry, self.shared.registry.latest())
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

    /// The engine below, for statistics and copies; writes past the manager escape conflict detection.
    pub fn engine(&self) -> &Engine {
        self.shared.pipeline.engine()
    }

    /// Counters and gauges.
    pub fn metrics(&self) -> Metrics {
        let shared = &*self.shared;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let pipeline = &shared.pipeline.counters;
        let (live_snapshots, oldest_snapshot_age) = shared.registry.live();
        let (lock_waits, lock_timeouts, deadlocks) = shared.locks.counts();
        Metrics {
            commits: count(&shared.counters.commits),
            aborts: count(&shared.counters.aborts),
            conflicts: count(&shared.counters.conflicts),
            commit_groups: count(&pipeline.groups),
            grouped_commits: count(&pipeline.grouped_commits),
            group_commits_max: count(&pipeline.group_commits_max),
            syncs: count(&pipeline.syncs),
            sync_failures: count(&pipeline.sync_failures),
            active_transactions: shared.registry.n_active(),
            live_snapshots,
            oldest_snapshot_age,
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
