//! The log as its user sees it.

use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::background::Background;
use crate::format::SEGMENT_HEADER_BYTES;
use crate::health::Health;
use crate::metrics::{Counters, Metrics};
use crate::position::Board;
use crate::recovery::{self, Expected, Found, Recovery};
use crate::segment::{Segment, SegmentList};
use crate::shared::{Shared, lock};
use crate::spares::Spares;
use crate::sync_gate::{SyncGate, Waiter};
use crate::tail::{self, Tail};
use crate::tail_reader::{Start, TailReader, Until};
use crate::trim::{self, Trimmed};
use crate::watch::Watch;
use crate::{Batch, Error, Options, Position, Record, Result, StdStorage, Storage};

/// What a receiver of records may answer: any error ends the replay.
pub type Received = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Memory of single appends that a thread keeps for the next one.
const SCRATCH_BYTES_MAX: usize = 256 << 10;

thread_local! {
    static SCRATCH: RefCell<Batch> = RefCell::default();
}

/// An append-only log, to be shared among threads by reference.
///
/// Dropping it syncs and tells nobody whether that went well; [`close`](Log::close) does.
pub struct Log {
    background: Option<Background>,
    shared: Arc<Shared>,
}

impl fmt::Debug for Log {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Log").field("position", &self.position()).finish_non_exhaustive()
    }
}

/// Where an append went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// Where the first record begins.
    pub position: Position,
    /// Where the last record ends: give it to [`Log::sync`] to make the records durable.
    pub end: Position,
}

impl Log {
    /// Opens the log in a folder, which is made if need be, and hands each record in it to `receive`.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged) unless told to ignore damage, [`Error::InUse`](crate::Error::InUse)
    /// when another process has it open, [`Error::Replay`](crate::Error::Replay) when `receive` fails.
    pub fn open(
        path: impl AsRef<Path>,
        options: Options,
        receive: impl FnMut(Record<'_>) -> Received,
    ) -> Result<(Self, Recovery)> {
        Self::open_on(Arc::new(StdStorage::open(path)?), options, receive)
    }

    /// The same on any storage, of which the log must be the only writer.
    ///
    /// # Errors
    /// As of [`open`](Log::open).
    pub fn open_on(
        storage: Arc<dyn Storage>,
        mut options: Options,
        mut receive: impl FnMut(Record<'_>) -> Received,
    ) -> Result<(Self, Recovery)> {
        options.record_bytes_max = options.record_bytes_max.min(crate::options::RECORD_BYTES_LIMIT);
        options.segment_bytes = options.segment_bytes.max(2 * SEGMENT_HEADER_BYTES);
        let expected = Expected { kept_elsewhere: options.kept_elsewhere, must_exist: options.must_exist };
        let found = recovery::scan(&*storage, options.ignore_damage, expected, &mut receive)?;
        let mut synced = recovery::repair(&*storage, &found)?;
        let last_number = found.segments.last().map_or(0, |segment| segment.header.number);
        let spares =
            recovery::spares(&*storage, options.segment_bytes, options.spare_segments_max, last_number)?;
        let Found { segments, mut recovery, claimed, records_end, .. } = found;
        let mut list = SegmentList::default();
        let n_segments = segments.len();
        let mut last = None;
        for (index, found) in segments.into_iter().enumerate() {
            let end = (index + 1 < n_segments).then_some(found.header.start + found.used);
            let segment = Arc::new(Segment::new(found.header, end));
            list.push(segment.clone());
            last = Some((segment, found.file, found.used));
        }
        let mut spares = Spares::new(spares);
        let (segment, file, used, reserved) = match last {
            Some((segment, file, used)) => (segment, file, used, used),
            None => {
                let number = spares.new_number();
                let begun = tail::begin_log(&*storage, number, recovery.last_commit, options.segment_bytes)?;
                let segment = Arc::new(begun.0);
                list.push(segment.clone());
                synced = SEGMENT_HEADER_BYTES;
                (recovery.n_segments, recovery.end) = (1, Position(SEGMENT_HEADER_BYTES));
                (segment, begun.1, SEGMENT_HEADER_BYTES, options.segment_bytes)
            }
        };
        let tail = Tail {
            records_end: records_end.max(segment.header.start + SEGMENT_HEADER_BYTES),
            claimed: claimed.max(segment.header.synced),
            last_commit: recovery.last_commit,
            unsynced: Vec::new(),
            is_dir_dirty: false,
            segment,
            file,
            used,
            reserved,
        };
        let board = Board::new(synced, recovery.last_commit);
        board.post_written(tail.position(), recovery.last_commit);
        let shared = Arc::new(Shared {
            storage,
            tail: Mutex::new(tail),
            spares: Mutex::new(spares),
            segments: Mutex::new(list),
            trim: Mutex::new(()),
            gate: SyncGate::new(synced, options.gather_max),
            board,
            watch: Watch::default(),
            counters: Counters::default(),
            health: Health::default(),
            options,
        });
        if !recovery.damages.is_empty() {
            shared.tell_what_is_synced()?;
        }
        let interval = shared.options.sync_interval;
        let background = interval.map(|interval| Background::start(shared.clone(), interval)).transpose()?;
        Ok((Self { background, shared }, recovery))
    }

    /// Appends one record and returns when the operating system has it: it survives the end of the process.
    ///
    /// Commit numbers never go down; `kind` is the caller's.
    ///
    /// # Errors
    /// Then nothing of it is in the log. [`Error::NoSpace`](crate::Error::NoSpace) and
    /// [`Error::Io`](crate::Error::Io) may pass; [`Error::Poisoned`](crate::Error::Poisoned) stays until the log is
    /// opened again. [`Error::CommitOrder`](crate::Error::CommitOrder) and
    /// [`Error::RecordTooLarge`](crate::Error::RecordTooLarge) are the caller's.
    pub fn append(&self, commit: u64, kind: u16, payload: &[u8]) -> Result<Appended> {
        SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
            Ok(mut batch) => {
                batch.push(commit, kind, payload);
                let appended = self.shared.append(&mut batch);
                batch.recycle(SCRATCH_BYTES_MAX);
                appended
            }
            // A storage that appends to another log while it writes for this one.
            Err(_) => {
                let mut batch = Batch::new();
                batch.push(commit, kind, payload);
                self.shared.append(&mut batch)
            }
        })
    }

