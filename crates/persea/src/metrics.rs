//! Figures of the storage.

use std::time::Duration;

use persea_collections::TransactionManager;

/// What the storage has done since it was opened, and what it holds now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageMetrics {
    /// Transactions committed, those too that only read.
    pub commits: u64,
    /// Transactions aborted.
    pub aborts: u64,
    /// The newest commit.
    pub last_commit: u64,
    /// Writes of a document or unique value that met another transaction's.
    pub conflicts: u64,
    /// Groups of commits that were written to the log together.
    pub commit_groups: u64,
    /// Commits in these groups; divided by their number it is the mean size of a group.
    pub grouped_commits: u64,
    /// Commits in the largest group.
    pub group_commits_max: u64,
    /// Commits that went to LMDB directly for their size.
    pub bulk_commits: u64,
    /// Bytes of log that a restart would read.
    pub log_bytes: u64,
    /// Bytes appended to the log.
    pub log_written_bytes: u64,
    /// Syncs of the log.
    pub log_syncs: u64,
    /// Commits that waited for these syncs; divided by their number it is how many share one.
    pub synced_commits: u64,
    /// Memory in bytes taken by commits that LMDB does not have yet.
    pub delta_bytes: u64,
    /// Checkpoints done.
    pub checkpoints: u64,
    /// Checkpoints that failed; they are tried again.
    pub checkpoint_failures: u64,
    /// How long the last checkpoint took.
    pub last_checkpoint_duration: Duration,
    /// Whether writes are refused at present.
    pub is_read_only: bool,
    /// Transactions running now.
    pub active_transactions: u64,
    /// Transactions that wait for a lock now.
    pub waiting_transactions: u64,
    /// Collections locked now, shared or exclusively.
    pub locked_collections: u64,
    /// Waits for locks of collections, documents and unique values.
    pub lock_waits: u64,
    /// Those of them that took too long.
    pub lock_timeouts: u64,
    /// Deadlocks, each ended by rolling one transaction back.
    pub deadlocks: u64,
    /// States of the database that somebody reads now.
    pub live_snapshots: u64,
    /// Age of the oldest of them.
    pub oldest_snapshot_age: Duration,
    /// Snapshots that were given up for their age.
    pub expired_snapshots: u64,
    /// Ranges of dropped collections and indexes that are still to be cleared.
    pub pending_clears: u64,
    /// Attempts to clear a part of them that failed; they are tried again.
    pub clear_failures: u64,
}

impl StorageMetrics {
    pub(crate) fn of(transactions: &TransactionManager) -> StorageMetrics {
        let metrics = transactions.metrics();
        StorageMetrics {
            commits: metrics.commits,
            aborts: metrics.aborts,
            last_commit: transactions.latest_commit().0,
            conflicts: metrics.conflicts,
            commit_groups: metrics.commit_groups,
            grouped_commits: metrics.grouped_commits,
            group_commits_max: metrics.group_commits_max,
            bulk_commits: metrics.bulk_commits,
            log_bytes: metrics.log_bytes,
            log_written_bytes: metrics.log_written_bytes,
            log_syncs: metrics.syncs,
            synced_commits: metrics.synced_commits,
            delta_bytes: metrics.delta_bytes as u64,
            checkpoints: metrics.checkpoints,
            checkpoint_failures: metrics.checkpoint_failures,
            last_checkpoint_duration: metrics.last_checkpoint_duration,
            is_read_only: metrics.is_read_only,
            active_transactions: metrics.active_transactions as u64,
            waiting_transactions: metrics.waiting_transactions as u64,
            locked_collections: metrics.locked_collections as u64,
            lock_waits: metrics.lock_waits,
            lock_timeouts: metrics.lock_timeouts,
            deadlocks: metrics.deadlocks,
            live_snapshots: metrics.live_snapshots as u64,
            oldest_snapshot_age: metrics.oldest_snapshot_age,
            expired_snapshots: metrics.expired_snapshots,
            pending_clears: metrics.pending_clears as u64,
            clear_failures: metrics.clear_failures,
        }
    }
}
