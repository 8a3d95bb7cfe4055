//! Reads a whole log, in order and each record once, without changing it.

use std::sync::Arc;
use std::time::Instant;

use super::search::{Hint, search};
use super::{Recovery, TornTail};
use crate::error::Context;
use crate::format::{SEGMENT_HEADER_BYTES, SegmentHeader};
use crate::record_reader::{RecordReader, Step};
use crate::segment::{Head, read_head, segment_name, segment_number};
use crate::storage::{Storage, StorageFile};
use crate::{Damage, DamageKind, Error, Position, Record, Result};

/// What receives the records: refuses by any error.
pub(crate) type Receiver<'a> =
    dyn FnMut(Record<'_>) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> + 'a;

/// A log as it was found.
#[derive(Default)]
pub(crate) struct Found {
    /// Segments of the log, oldest first.
    pub segments: Vec<FoundSegment>,
    /// Files behind the end of the log.
    pub dropped: Vec<String>,
    /// Files passed over as damaged.
    pub unreadable: Vec<String>,
    /// Up to where records say that the log is synced.
    pub claimed: u64,
    /// End of the last record that is not a mark.
    pub records_end: u64,
    pub recovery: Recovery,
}

/// A segment file as it was found.
pub(crate) struct FoundSegment {
    pub header: SegmentHeader,
    pub file: Arc<dyn StorageFile>,
    pub file_bytes: u64,
    /// Where in the file its records end.
    pub used: u64,
}

/// A segment file that is looked at.
pub(crate) struct Candidate {
    pub number: u64,
    pub file: Arc<dyn StorageFile>,
    pub file_bytes: u64,
    pub head: Head,
}

/// Where reading in order has come to an end.
pub(crate) struct Stop {
    /// Which file, counted from the oldest.
    pub index: usize,
    /// Where in the file.
    pub offset: u64,
    pub position: u64,
    pub kind: DamageKind,
    /// Commit number of the unreadable record, where its header can be read.
    pub commit: Option<u64>,
    /// Whether there are bytes that are not zero.
    pub is_dirty: bool,
}

/// Opens one of the segment files.
pub(crate) fn candidate(storage: &dyn Storage, number: u64) -> Result<Candidate> {
    let name = segment_name(number);
    let file = storage.open(&name).context("open", &name)?;
    let file_bytes = file.byte_size().context("read", &name)?;
    let head = read_head(&*file, number)?;
    Ok(Candidate { number, file, file_bytes, head })
}

/// What is known of a log from elsewhere; by default nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Expected {
    /// The last commit that may have been trimmed; none if that is not known.
    pub kept_elsewhere: Option<u64>,
    /// Whether there has to be a segment.
    pub must_exist: bool,
}

/// Reads the log in `storage` and hands each intact record to `receive`.
pub(crate) fn scan(
    storage: &dyn Storage,
    ignore_damage: bool,
    expected: Expected,
    receive: &mut Receiver<'_>,
) -> Result<Found> {
    let begin = Instant::now();
    let mut numbers: Vec<u64> = storage
        .list()
        .context("list", "the folder")?
        .iter()
        .filter_map(|name| segment_number(name))
        .collect();
    numbers.sort_unstable();
    let mut scan = Scan { storage, numbers, ignore_damage, expected, receive, found: Found::default() };
    scan.run()?;
    let Scan { mut found, .. } = scan;
    let recovery = &mut found.recovery;
    recovery.n_segments = found.segments.len();
    if let Some(last) = found.segments.last() {
        recovery.end = Position(last.header.start + last.used);
    }
    recovery.duration = begin.elapsed();
    Ok(found)
}

struct Scan<'a, 'b> {
    storage: &'a dyn Storage,
    numbers: Vec<u64>,
    ignore_damage: bool,
    expected: Expected,
    receive: &'a mut Receiver<'b>,
    found: Found,
}

/// What to do after a stop.
enum Verdict {
    /// The log ends there.
    End,
    /// Go on with a file, at an offset.
    Resume { index: usize, offset: u64 },
}

