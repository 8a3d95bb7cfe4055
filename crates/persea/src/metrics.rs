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
    /// Bytes of log that a restart would read.
    pub log_bytes: u64,
    /// Bytes appended to the log.
    pub log_written_bytes: u64,
    /// Syncs of the log.
    pub log_syncs: u64,
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
            log_bytes: metrics.log_bytes,
            log_written_bytes: metrics.log_written_bytes,
            log_syncs: metrics.syncs,
            delta_bytes: metrics.delta_bytes as u64,
            checkpoints: metrics.checkpoints,
            checkpoint_failures: metrics.checkpoint_failures,
            last_checkpoint_duration: metrics.last_checkpoint_duration,
            is_read_only: metrics.is_read_only,
            active_transactions: metrics.active_transactions as u64,
            live_snapshots: metrics.live_snapshots as u64,
            oldest_snapshot_age: metrics.oldest_snapshot_age,
            expired_snapshots: metrics.expired_snapshots,
            pending_clears: metrics.pending_clears as u64,
            clear_failures: metrics.clear_failures,
        }
    }
}