    /// Appends the records of a batch by one write; the batch keeps them, and can be cleared and used again.
    ///
    /// # Errors
    /// As of [`append`](Log::append); then none of the records is in the log.
    pub fn append_batch(&self, batch: &mut Batch) -> Result<Appended> {
        self.shared.append(batch)
    }

    /// Returns when all before `until` is on the disk; all who wait at the same time share one sync.
    ///
    /// # Errors
    /// [`Error::Poisoned`](crate::Error::Poisoned) when it is unknown whether it is.
    pub fn sync(&self, until: Position) -> Result<()> {
        self.shared.sync(until.0.min(self.shared.board.written()), Waiter::Commit)
    }

    /// Returns when all that has been appended is on the disk.
    ///
    /// # Errors
    /// As of [`sync`](Log::sync).
    pub fn sync_all(&self) -> Result<()> {
        self.shared.sync(self.shared.board.written(), Waiter::Commit)
    }

    /// Does what the background thread does from time to time: syncs, notes that it has, and has a file ready for
    /// the next segment.
    ///
    /// # Errors
    /// What kept it from that; only [`Error::Poisoned`](crate::Error::Poisoned) touches the records.
    pub fn maintain(&self) -> Result<()> {
        self.shared.maintain()
    }

    /// Ends the segment that records are added to, so that it can be trimmed, and begins another.
    /// Does nothing if it has no records.
    ///
    /// # Errors
    /// As of [`append`](Log::append); then records go on into the same segment.
    pub fn rotate(&self) -> Result<()> {
        let mut tail = lock(&self.shared.tail);
        self.shared.health.check()?;
        if tail.is_empty() {
            return Ok(());
        }
        tail.begin_segment(&self.shared, 0)
    }

