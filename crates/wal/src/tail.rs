//! The end of the log, where records are added and segments begun; one thread at a time.

use std::io;
use std::sync::Arc;

use crate::error::{Context, is_no_space};
use crate::format::{SEGMENT_HEADER_BYTES, SegmentHeader};
use crate::segment::{Segment, spare_name};
use crate::shared::{Shared, lock};
use crate::spares::{self, Spare};
use crate::storage::StorageFile;
use crate::{Appended, Batch, Error, Position, Result};

pub(crate) struct Tail {
    pub segment: Arc<Segment>,
    pub file: Arc<dyn StorageFile>,
    /// Where in the file the next record goes.
    pub used: u64,
    /// Up to where in the file space is reserved.
    pub reserved: u64,
    pub last_commit: u64,
    /// End of the last record that is not a mark, or of the last segment header.
    pub records_end: u64,
    /// The synced position that the last record has stated.
    pub claimed: u64,
    /// Segments that have ended and are not synced.
    pub unsynced: Vec<(Arc<Segment>, Arc<dyn StorageFile>)>,
    /// Whether names have changed since the folder was synced.
    pub is_dir_dirty: bool,
}

impl Tail {
    /// Position of the next record.
    pub(crate) fn position(&self) -> u64 {
        self.segment.header.start + self.used
    }

    /// Whether the segment has no records.
    pub(crate) fn is_empty(&self) -> bool {
        self.used == SEGMENT_HEADER_BYTES
    }

    /// Whether the segment has room for so many bytes.
    pub(crate) fn has_room(&self, byte_size: u64, segment_bytes: u64) -> bool {
        self.used + byte_size <= segment_bytes
    }

    /// Adds the records and posts how far the log has come.
    ///
    /// # Errors
    /// After any error none of the records is in the log, and none will come to light again.
    pub(crate) fn append(&mut self, shared: &Shared, batch: &mut Batch) -> Result<Appended> {
        shared.health.check()?;
        let last_commit = batch.check(self.last_commit, shared.options.record_bytes_max)?;
        if batch.is_empty() {
            let position = Position(self.position());
            return Ok(Appended { position, end: position });
        }
        let n_bytes = batch.byte_size();
        if !self.has_room(n_bytes, shared.options.segment_bytes) && !self.is_empty() {
            self.begin_segment(shared, n_bytes)?;
        }
        let appended = self.write(shared, batch)?;
        self.last_commit = last_commit;
        self.records_end = appended.end.0;
        shared.counters.count_write(batch.len(), n_bytes);
        shared.board.post_written(appended.end.0, last_commit);
        Ok(appended)
    }

    /// Adds a record that states how far the log is synced, if no record does and there is room.
    pub(crate) fn append_mark(&mut self, shared: &Shared) -> Result<()> {
        let mut mark = Batch::mark(self.last_commit);
        let synced = shared.board.synced();
        let is_told = self.claimed >= self.records_end || synced < self.records_end;
        if is_told || !self.has_room(mark.byte_size(), shared.options.segment_bytes) {
            return Ok(());
        }
        shared.health.check()?;
        let appended = self.write(shared, &mut mark)?;
        shared.board.post_written(appended.end.0, self.last_commit);
        Ok(())
    }

    fn write(&mut self, shared: &Shared, batch: &mut Batch) -> Result<Appended> {
        let n_bytes = batch.byte_size();
        self.reserve(shared, n_bytes)?;
        let position = self.position();
        let synced = shared.board.synced();
        batch.seal(position, synced, self.segment.header.salt);
        if let Err(source) = self.file.write_at(self.used, batch.bytes()) {
            return Err(self.undo_write(shared, n_bytes, source));
        }
        self.used += n_bytes;
        self.claimed = self.claimed.max(synced);
        Ok(Appended { position: Position(position), end: Position(position + n_bytes) })
    }

