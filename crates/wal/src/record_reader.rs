//! Reads the records of one segment file, in order or by looking for them.

use std::io;
use std::sync::Arc;

use crate::format::{RECORD_ALIGNMENT, RECORD_HEADER_BYTES, RecordHeader, SegmentHeader};
use crate::storage::StorageFile;
use crate::{Position, Record};

/// How much is usually read at once.
const READ_BYTES: usize = 512 << 10;

pub(crate) struct RecordReader {
    file: Arc<dyn StorageFile>,
    salt: u64,
    /// Position of the file's first byte.
    start: u64,
    /// A window of the file; longer than usual only while a longer record needs it.
    buffer: Vec<u8>,
    buffer_offset: u64,
    n_filled: usize,
    /// How much is read at once.
    read_bytes: usize,
    /// Where in the file the next record is expected.
    offset: u64,
    /// The record that was read last.
    current: Option<(u64, RecordHeader)>,
}

/// What stands where a record was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A record, see [`RecordReader::record`].
    Record,
    /// Nothing: the limit, or the zeros of reserved space.
    End,
    /// Bytes that are no header of a record of this place.
    BadHeader,
    /// An intact header whose payload is not.
    BadPayload { commit: u64 },
}

impl RecordReader {
    pub(crate) fn new(file: Arc<dyn StorageFile>, header: &SegmentHeader, offset: u64) -> Self {
        Self {
            file,
            salt: header.salt,
            start: header.start,
            buffer: Vec::new(),
            buffer_offset: offset,
            n_filled: 0,
            read_bytes: READ_BYTES,
            offset,
            current: None,
        }
    }

    /// Reads so much at once instead of the usual: for who expects a few records only.
    pub(crate) fn with_read_bytes(self, read_bytes: usize) -> Self {
        Self { read_bytes, ..self }
    }

    /// Where in the file the next record is expected.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next record, of which no byte lies at or behind `limit`.
    pub(crate) fn step(&mut self, limit: u64) -> io::Result<Step> {
        let step = self.look(self.offset, limit)?;
        if let (Step::Record, Some((offset, header))) = (step, &self.current) {
            self.offset = offset + header.record_bytes();
        }
        Ok(step)
    }

    /// Looks for the next intact record at any place from here on; returns whether there is one.
    pub(crate) fn find(&mut self, limit: u64) -> io::Result<bool> {
        let mut offset = self.offset.next_multiple_of(RECORD_ALIGNMENT as u64);
        while offset + RECORD_HEADER_BYTES as u64 <= limit {
            if self.look(offset, limit)? == Step::Record {
                self.offset = offset;
                return self.step(limit).map(|step| step == Step::Record);
            }
            offset += RECORD_ALIGNMENT as u64;
        }
        self.offset = offset;
        Ok(false)
    }

    fn look(&mut self, offset: u64, limit: u64) -> io::Result<Step> {
        let position = self.start + offset;
        let salt = self.salt;
        let Some(head) = self.window(offset, RECORD_HEADER_BYTES, limit)?.and_then(<[u8]>::first_chunk)
        else {
            return Ok(if offset == limit { Step::End } else { Step::BadHeader });
        };
        if *head == [0; RECORD_HEADER_BYTES] {
            return Ok(Step::End);
        }
        let Some(header) = RecordHeader::decode(head, salt, position) else { return Ok(Step::BadHeader) };
        let bad_payload = Step::BadPayload { commit: header.commit };
        // The window is no longer than the file, whatever the header says.
        let Ok(record_bytes) = usize::try_from(header.record_bytes()) else { return Ok(bad_payload) };
        let Some(record) = self.window(offset, record_bytes, limit)? else { return Ok(bad_payload) };
        if !record.get(RECORD_HEADER_BYTES..).is_some_and(|padded| header.matches(padded)) {
            return Ok(bad_payload);
        }
        self.current = Some((offset, header));
        Ok(Step::Record)
    }

    /// The record that was read last, and its header.
    pub(crate) fn record(&self) -> Option<(Record<'_>, &RecordHeader)> {
        let (offset, header) = self.current.as_ref()?;
        let from = usize::try_from(offset.checked_sub(self.buffer_offset)?).ok()? + RECORD_HEADER_BYTES;
        let payload = self.buffer.get(from..from + header.payload_bytes as usize)?;
        let position = self.start + offset;
        let end = Position(position + header.record_bytes());
        let record =
            Record { commit: header.commit, kind: header.kind, payload, position: Position(position), end };
        Some((record, header))
    }

    /// Bytes of the file; `None` if they reach over `limit` or the file's end.
    #[inline]
    fn window(&mut self, offset: u64, n_bytes: usize, limit: u64) -> io::Result<Option<&[u8]>> {
        if offset.saturating_add(n_bytes as u64) > limit {
            return Ok(None);
        }
        let is_inside = offset >= self.buffer_offset
            && offset + n_bytes as u64 <= self.buffer_offset + self.n_filled as u64;
        if !is_inside {
            self.fill(offset, n_bytes, limit)?;
        }
        let from = (offset - self.buffer_offset) as usize;
        Ok(self.buffer.get(..self.n_filled).and_then(|filled| filled.get(from..from + n_bytes)))
    }

    /// Moves the window so that it begins at `offset`, and fills it as far as the limit allows.
    fn fill(&mut self, offset: u64, n_bytes: usize, limit: u64) -> io::Result<()> {
        let kept = match offset.checked_sub(self.buffer_offset) {
            Some(skipped) if skipped <= self.n_filled as u64 => skipped as usize..self.n_filled,
            _ => 0..0,
        };
        let n_kept = kept.len();
        self.buffer.copy_within(kept, 0);
        (self.buffer_offset, self.n_filled) = (offset, n_kept);
        let available = usize::try_from(limit - offset).unwrap_or(usize::MAX);
        let wanted = n_bytes.max(self.read_bytes).min(available);
        if self.buffer.len() < wanted || (self.buffer.len() > self.read_bytes && wanted <= self.read_bytes) {
            self.buffer.resize(wanted.max(n_kept), 0);
            self.buffer.shrink_to(self.read_bytes);
        }
        if let Some(rest) = self.buffer.get_mut(n_kept..wanted.max(n_kept)) {
            self.n_filled += self.file.read_at(offset + n_kept as u64, rest)?;
        }
        Ok(())
    }
}
