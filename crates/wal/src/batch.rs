//! Records that go into the log by one write.

use crate::format::{RECORD_ALIGNMENT, RECORD_HEADER_BYTES, RecordHeader};
use crate::{Error, Result};

/// Records to be appended together: one write, in this order, next to each other.
///
/// A crash may leave the first few of them, but each of these whole.
/// Keep a batch and [`clear`](Batch::clear) it to use its memory again.
/// ```
/// let mut batch = persea_wal::Batch::new();
/// batch.push(7, 1, b"whole");
/// batch.push_with(8, 1, |payload| {
///     payload.extend(b"in ");
///     payload.extend(b"pieces");
/// });
/// assert_eq!(batch.len(), 2);
/// ```
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    records: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Where in the bytes the header's place is.
    at: usize,
    /// The header has it in four bytes, which the check before appending makes sure of.
    payload_bytes: u64,
    header: RecordHeader,
}

/// Takes the payload of one record piece by piece.
#[derive(Debug)]
pub struct Payload<'a>(&'a mut Vec<u8>);

impl Payload<'_> {
    /// Adds bytes at the end.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

impl std::io::Write for Payload<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Batch {
    /// A batch without records.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record. Commit numbers must not go down; `kind` is the caller's.
    pub fn push(&mut self, commit: u64, kind: u16, payload: &[u8]) {
        self.push_with(commit, kind, |out| out.extend(payload));
    }

    /// Adds a record whose payload is written in place.
    pub fn push_with(&mut self, commit: u64, kind: u16, write: impl FnOnce(&mut Payload<'_>)) {
        let at = self.bytes.len();
        let payload_at = at + RECORD_HEADER_BYTES;
        self.bytes.resize(payload_at, 0);
        write(&mut Payload(&mut self.bytes));
        let payload_bytes = self.bytes.len() - payload_at;
        self.bytes.resize(self.bytes.len().next_multiple_of(RECORD_ALIGNMENT), 0);
        let padded = self.bytes.get(payload_at..).unwrap_or_default();
        let header = RecordHeader::new(commit, kind, payload_bytes as u32, padded);
        self.records.push(Entry { at, payload_bytes: payload_bytes as u64, header });
    }

    /// A batch of the one record that tells how far the log is synced.
    pub(crate) fn mark(commit: u64) -> Self {
        let entry = Entry { at: 0, payload_bytes: 0, header: RecordHeader::mark(commit) };
        Self { bytes: vec![0; RECORD_HEADER_BYTES], records: vec![entry] }
    }

    /// Forgets the records and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.records.clear();
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What the records will take in the log, in bytes.
    #[must_use]
    pub fn byte_size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Forgets the records, and the memory beyond the limit.
    pub(crate) fn recycle(&mut self, bytes_max: usize) {
        self.clear();
        self.bytes.shrink_to(bytes_max);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Commit number of the last record, after making sure that all can follow `last_commit`.
    pub(crate) fn check(&self, mut last_commit: u64, record_bytes_max: u64) -> Result<u64> {
        for Entry { payload_bytes, header, .. } in &self.records {
            if *payload_bytes > record_bytes_max {
                return Err(Error::RecordTooLarge { bytes: *payload_bytes, limit: record_bytes_max });
            }
            if header.commit < last_commit {
                return Err(Error::CommitOrder { last: last_commit, given: header.commit });
            }
            last_commit = header.commit;
        }
        Ok(last_commit)
    }

    /// Completes the headers, now that it is known where the batch goes.
    pub(crate) fn seal(&mut self, position: u64, synced: u64, salt: u64) {
        for Entry { at, header, .. } in &mut self.records {
            let record_position = position + *at as u64;
            header.claim_synced(synced, record_position);
            if let Some(place) = self.bytes.get_mut(*at..*at + RECORD_HEADER_BYTES) {
                place.copy_from_slice(&header.encode(salt, record_position));
            }
        }
    }
}