    /// Gives up the segments that have no records of `below` or later commits, except the one in use.
    ///
    /// # Errors
    /// What kept it from that; the log is as usable as before.
    pub fn trim(&self, below: u64) -> Result<Trimmed> {
        trim::trim(&self.shared, below)
    }

    /// A reader that begins at `start` and follows the log as it grows.
    ///
    /// # Errors
    /// [`Error::Trimmed`](crate::Error::Trimmed) when records of the commit are gone.
    pub fn reader(&self, start: Start, until: Until) -> Result<TailReader> {
        loop {
            match TailReader::new(self.shared.clone(), start, until) {
                // What was the oldest is gone; the next is the oldest now.
                Err(Error::Trimmed { .. }) if start == Start::Oldest => {}
                outcome => return outcome,
            }
        }
    }

    /// Where the next record will begin. Takes no lock.
    #[must_use]
    pub fn position(&self) -> Position {
        Position(self.shared.board.written())
    }

    /// The last commit number in the log, at least that of the last record before an earlier
    /// [`position`](Log::position). Takes no lock.
    #[must_use]
    pub fn last_commit(&self) -> u64 {
        self.shared.board.written_commit()
    }

    /// Up to where the log is known to be on the disk. Takes no lock.
    #[must_use]
    pub fn synced_position(&self) -> Position {
        Position(self.shared.board.synced())
    }

    /// The last commit number that is known to be on the disk. Takes no lock.
    #[must_use]
    pub fn synced_commit(&self) -> u64 {
        self.shared.board.synced_commit()
    }

    /// Where the oldest record that is still there begins.
    #[must_use]
    pub fn start(&self) -> Position {
        Position(lock(&self.shared.segments).start())
    }

    /// Bytes of log that have not been trimmed.
    #[must_use]
    pub fn byte_size(&self) -> u64 {
        self.position().0.saturating_sub(self.start().0)
    }

    /// Whether the log takes records.
    ///
    /// # Errors
    /// [`Error::Poisoned`](crate::Error::Poisoned) with what has happened, when it takes no more.
    pub fn health(&self) -> Result<()> {
        self.shared.health.check()
    }

    /// What the log has done since it was opened.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.shared.counters.snapshot()
    }

    /// Brings all to the disk and gives back reserved space.
    ///
    /// # Errors
    /// [`Error::Poisoned`](crate::Error::Poisoned) when it is unknown whether all is on the disk.
    pub fn close(mut self) -> Result<()> {
        self.shut_down()
    }

    fn shut_down(&mut self) -> Result<()> {
        if self.shared.board.is_closed() {
            return Ok(());
        }
        drop(self.background.take());
        let finished = self.shared.finish();
        self.shared.board.close();
        self.shared.watch.notify();
        finished
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // Whoever wants to know has called `close`; what was acknowledged as synced is safe in any case.
        let _ = self.shut_down();
    }
}

/// Reads a log without changing it, and hands each record to `receive`; nobody should be writing to it.
///
/// # Errors
/// [`Error::Damaged`](crate::Error::Damaged) with the first damage unless `ignore_damage`; all are in the
/// [`Recovery`] otherwise.
/// ```
/// use persea_wal::{Log, Options, StdStorage, inspect};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path();
/// let (log, _) = Log::open(path, Options::default(), |_| Ok(()))?;
/// log.append(1, 0, b"one")?;
/// log.close()?;
///
/// let found = inspect(&StdStorage::read_only(path), false, |_| Ok(()))?;
/// assert_eq!((found.n_records, found.last_commit), (1, 1));
/// # Ok(())
/// # }
/// ```
pub fn inspect(
    storage: &dyn Storage,
    ignore_damage: bool,
    mut receive: impl FnMut(Record<'_>) -> Received,
) -> Result<Recovery> {
    Ok(recovery::scan(storage, ignore_damage, Expected::default(), &mut receive)?.recovery)
}
