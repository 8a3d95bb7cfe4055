//! Opening: the log's records that the engine lacks are read into a delta.

use std::sync::Arc;

use persea_kv::{Engine, Store, StoreSnapshot};
use persea_wal::{Log, Received, Record, Storage};

use super::checkpoint::StoredSeq;
use super::{STORED_SEQ_KEY, STORED_SEQ_TREE, record};
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
}

/// Reads what the log has and the engine lacks.
pub(super) fn recover(
    engine: &Engine,
    storage: Arc<dyn Storage>,
    log_options: persea_wal::Options,
    delta_bytes_max: usize,
) -> Result<Recovered> {
    let stored_seq = stored_seq(engine)?;
    let mut replay =
        Replay { engine, delta: Delta::new(delta_bytes_max), delta_bytes_max, stored_seq, n_replayed: 0 };
    let (log, recovery) = Log::open_on(storage, log_options, |record| replay.receive(record))?;
    let Replay { delta, stored_seq, n_replayed, .. } = replay;
    let last_seq = recovery.last_commit.max(stored_seq);
    Ok(Recovered { log, delta, last_seq, stored_seq, n_replayed })
}

/// The number of the last commit that the engine has; 0 in a new one.
fn stored_seq(engine: &Engine) -> Result<u64> {
    let snapshot = engine.snapshot()?;
    match snapshot.get(STORED_SEQ_TREE, &full_key(RESERVED_KEYSPACE, STORED_SEQ_KEY))? {
        None => Ok(0),
        Some(bytes) => match bytes.try_into() {
            Ok(bytes) => Ok(u64::from_be_bytes(bytes)),
            Err(_) => Err(Error::Storage(persea_kv::Error::Corrupted(
                "the number of the last commit makes no sense".to_owned(),
            ))),
        },
    }
}

struct Replay<'e> {
    engine: &'e Engine,
    delta: Delta,
    delta_bytes_max: usize,
    stored_seq: u64,
    n_replayed: u64,
}

impl Replay<'_> {
    fn receive(&mut self, record: Record<'_>) -> Received {
        if record.commit <= self.stored_seq {
            return Ok(());
        }
        if record.kind != record::KIND_WRITES {
            return Err(format!("a record of the unknown kind {}", record.kind).into());
        }
        let mut writer = self.delta.writer();
        for write in record::decode(record.payload) {
            writer.put(CommitSeq(record.commit), write.ok_or("a record that makes no sense")?);
        }
        drop(writer);
        self.n_replayed += 1;
        // More than one delta holds was logged only if the last run could not write to the engine.
        if self.delta.memory_bytes() > 2 * self.delta_bytes_max {
            let stored_seq = StoredSeq::new(record.commit);
            self.engine.write(self.delta.writes().chain(std::iter::once(stored_seq.write())))?;
            self.engine.sync()?;
            self.stored_seq = record.commit;
            self.delta = Delta::new(self.delta_bytes_max);
        }
        Ok(())
    }
}
