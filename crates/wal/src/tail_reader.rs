//! Reads records from anywhere in the log, also while it grows.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::Context;
use crate::format::SEGMENT_HEADER_BYTES;
use crate::record_reader::{RecordReader, Step};
use crate::segment::{Segment, SegmentList};
use crate::shared::{Shared, lock};
use crate::{Damage, DamageKind, Error, Position, Record, Result};

/// Where a reader begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// With the oldest record that is still there.
    Oldest,
    /// With the first record whose commit number is at least this.
    Commit(u64),
    /// With what is appended from now on.
    Newest,
}

/// How far a reader goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// To the last record appended, which a power failure may take back.
    Written,
    /// To the last record that is known to be on the disk.
    Synced,
}

/// Reads the log in order, while it is being written.
///
/// It takes no lock that a writer holds for long, and a trim takes nothing from the segment it is in.
/// If a trim overtakes it, it says so by [`Error::Trimmed`].
///
/// As long as a reader lives, so does the log's hold on its folder.
pub struct TailReader {
    shared: Arc<Shared>,
    until: Until,
    segment: Arc<Segment>,
    records: RecordReader,
    /// Records of lower commits are skipped.
    from_commit: u64,
    last_commit: u64,
}

impl fmt::Debug for TailReader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TailReader").field("last_commit", &self.last_commit).finish_non_exhaustive()
    }
}

impl TailReader {
    pub(crate) fn new(shared: Arc<Shared>, start: Start, until: Until) -> Result<Self> {
        let (segment, offset, from_commit) = {
            let segments = lock(&shared.segments);
            match start {
                Start::Oldest => (segments.oldest().cloned(), SEGMENT_HEADER_BYTES, 0),
                Start::Commit(commit) => {
                    refuse_trimmed(&segments, commit)?;
                    (segments.of_commit(commit).cloned(), SEGMENT_HEADER_BYTES, commit)
                }
                Start::Newest => {
                    let segment = segments.newest().cloned();
                    // As long as the list is locked no other segment is begun.
                    let start = segment.as_ref().map_or(0, |segment| segment.header.start);
                    let offset = shared.board.written().saturating_sub(start).max(SEGMENT_HEADER_BYTES);
                    (segment, offset, 0)
                }
            }
        };
        let Some(segment) = segment else { return Err(missing("the folder", 0, Position(0), 0)) };
        let records = open(&shared, &segment, offset, from_commit)?;
        Ok(Self { shared, until, segment, records, from_commit, last_commit: from_commit })
    }

    /// The next record if there is one by now.
    ///
    /// # Errors
    /// [`Error::Trimmed`] when the record has been trimmed, [`Error::Damaged`] when it can't be read.
    #[allow(clippy::should_implement_trait, reason = "the record borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        let is_read = self.advance()?;
        Ok(self.records.record().map(|(record, _)| record).filter(|_| is_read))
    }

    /// The next record, for which it waits; `None` when the time is over or the log is closed.
    ///
    /// # Errors
    /// As of [`next`](TailReader::next); [`Error::Poisoned`] when the log has stopped growing for good.
    pub fn next_timeout(&mut self, timeout: Duration) -> Result<Option<Record<'_>>> {
        let deadline = Instant::now() + timeout;
        while !self.advance()? {
            let is_closed = self.shared.board.is_closed();
            if is_closed || Instant::now() >= deadline {
                return Ok(None);
            }
            self.shared.health.check()?;
            let position = self.position().0;
            let shared = &self.shared;
            shared.watch.wait(deadline, || {
                self.limit() > position || shared.board.is_closed() || shared.health.check().is_err()
            });
        }
        Ok(self.records.record().map(|(record, _)| record))
    }

    /// Where the next record will begin.
    #[must_use]
    pub fn position(&self) -> Position {
        Position(self.segment.header.start + self.records.offset())
    }

    fn limit(&self) -> u64 {
        match self.until {
            Until::Written => self.shared.board.written(),
            Until::Synced => self.shared.board.synced(),
        }
    }

    /// Reads the next record that is not skipped; returns whether there was one.
    fn advance(&mut self) -> Result<bool> {
        loop {
            // Before the segment's end: where that isn't set, the limit lies in the segment.
            let limit = self.limit();
            let position = self.position();
            let end = self.segment.end();
            if end.is_some_and(|end| position.0 >= end) {
                if position.0 >= limit {
                    return Ok(false);
                }
                self.enter_next()?;
                continue;
            }
            if position.0 >= limit {
                return Ok(false);
            }
            let limit = end.map_or(limit, |end| end.min(limit)) - self.segment.header.start;
            match self.records.step(limit).context("read", &self.segment.name)? {
                Step::Record => {}
                step => return Err(self.damaged(step, position)),
            }
            if let Some((record, header)) = self.records.record()
                && !header.is_mark
                && record.commit >= self.from_commit
            {
                self.last_commit = record.commit;
                return Ok(true);
            }
        }
    }

    fn enter_next(&mut self) -> Result<()> {
        let position = self.position();
        let next = {
            let segments = lock(&self.shared.segments);
            let next = segments.starting_at(position.0).cloned();
            if next.is_none() && segments.start() > position.0 {
                let trimmed_to = segments.oldest().map_or(0, |oldest| oldest.header.commit_before);
                return Err(Error::Trimmed { requested: self.last_commit, trimmed_to });
            }
            next
        };
        let Some(next) = next else {
            let offset = self.records.offset();
            return Err(missing(&self.segment.name, offset, position, self.last_commit));
        };
        self.records = open(&self.shared, &next, SEGMENT_HEADER_BYTES, self.last_commit)?;
        self.segment = next;
        Ok(())
    }

    fn damaged(&self, step: Step, position: Position) -> Error {
        let (kind, commit) = match step {
            Step::BadPayload { commit } => (DamageKind::Payload, Some(commit)),
            Step::BadHeader => (DamageKind::RecordHeader, None),
            Step::Record | Step::End => (DamageKind::Missing, None),
        };
        Error::Damaged(Box::new(Damage {
            file: self.segment.name.clone(),
            offset: self.records.offset(),
            position,
            kind,
            commit,
            commit_before: self.last_commit,
            next: None,
        }))
    }
}

fn open(shared: &Shared, segment: &Segment, offset: u64, commit: u64) -> Result<RecordReader> {
    let error = match shared.storage.open(&segment.name) {
        Ok(file) => return Ok(RecordReader::new(file, &segment.header, offset)),
        Err(error) => error,
    };
    if error.kind() != io::ErrorKind::NotFound {
        return Err(Error::from_io("open", &segment.name, 0, error));
    }
    let header = &segment.header;
    // A trim takes a segment off the list before it takes the file, and gives it back only when it has failed.
    if lock(&shared.segments).starting_at(header.start).is_none() {
        return Err(Error::Trimmed { requested: commit, trimmed_to: header.commit_before });
    }
    shared.health.check()?;
    Err(missing(&segment.name, 0, Position(header.start), header.commit_before))
}

fn refuse_trimmed(segments: &SegmentList, commit: u64) -> Result<()> {
    let trimmed_to = segments.oldest().map_or(0, |oldest| oldest.header.commit_before);
    if segments.start() > 0 && trimmed_to >= commit {
        return Err(Error::Trimmed { requested: commit, trimmed_to });
    }
    Ok(())
}

fn missing(file: &str, offset: u64, position: Position, commit_before: u64) -> Error {
    Error::Damaged(Box::new(Damage {
        file: file.to_owned(),
        offset,
        position,
        kind: DamageKind::Missing,
        commit: None,
        commit_before,
        next: None,
    }))
}