impl Scan<'_, '_> {
    /// Something must be there if it is known that something was.
    fn check_existence(&mut self) -> Result<()> {
        match self.expected.must_exist {
            true => self.note(Damage::gone(self.expected.kept_elsewhere.unwrap_or_default())),
            false => Ok(()),
        }
    }

    /// Whatever is not in the log any more must be elsewhere.
    fn check_beginning(&mut self) -> Result<()> {
        match self.expected.kept_elsewhere.and_then(|kept| self.found.recovery.missing_beginning(kept)) {
            Some(damage) => self.note(damage),
            None => Ok(()),
        }
    }

    /// Passes over damage if told so.
    fn note(&mut self, damage: Damage) -> Result<()> {
        if !self.ignore_damage {
            return Err(Error::Damaged(Box::new(damage)));
        }
        self.found.recovery.damages.push(damage);
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let Some(&first) = self.numbers.first() else { return self.check_existence() };
        let mut index = 0;
        let mut offset = SEGMENT_HEADER_BYTES;
        let mut current = candidate(self.storage, first)?;
        // The first file got its name after its head was synced, so no crash explains a head that isn't whole.
        if !matches!(current.head, Head::Whole(_)) {
            let stop = head_stop(0, &current.head, current.head.header().map_or(0, |header| header.start));
            match self.judge(&stop, true)? {
                Verdict::End => {
                    self.pass_over(0, self.numbers.len());
                    return Ok(());
                }
                Verdict::Resume { index: next, offset: at } => {
                    self.pass_over(0, next);
                    current = self.reload(next)?;
                    (index, offset) = (next, at);
                }
            }
        }
        if let Some(header) = current.head.header().copied() {
            let first_file = self.name(index);
            let recovery = &mut self.found.recovery;
            recovery.first_file = Some(first_file);
            recovery.start = Position(header.start);
            recovery.trimmed_to = header.commit_before;
            self.check_beginning()?;
            self.found.recovery.last_commit = header.commit_before;
        }
        loop {
            let Some(header) = current.head.header().copied() else { return Ok(()) };
            self.found.claimed = self.found.claimed.max(header.synced);
            let (step, used) = self.read_records(&current, &header, offset)?;
            let end = header.start + used;
            let next = self.next_candidate(index)?;
            let continues = next.as_ref().is_some_and(|next| follows(next, &header, end));
            let stop = match next {
                Some(next) if continues && matches!(next.head, Head::Whole(_)) => {
                    self.keep(current, header, used);
                    (index, offset, current) = (index + 1, SEGMENT_HEADER_BYTES, next);
                    continue;
                }
                Some(next) if continues => head_stop(index + 1, &next.head, end),
                _ => record_stop(index, used, end, step),
            };
            let verdict = self.judge(&stop, false)?;
            let Verdict::Resume { index: resumed, offset: at } = verdict else {
                self.end_at(&stop, index, current, header, used);
                return Ok(());
            };
            if resumed == index {
                offset = at;
                continue;
            }
            self.keep(current, header, used);
            self.pass_over(index + 1, resumed);
            current = self.reload(resumed)?;
            (index, offset) = (resumed, at);
        }
    }

    /// Hands on records until none follows; returns why, and where in the file.
    fn read_records(
        &mut self,
        current: &Candidate,
        header: &SegmentHeader,
        offset: u64,
    ) -> Result<(Step, u64)> {
        let mut reader = RecordReader::new(current.file.clone(), header, offset);
        loop {
            let step =
                reader.step(current.file_bytes).map_err(|source| self.read_failed(current.number, source))?;
            let (Step::Record, Some((record, record_header))) = (step, reader.record()) else {
                return Ok((step, reader.offset()));
            };
            let claimed = record_header.claimed_synced(record.position.0);
            self.found.claimed = self.found.claimed.max(claimed);
            if record_header.is_mark {
                continue;
            }
            (self.receive)(record).map_err(|source| Error::Replay { commit: record.commit, source })?;
            self.found.records_end = record.end.0;
            let recovery = &mut self.found.recovery;
            recovery.n_records += 1;
            recovery.record_bytes += record_header.record_bytes();
            recovery.first_commit.get_or_insert(record.commit);
            recovery.last_commit = record.commit;
        }
    }

