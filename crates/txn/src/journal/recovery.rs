//! Opening: the log's records that the engine lacks are read into a delta.

use std::io::ErrorKind;
use std::sync::Arc;

use persea_kv::{Engine, Store, StoreSnapshot};
use persea_wal::{Log, Received, Record, Storage};

use super::checkpoint::StoredSeq;
use super::{LOG_NOTE_KEY, STORED_BULK_KEY, STORED_SEQ_KEY, STORED_SEQ_TREE, record};
use crate::delta::Delta;
use crate::keyspace::{RESERVED_KEYSPACE, full_key};
use crate::{CommitSeq, Error, Result};

/// What opening has found.
pub(super) struct Recovered {
    pub(super) log: Log,
    pub(super) delta: Delta,
    /// The last commit.
    pub(super) last_seq: u64,
    /// The last commit that the engine has.
    pub(super) stored_seq: u64,
    pub(super) n_replayed: u64,
    /// Whether the engine tells that the log is needed.
    pub(super) is_log_noted: bool,
}

/// Reads what the log has and the engine lacks.
pub(super) fn recover(
    engine: &Engine,
    storage: Arc<dyn Storage>,
    mut log_options: persea_wal::Options,
    delta_bytes_max: usize,
) -> Result<Recovered> {
    let EngineState { stored_seq, bulk, needs_log } = engine_state(&engine.snapshot()?)?;
    log_options.kept_elsewhere = Some(stored_seq);
    log_options.must_exist = needs_log;
    let mut replay = Replay {
        engine,
        delta: Delta::new(delta_bytes_max),
        delta_bytes_max,
        stored_seq,
        n_replayed: 0,
        is_engine_full: false,
    };
    let (log, recovery) = Log::open_on(storage, log_options, |record| replay.receive(record))?;
    let Replay { delta, stored_seq, n_replayed, .. } = replay;
    // A bulk commit may have been the last, of which the log knows nothing.
    let last_seq = recovery.last_commit.max(stored_seq).max(bulk);
    Ok(Recovered { log, delta, last_seq, stored_seq, n_replayed, is_log_noted: needs_log })
}

/// Which commits a state of the engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EngineState {
    /// The last commit up to which it has all; 0 in a new one.
    pub(crate) stored_seq: u64,
    /// Names the last bulk commit, which may lie behind; 0 if there was none.
    pub(crate) bulk: u64,
    /// Whether there may be commits that only the log has.
    pub(crate) needs_log: bool,
}

/// The last commit up to which an engine has everything by itself; what follows is in the log.
///
/// # Errors
/// [`Error::Storage`].
pub fn stored_commit(engine: &Engine) -> Result<CommitSeq> {
    Ok(CommitSeq(engine_state(&engine.snapshot()?)?.stored_seq))
}

/// Whether there may be commits that only the log has: it was not closed in order, or is still open.
///
/// # Errors
/// [`Error::Storage`].
pub fn needs_log(engine: &Engine) -> Result<bool> {
    Ok(engine_state(&engine.snapshot()?)?.needs_log)
}

/// Which commits a state of the engine has.
pub(crate) fn engine_state(snapshot: &persea_kv::Snapshot) -> Result<EngineState> {
    let number = |key| match snapshot.get(STORED_SEQ_TREE, &full_key(RESERVED_KEYSPACE, key))? {
        None => Ok(0),
        Some(bytes) => match bytes.try_into() {
            Ok(bytes) => Ok(u64::from_be_bytes(bytes)),
            Err(_) => Err(Error::Storage(persea_kv::Error::Corrupted(
                "the number of the last commit makes no sense".to_owned(),
            ))),
        },
    };
    let note = snapshot.get(STORED_SEQ_TREE, &full_key(RESERVED_KEYSPACE, LOG_NOTE_KEY))?;
    Ok(EngineState {
        stored_seq: number(STORED_SEQ_KEY)?,
        bulk: number(STORED_BULK_KEY)?,
        needs_log: note.is_some(),
    })
}

/// Adds the commit of a record to a delta.
pub(crate) fn replay(delta: &Delta, record: &Record<'_>) -> Received {
    if record.kind != record::KIND_WRITES {
        return Err(format!("a record of the unknown kind {}", record.kind).into());
    }
    let mut writer = delta.writer();
    for write in record::decode(record.payload) {
        writer.put(CommitSeq(record.commit), write.ok_or("a record that makes no sense")?);
    }
    Ok(())
}

fn is_no_space(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

struct Replay<'e> {
    engine: &'e Engine,
    delta: Delta,
    delta_bytes_max: usize,
    stored_seq: u64,
    n_replayed: u64,
    /// Whether the disk has no room for what is replayed.
    is_engine_full: bool,
}

impl Replay<'_> {
    fn receive(&mut self, record: Record<'_>) -> Received {
        if record.commit <= self.stored_seq {
            return Ok(());
        }
        replay(&self.delta, &record)?;
        self.n_replayed += 1;
        // More than one delta holds was logged only if the last run could not write to the engine, or had more memory.
        if self.delta.memory_bytes() > 2 * self.delta_bytes_max && !self.is_engine_full {
            match self.store(record.commit) {
                // It takes memory instead: a database that can be read is better than none. The checkpoints to come
                // tell what is wrong, and bring it to the engine once they can.
                Err(persea_kv::Error::Io(error)) if is_no_space(&error) => self.is_engine_full = true,
                outcome => outcome?,
            }
        }
        Ok(())
    }

    fn store(&mut self, up_to: u64) -> persea_kv::Result<()> {
        let stored_seq = StoredSeq::new(up_to);
        self.engine.write(self.delta.writes().chain(std::iter::once(stored_seq.write())))?;
        self.engine.sync()?;
        self.stored_seq = up_to;
        self.delta = Delta::new(self.delta_bytes_max);
        Ok(())
    }
}
