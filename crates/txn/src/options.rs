//! Options and metrics of a transaction manager.

use std::time::Duration;

use smallvec::SmallVec;

use crate::{Interrupt, LockMode};

/// How a [`TransactionManager`](crate::TransactionManager) works.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Buffered commits are synced in the background at least this often: 100 ms by default. `None` leaves it to explicit
    /// syncs.
    pub sync_interval: Option<Duration>,
    /// Memory for commits that the engine does not have yet, in bytes: 64 MiB by default. A checkpoint begins when it is
    /// used up; commits slow down beyond it, and wait at twice as much.
    pub delta_bytes_max: usize,
    /// Transactions that write at least so many bytes go to the engine directly: 8 MiB by default.
    pub bulk_bytes_min: usize,
    /// A checkpoint begins at the latest so long after the first commit that the engine does not have: 10 s by default.
    pub checkpoint_interval: Duration,
    /// Size of the log's files in bytes: 16 MiB by default.
    pub log_segment_bytes: u64,
    /// Opens a damaged log all the same, without the records that can't be read: off by default.
    pub ignore_log_damage: bool,
    /// Most bytes of keys and values that one transaction may write: without limit by default.
    pub transaction_bytes_max: u64,
    /// Entries that the background deletes at once when it clears a keyspace: 16,384 by default.
    pub clear_slice_entries: usize,
    /// How transactions wait for locks unless they say otherwise.
    pub lock_timeouts: LockTimeouts,
    /// How long a snapshot may be read after there is a newer one, to within half a second; without limit by default. A
    /// read after that fails with [`Error::SnapshotTooOld`](crate::Error::SnapshotTooOld). The storage keeps every page
    /// that a snapshot can see, so one that is never let go of makes the file grow with each write.
    pub snapshot_age_max: Option<Duration>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sync_interval: Some(Duration::from_millis(100)),
            delta_bytes_max: 64 << 20,
            bulk_bytes_min: 8 << 20,
            checkpoint_interval: Duration::from_secs(10),
            log_segment_bytes: 16 << 20,
            ignore_log_damage: false,
            transaction_bytes_max: u64::MAX,
            clear_slice_entries: 16 << 10,
            lock_timeouts: LockTimeouts::default(),
            snapshot_age_max: None,
        }
    }
}

/// How long a transaction waits for what others hold. Deadlocks never wait for a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockTimeouts {
    /// For collections; [`Error::LockTimeout`](crate::Error::LockTimeout) after it. [`Duration::MAX`] is no limit.
    pub collection: Duration,
    /// For keys; [`Error::Conflict`](crate::Error::Conflict) after it, at once if it is zero.
    pub key: Duration,
}

impl Default for LockTimeouts {
    /// 900 s for collections, 1 s for keys.
    fn default() -> LockTimeouts {
        LockTimeouts { collection: Duration::from_secs(900), key: Duration::from_secs(1) }
    }
}

/// How one transaction begins; see [`TransactionManager::begin_with`](crate::TransactionManager::begin_with).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransactionOptions {
    /// Collections to lock before the snapshot is taken, in any order; of several modes for one the strongest counts.
    pub collections: SmallVec<[(u64, LockMode); 2]>,
    /// Instead of [`Options::lock_timeouts`].
    pub lock_timeouts: Option<LockTimeouts>,
    /// Instead of [`Options::transaction_bytes_max`].
    pub bytes_max: Option<u64>,
    /// Ends the waits of the transaction, the one for `collections` included.
    pub interrupt: Option<Interrupt>,
    /// Transactions that can't go on before this one has ended. Who waits for one of them waits for this one too, as
    /// long as it waits: a deadlock may lead through both.
    pub inside_of: SmallVec<[u64; 2]>,
    /// Whether it gives way in a deadlock before others that would end it too: it has nothing to lose.
    pub yields: bool,
}

impl TransactionOptions {
    /// Options of a transaction that locks these collections up front.
    pub fn locking(collections: impl IntoIterator<Item = (u64, LockMode)>) -> TransactionOptions {
        TransactionOptions { collections: collections.into_iter().collect(), ..TransactionOptions::default() }
    }

    /// The same with other timeouts.
    #[must_use]
    pub fn with_lock_timeouts(mut self, lock_timeouts: LockTimeouts) -> TransactionOptions {
        self.lock_timeouts = Some(lock_timeouts);
        self
    }

    /// The same with waits that end when `interrupt` is set.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> TransactionOptions {
        self.interrupt = Some(interrupt);
        self
    }
}

/// When a commit is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// Once the operating system has the data: survives the end of the process, not a power failure.
    #[default]
    Buffered,
    /// Once the disk has it; concurrent commits share one sync.
    Synced,
}

/// Position of a commit in the one order of all commits. Without a log, commits written as one group share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CommitSeq(pub u64);

/// What a [`TransactionManager`](crate::TransactionManager) has done since it was opened, and what it holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Transactions committed, read-only ones too.
    pub commits: u64,
    /// Transactions aborted or dropped.
    pub aborts: u64,
    /// Attempts to lock a key that were answered with a conflict.
    pub conflicts: u64,
    /// Groups of commits that were written together.
    pub commit_groups: u64,
    /// Commits in these groups; divided by their number it is the mean group size.
    pub grouped_commits: u64,
    /// Size of the largest group.
    pub group_commits_max: u64,
    /// Commits that went to the engine directly for their size.
    pub bulk_commits: u64,
    /// Syncs of the log.
    pub syncs: u64,
    /// Commits that waited for these syncs; divided by their number it is how many share one.
    pub synced_commits: u64,
    /// Bytes appended to the log.
    pub log_written_bytes: u64,
    /// Bytes of log that a restart would read.
    pub log_bytes: u64,
    /// Memory taken by commits that the engine does not have yet.
    pub delta_bytes: usize,
    /// Keys in them.
    pub delta_keys: usize,
    /// Checkpoints done.
    pub checkpoints: u64,
    /// Checkpoints that failed; they are tried again.
    pub checkpoint_failures: u64,
    /// How long the last checkpoint took.
    pub last_checkpoint_duration: Duration,
    /// Commits read from the log at the start.
    pub replayed_commits: u64,
    /// Whether commits are refused at present.
    pub is_read_only: bool,
    /// Transactions running now.
    pub active_transactions: usize,
    /// Engine snapshots alive now.
    pub live_snapshots: usize,
    /// Age of the oldest of them.
    pub oldest_snapshot_age: Duration,
    /// Snapshots that were given up for their age.
    pub expired_snapshots: u64,
    /// Keys held or remembered for conflict detection.
    pub tracked_keys: usize,
    /// Collections locked now.
    pub locked_collections: usize,
    /// Transactions that wait for a lock now.
    pub waiting_transactions: usize,
    /// Waits for locks.
    pub lock_waits: u64,
    /// Waits for locks that took too long.
    pub lock_timeouts: u64,
    /// Deadlocks that were ended by rolling one transaction back.
    pub deadlocks: u64,
    /// Keyspaces that are still to be cleared in the background.
    pub pending_clears: usize,
    /// Attempts to clear a slice that failed; they are repeated.
    pub clear_failures: u64,
}
