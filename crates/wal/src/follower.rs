//! Reads a log that another process may be writing, and goes on where it stopped.
//!
//! Nothing of the writer's is touched: records are found valid by their checksums alone, which say too whether a record
//! belongs in the place where it is. What is not valid yet is the end for now.

use std::io;
use std::sync::Arc;

use crate::error::Context;
use crate::format::{SEGMENT_HEADER_BYTES, SegmentHeader};
use crate::log::Received;
use crate::record_reader::{RecordReader, Step};
use crate::recovery::{self, Expected};
use crate::segment::{Head, read_head, segment_name};
use crate::storage::{Storage, StorageFile};
use crate::{Error, Record, Result};

/// How much is read at once of what has come since the last time: seldom much.
const READ_BYTES: usize = 32 << 10;

/// A place in a log of which another process may be the writer.
///
/// It sees every record that was appended before the call, in order and each once. The writer may trim the log meanwhile,
/// which leaves the follower behind: whoever trims has to have another place for what the records said, and whoever follows
/// has to look there, and begin anew.
pub struct Follower {
    storage: Arc<dyn Storage>,
    header: SegmentHeader,
    file: Arc<dyn StorageFile>,
    /// Where in the file the next record is expected.
    offset: u64,
    /// Records up to this commit are skipped.
    after: u64,
}

impl Follower {
    /// Reads all records of commits after `after` and stays at the end; `None` if there is no log.
    ///
    /// While the log is being written, a failure may be one of the moment: what was to be read has just been trimmed, or an
    /// append went on behind a place that was looked at before. Such a call can be repeated, and damage that is real is
    /// found at the same position again.
    ///
    /// # Errors
    /// [`Error::Trimmed`] when such records are gone, [`Error::Damaged`] unless `ignore_damage`, [`Error::Replay`] with
    /// what `receive` has returned, [`Error::Io`].
    pub fn open(
        storage: Arc<dyn Storage>,
        after: u64,
        ignore_damage: bool,
        mut receive: impl FnMut(Record<'_>) -> Received,
    ) -> Result<Option<Follower>> {
        let mut receive = |record: Record<'_>| if record.commit > after { receive(record) } else { Ok(()) };
        let found = match recovery::scan(&*storage, ignore_damage, Expected::default(), &mut receive) {
            Err(Error::Io { operation: "list", source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            outcome => outcome?,
        };
        let trimmed_to = found.recovery.trimmed_to;
        if trimmed_to > after {
            return Err(Error::Trimmed { requested: after + 1, trimmed_to });
        }
        let last = found.segments.into_iter().next_back();
        Ok(last.map(|last| Follower {
            storage,
            header: last.header,
            file: last.file,
            offset: last.used,
            after: after.max(found.recovery.last_commit),
        }))
    }

    /// Reads the records that have come since.
    ///
    /// # Errors
    /// [`Error::Replay`], [`Error::Io`].
    pub fn read(&mut self, mut receive: impl FnMut(Record<'_>) -> Received) -> Result<()> {
        loop {
            let name = segment_name(self.header.number);
            // What was read ahead the last time may have been written to since, so each time begins with an empty window.
            let mut reader =
                RecordReader::new(self.file.clone(), &self.header, self.offset).with_read_bytes(READ_BYTES);
            let file_bytes = self.file.byte_size().context("read", &name)?;
            while reader.step(file_bytes).context("read", &name)? == Step::Record {
                self.offset = reader.offset();
                let Some((record, header)) = reader.record() else { break };
                if header.is_mark || record.commit <= self.after {
                    continue;
                }
                let commit = record.commit;
                receive(record).map_err(|source| Error::Replay { commit, source })?;
                self.after = commit;
            }
            if !self.enter_next()? {
                return Ok(());
            }
        }
    }

    /// Goes on to the segment that begins where this one ends, if there is one.
    fn enter_next(&mut self) -> Result<bool> {
        let number = self.header.number + 1;
        let name = segment_name(number);
        let file = match self.storage.open(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            outcome => outcome.context("open", &name)?,
        };
        let Head::Whole(header) = read_head(&*file, number)? else { return Ok(false) };
        if header.start != self.header.start + self.offset {
            return Ok(false);
        }
        (self.header, self.file, self.offset) = (header, file, SEGMENT_HEADER_BYTES);
        Ok(true)
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Follower")
            .field("segment", &self.header.number)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}