    /// Reserves space where the segment has none left, so that a full disk is noticed before anything is written.
    fn reserve(&mut self, shared: &Shared, n_bytes: u64) -> Result<()> {
        let end = self.used + n_bytes;
        if end <= self.reserved {
            return Ok(());
        }
        let wanted = end.max(shared.options.segment_bytes);
        match self.file.preallocate(wanted) {
            Ok(()) => self.reserved = wanted,
            Err(source) if is_no_space(&source) => {
                shared.counters.count_failed_write();
                return Err(Error::from_io("reserve space for", &self.segment.name, wanted, source));
            }
            // It is a help, not a need; what is really wrong shows when writing.
            Err(_) => self.reserved = u64::MAX,
        }
        Ok(())
    }

    /// Takes back what a failed write may have left, durably: it must not turn up after a crash.
    fn undo_write(&mut self, shared: &Shared, n_bytes: u64, source: io::Error) -> Error {
        shared.counters.count_failed_write();
        let name = &self.segment.name;
        self.reserved = self.used;
        if self.file.truncate(self.used).and_then(|()| self.file.sync_data()).is_err() {
            return shared.health.poison("write", name, source);
        }
        Error::from_io("write", name, n_bytes, source)
    }

    /// Ends the segment and begins another with room for so many bytes.
    pub(crate) fn begin_segment(&mut self, shared: &Shared, n_bytes: u64) -> Result<()> {
        let byte_size = (SEGMENT_HEADER_BYTES + n_bytes).max(shared.options.segment_bytes);
        let spare = match self.take_spare(shared, byte_size) {
            Some(spare) => spare,
            None => {
                let number = lock(&shared.spares).new_number();
                spares::make(&*shared.storage, number, byte_size).inspect_err(|_| {
                    shared.counters.count_failed_write();
                })?
            }
        };
        let header = SegmentHeader {
            number: self.segment.header.number + 1,
            start: self.position(),
            commit_before: self.last_commit,
            salt: shared.storage.entropy(),
            synced: shared.board.synced(),
        };
        let segment = Arc::new(Segment::new(header, None));
        if let Err(error) = name_segment(shared, &spare, &segment) {
            shared.counters.count_failed_write();
            // It is of no use any more, and no harm: opening the log clears it away.
            let _ = shared.storage.remove(&spare_name(spare.number));
            return Err(error);
        }
        shared.counters.count_segment_begun(spare.is_recycled);
        self.segment.close(header.start);
        let ended = std::mem::replace(&mut self.segment, segment.clone());
        let ended_file = std::mem::replace(&mut self.file, spare.file);
        self.unsynced.push((ended, ended_file));
        self.is_dir_dirty = true;
        self.used = SEGMENT_HEADER_BYTES;
        self.reserved = byte_size;
        self.records_end = self.position();
        lock(&shared.segments).push(segment);
        shared.board.post_written(self.position(), self.last_commit);
        Ok(())
    }

    fn take_spare(&self, shared: &Shared, byte_size: u64) -> Option<Spare> {
        let is_usual = byte_size == shared.options.segment_bytes;
        if is_usual { lock(&shared.spares).take() } else { None }
    }
}

/// Turns a spare file into a segment without records.
fn name_segment(shared: &Shared, spare: &Spare, segment: &Segment) -> Result<()> {
    let name = spare_name(spare.number);
    spare.file.write_at(0, &segment.header.encode()).context("write", &name)?;
    shared.storage.rename(&name, &segment.name).context("rename", &name)
}

/// Begins a log that has no segments; its first is durable before it has its name.
pub(crate) fn begin_log(
    storage: &dyn crate::Storage,
    spare_number: u64,
    commit_before: u64,
    segment_bytes: u64,
) -> Result<(Segment, Arc<dyn StorageFile>)> {
    let spare = spares::make(storage, spare_number, segment_bytes)?;
    let name = spare_name(spare.number);
    let header = SegmentHeader {
        number: 1,
        start: 0,
        commit_before,
        salt: storage.entropy(),
        synced: SEGMENT_HEADER_BYTES,
    };
    spare.file.write_at(0, &header.encode()).context("write", &name)?;
    spare.file.sync_data().context("sync", &name)?;
    let segment = Segment::new(header, None);
    storage.rename(&name, &segment.name).context("rename", &name)?;
    storage.sync_dir().context("sync", "the folder")?;
    Ok((segment, spare.file))
}
