//! What the log, its readers and its background thread have in common.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::error::Context;
use crate::health::Health;
use crate::metrics::Counters;
use crate::position::Board;
use crate::segment::SegmentList;
use crate::spares::{self, Spares};
use crate::sync_gate::{SyncFailed, SyncGate, Waiter};
use crate::tail::Tail;
use crate::watch::Watch;
use crate::{Appended, Batch, Options, Result, Storage};

/// Locks are taken in the order of the fields: tail, spares, segments.
pub(crate) struct Shared {
    pub storage: Arc<dyn Storage>,
    pub options: Options,
    pub tail: Mutex<Tail>,
    pub spares: Mutex<Spares>,
    pub segments: Mutex<SegmentList>,
    /// One trim at a time.
    pub trim: Mutex<()>,
    pub gate: SyncGate,
    pub board: Board,
    pub watch: Watch,
    pub counters: Counters,
    pub health: Health,
}

/// Locks; a thread that panicked while it held the lock has left nothing half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn append(&self, batch: &mut Batch) -> Result<Appended> {
        let appended = lock(&self.tail).append(self, batch)?;
        self.watch.notify();
        if self.board.written().saturating_sub(self.board.synced()) > self.options.unsynced_bytes_max {
            // The record is in the log whether this goes well or not; if not, the next call tells.
            let _ = self.sync(appended.end.0, Waiter::Background);
        }
        Ok(appended)
    }

    /// Returns when all before `target` is on the disk.
    pub(crate) fn sync(&self, target: u64, waiter: Waiter) -> Result<()> {
        if self.board.synced() >= target {
            return Ok(());
        }
        let synced = self.gate.wait(target, waiter, |n_waiters| self.lead_sync(n_waiters));
        // Without a cause the one who led has panicked; then others may lead no more either.
        synced.or_else(|SyncFailed| {
            self.health.check()?;
            Err(self.health.poison("sync", &lock(&self.tail).segment.name, std::io::ErrorKind::Other.into()))
        })
    }

    /// Syncs all that is written by now and returns up to where that is.
    fn lead_sync(&self, n_waiters: usize) -> std::result::Result<u64, SyncFailed> {
        if self.health.check().is_err() {
            return Err(SyncFailed);
        }
        let begin = Instant::now();
        let mut tail = lock(&self.tail);
        let (position, commit) = (tail.position(), tail.last_commit);
        let mut files = std::mem::take(&mut tail.unsynced);
        files.push((tail.segment.clone(), tail.file.clone()));
        let is_dir_dirty = std::mem::take(&mut tail.is_dir_dirty);
        drop(tail);
        for (segment, file) in files {
            file.sync_data().map_err(|cause| self.fail_sync(&segment.name, cause))?;
        }
        if is_dir_dirty {
            self.storage.sync_dir().map_err(|cause| self.fail_sync("the folder", cause))?;
        }
        self.counters.count_sync(n_waiters, begin.elapsed());
        self.board.post_synced(position, commit);
        self.watch.notify();
        Ok(position)
    }

    fn fail_sync(&self, file: &str, cause: std::io::Error) -> SyncFailed {
        self.health.poison("sync", file, cause);
        self.watch.notify();
        SyncFailed
    }

    /// What is to be done from time to time.
    pub(crate) fn maintain(&self) -> Result<()> {
        self.health.check()?;
        let records_end = lock(&self.tail).records_end;
        if self.board.synced() < records_end {
            self.sync(records_end, Waiter::Background)?;
        } else {
            lock(&self.tail).append_mark(self)?;
        }
        self.prepare_spare()
    }

    /// Begins a segment whose head states how far the log is synced, and brings it to the disk.
    ///
    /// Opening may have cut the only place that told damage, which was passed over, from a torn tail. The next opening
    /// would then take the damage for the end and give up the intact records behind it.
    pub(crate) fn tell_what_is_synced(&self) -> Result<()> {
        let mut tail = lock(&self.tail);
        if !tail.is_empty() {
            tail.begin_segment(self, 0)?;
        }
        drop(tail);
        self.sync(self.board.written(), Waiter::Background)
    }

    /// Has a file ready before the segment is full.
    fn prepare_spare(&self) -> Result<()> {
        let segment_bytes = self.options.segment_bytes;
        let is_half_full = lock(&self.tail).used > segment_bytes / 2;
        let number = {
            let mut spares = lock(&self.spares);
            if !is_half_full || spares.len() > 0 || self.options.spare_segments_max == 0 {
                return Ok(());
            }
            spares.new_number()
        };
        let spare = spares::make_written(&*self.storage, number, segment_bytes)?;
        lock(&self.spares).put(spare);
        Ok(())
    }

    /// Brings everything to the disk, says so in the log, and gives back reserved space.
    pub(crate) fn finish(&self) -> Result<()> {
        let end = lock(&self.tail).position();
        self.sync(end, Waiter::Background)?;
        let mut tail = lock(&self.tail);
        // The mark only helps to tell damage; a full disk must not make an orderly end fail.
        match tail.append_mark(self) {
            Err(error) if !error.is_temporary() => return Err(error),
            _ => {}
        }
        if tail.reserved > tail.used {
            tail.file.truncate(tail.used).context("cut", &tail.segment.name)?;
            tail.reserved = tail.used;
        }
        let synced = tail.file.sync_data();
        synced.map_err(|cause| self.health.poison("sync", &tail.segment.name, cause))
    }
}
