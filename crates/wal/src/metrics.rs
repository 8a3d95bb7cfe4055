//! What the log counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How many classes of batch sizes are told apart: 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64 and more.
pub const N_BATCH_CLASSES: usize = 8;

/// What the log has done since it was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Records appended.
    pub n_records: u64,
    /// Writes that carried them.
    pub n_writes: u64,
    /// Bytes of the records with their headers.
    pub written_bytes: u64,
    /// Appends refused by the operating system.
    pub n_failed_writes: u64,
    /// Syncs that were done for waiting commits or in the background.
    pub n_syncs: u64,
    /// Time that the syncs took altogether.
    pub sync_duration: Duration,
    /// Waiting commits that the syncs served, so `n_sync_waiters / n_syncs` is the mean batch.
    pub n_sync_waiters: u64,
    /// Most waiting commits that one sync served.
    pub n_sync_waiters_max: u64,
    /// Syncs by how many waiting commits they served: 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64 and more.
    /// Those that served nobody are not counted here.
    pub sync_batches: [u64; N_BATCH_CLASSES],
    /// Segments begun.
    pub n_segments_begun: u64,
    /// Those of them that took over the file of a trimmed one.
    pub n_segments_recycled: u64,
    /// Segments trimmed.
    pub n_segments_trimmed: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    n_records: AtomicU64,
    n_writes: AtomicU64,
    written_bytes: AtomicU64,
    n_failed_writes: AtomicU64,
    n_syncs: AtomicU64,
    sync_nanos: AtomicU64,
    n_sync_waiters: AtomicU64,
    n_sync_waiters_max: AtomicU64,
    sync_batches: [AtomicU64; N_BATCH_CLASSES],
    n_segments_begun: AtomicU64,
    n_segments_recycled: AtomicU64,
    n_segments_trimmed: AtomicU64,
}

impl Counters {
    pub(crate) fn count_write(&self, n_records: usize, byte_size: u64) {
        self.n_records.fetch_add(n_records as u64, Relaxed);
        self.n_writes.fetch_add(1, Relaxed);
        self.written_bytes.fetch_add(byte_size, Relaxed);
    }

    pub(crate) fn count_failed_write(&self) {
        self.n_failed_writes.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_sync(&self, n_waiters: usize, duration: Duration) {
        self.n_syncs.fetch_add(1, Relaxed);
        self.sync_nanos.fetch_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        if n_waiters == 0 {
            return;
        }
        self.n_sync_waiters.fetch_add(n_waiters as u64, Relaxed);
        self.n_sync_waiters_max.fetch_max(n_waiters as u64, Relaxed);
        if let Some(class) = self.sync_batches.get(batch_class(n_waiters)) {
            class.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn count_segment_begun(&self, is_recycled: bool) {
        self.n_segments_begun.fetch_add(1, Relaxed);
        self.n_segments_recycled.fetch_add(is_recycled.into(), Relaxed);
    }

    pub(crate) fn count_segment_trimmed(&self) {
        self.n_segments_trimmed.fetch_add(1, Relaxed);
    }

    pub(crate) fn snapshot(&self) -> Metrics {
        Metrics {
            n_records: self.n_records.load(Relaxed),
            n_writes: self.n_writes.load(Relaxed),
            written_bytes: self.written_bytes.load(Relaxed),
            n_failed_writes: self.n_failed_writes.load(Relaxed),
            n_syncs: self.n_syncs.load(Relaxed),
            sync_duration: Duration::from_nanos(self.sync_nanos.load(Relaxed)),
            n_sync_waiters: self.n_sync_waiters.load(Relaxed),
            n_sync_waiters_max: self.n_sync_waiters_max.load(Relaxed),
            sync_batches: self.sync_batches.each_ref().map(|class| class.load(Relaxed)),
            n_segments_begun: self.n_segments_begun.load(Relaxed),
            n_segments_recycled: self.n_segments_recycled.load(Relaxed),
            n_segments_trimmed: self.n_segments_trimmed.load(Relaxed),
        }
    }
}

/// Powers of two, rounded up.
fn batch_class(n_waiters: usize) -> usize {
    (n_waiters.next_power_of_two().trailing_zeros() as usize).min(N_BATCH_CLASSES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_fall_into_their_classes() {
        let classes = [1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 1000].map(batch_class);
        assert_eq!(classes, [0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]);
    }
}