    fn read_failed(&self, number: u64, source: std::io::Error) -> Error {
        Error::from_io("read", &segment_name(number), 0, source)
    }

    fn next_candidate(&self, index: usize) -> Result<Option<Candidate>> {
        self.numbers.get(index + 1).map(|number| candidate(self.storage, *number)).transpose()
    }

    fn reload(&self, index: usize) -> Result<Candidate> {
        candidate(self.storage, self.numbers.get(index).copied().unwrap_or_default())
    }

    /// Tells the end of the log from damage.
    fn judge(&mut self, stop: &Stop, is_surely_damage: bool) -> Result<Verdict> {
        let Hint { is_known_synced, intact, resume } = search(self.storage, &self.numbers, stop)?;
        if !is_known_synced && !is_surely_damage {
            return Ok(Verdict::End);
        }
        let damage = Damage {
            file: self.name(stop.index),
            offset: stop.offset,
            position: Position(stop.position),
            kind: stop.kind,
            commit: stop.commit,
            commit_before: self.found.recovery.last_commit,
            next: intact,
        };
        self.note(damage)?;
        Ok(resume.map_or(Verdict::End, |(index, offset)| Verdict::Resume { index, offset }))
    }

    fn name(&self, index: usize) -> String {
        self.numbers.get(index).map_or_else(String::new, |number| segment_name(*number))
    }

    fn keep(&mut self, candidate: Candidate, header: SegmentHeader, used: u64) {
        let Candidate { file, file_bytes, .. } = candidate;
        self.found.segments.push(FoundSegment { header, file, file_bytes, used });
    }

    /// Sets files aside that lie in a damaged stretch.
    fn pass_over(&mut self, from: usize, to: usize) {
        let names = self.numbers.iter().take(to).skip(from).map(|number| segment_name(*number));
        self.found.unreadable.extend(names);
    }

    fn end_at(&mut self, stop: &Stop, index: usize, current: Candidate, header: SegmentHeader, used: u64) {
        let dropped: Vec<String> =
            self.numbers.iter().skip(index + 1).map(|number| segment_name(*number)).collect();
        if stop.is_dirty || !dropped.is_empty() {
            self.found.recovery.torn_tail = Some(TornTail {
                file: segment_name(current.number),
                offset: used,
                commit_before: self.found.recovery.last_commit,
                n_segments_dropped: dropped.len(),
            });
        }
        // What is given up because nothing intact follows a damage is kept for whoever wants to look at it.
        if self.found.recovery.damages.iter().any(|damage| damage.position.0 >= stop.position) {
            self.found.unreadable.extend(dropped);
        } else {
            self.found.dropped = dropped;
        }
        self.keep(current, header, used);
    }
}

/// Whether the file is the one after the segment with this header, which ends at `end`.
fn follows(next: &Candidate, header: &SegmentHeader, end: u64) -> bool {
    next.number == header.number + 1 && next.head.header().is_some_and(|next| next.start == end)
}

fn head_stop(index: usize, head: &Head, position: u64) -> Stop {
    let offset = if let Head::Half(_, offset) = head { *offset } else { 0 };
    Stop { index, offset, position, kind: DamageKind::SegmentHeader, commit: None, is_dirty: true }
}

fn record_stop(index: usize, offset: u64, position: u64, step: Step) -> Stop {
    let (kind, commit) = match step {
        Step::BadPayload { commit } => (DamageKind::Payload, Some(commit)),
        Step::BadHeader => (DamageKind::RecordHeader, None),
        Step::Record | Step::End => (DamageKind::Missing, None),
    };
    Stop { index, offset, position, kind, commit, is_dirty: step != Step::End }
}
