//! Options and metrics of a transaction manager.

use std::time::Duration;

/// How a [`TransactionManager`](crate::TransactionManager) works.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Buffered commits are synced in the background at least this often; `None` leaves it to explicit syncs.
    pub sync_interval: Option<Duration>,
    /// Most bytes of keys and values that one transaction may write.
    pub transaction_bytes_max: u64,
    /// Entries that the background deletes at once when it clears a keyspace.
    pub clear_slice_entries: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sync_interval: Some(Duration::from_millis(100)),
            transaction_bytes_max: u64::MAX,
            clear_slice_entries: 1024,
        }
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

/// Position of a commit in the one order of all commits. Commits that were written as one group share it.
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
    /// Engine batches written for commits.
    pub commit_groups: u64,
    /// Commits written by these batches; divided by their number it is the mean group size.
    pub grouped_commits: u64,
    /// Size of the largest group.
    pub group_commits_max: u64,
    /// Syncs of the storage.
    pub syncs: u64,
    /// Syncs that failed; after one, synced commits fail until the database is opened again.
    pub sync_failures: u64,
    /// Transactions running now.
    pub active_transactions: usize,
    /// Engine snapshots alive now.
    pub live_snapshots: usize,
    /// Age of the oldest of them.
    pub oldest_snapshot_age: Duration,
    /// Keys held or remembered for conflict detection.
    pub tracked_keys: usize,
    /// Keyspaces that are still to be cleared in the background.
    pub pending_clears: usize,
    /// Attempts to clear a slice that failed; they are repeated.
    pub clear_failures: u64,
}
