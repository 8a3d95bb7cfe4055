//! Bringing commits to the engine: checkpoints of the delta, and write sets too large for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use persea_kv::{Engine, Store, Write};
use persea_wal::Log;

use super::{Committed, EngineWriter, Journal, Lacks, STORED_BULK_KEY, STORED_SEQ_KEY, STORED_SEQ_TREE};
use crate::delta::Delta;
use crate::keyspace::{RESERVED_KEYSPACE, full_key};
use crate::primitives::thread;
use crate::snapshots::SnapshotRegistry;
use crate::write_set::{Layers, data_bytes, writes_of};
use crate::{CommitSeq, Error, Options, Result};

/// A batch may need this many times its bytes in new pages.
const PAGES_PER_BYTE: u64 = 4;

impl Journal {
    /// Brings every commit so far to the engine, durably, and trims the log.
    ///
    /// Commits and reads go on meanwhile.
    ///
    /// # Errors
    /// [`Error::Storage`]; the commits stay where they are, and the next checkpoint tries again.
    pub(crate) fn checkpoint(&self, engine: &Engine, registry: &SnapshotRegistry) -> Result<()> {
        let mut writer = self.engine_writer.lock();
        let target = self.commit.lock().last_seq;
        // Twice if an earlier one failed: what was frozen then, and what came since.
        while self.checkpointed().0 < target {
            self.write_frozen(engine, registry, &mut writer, None)?;
        }
        Ok(())
    }

    /// How long until a checkpoint should begin; zero if at once, none if there is nothing to bring to the engine.
    pub(crate) fn checkpoint_due_in(
        &self,
        registry: &SnapshotRegistry,
        options: &Options,
    ) -> Option<Duration> {
        let deltas = registry.deltas()?;
        if deltas.frozen.is_some() {
            return Some(Duration::ZERO);
        }
        let age = deltas.active.born()?.elapsed();
        if deltas.active.memory_bytes() >= self.delta_bytes_max {
            return Some(Duration::ZERO);
        }
        Some(options.checkpoint_interval.saturating_sub(age))
    }

    /// Commits a large write set by writing it to the engine directly, together with all commits before it, so that it
    /// takes no memory beside its own and is written once.
    ///
    /// Other commits go on meanwhile; if they write the same keys without locking them, theirs win.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], also when the log takes no records, [`Error::Storage`]; nothing of it is visible then.
    pub(crate) fn commit_bulk(
        &self,
        engine: &Engine,
        registry: &SnapshotRegistry,
        layers: &Layers,
    ) -> Result<Committed> {
        let mut writer = self.engine_writer.lock();
        // A log that was given up may hold a commit that was refused, and a restart would bring it back over this one.
        self.log_health()?;
        // An older frozen delta goes first: what was written after it must not be covered by it.
        if registry.deltas().is_some_and(|deltas| deltas.frozen.is_some()) {
            self.write_frozen(engine, registry, &mut writer, None)?;
        }
        let active_bytes = registry.deltas().map_or(0, |deltas| deltas.active.memory_bytes());
        make_room(engine, registry, (active_bytes + data_bytes(layers)) as u64)?;
        // From here on nobody may see the engine's newest state: it has the bulk commit before that is published.
        registry.pin(engine)?;
        let first = self.write_frozen(engine, registry, &mut writer, Some(layers)).map_err(as_refusal)?;
        self.counters.bulk_commits.fetch_add(1, Ordering::Relaxed);
        let lacks = if self.log_health().is_ok() { Lacks::Nothing } else { Lacks::NewLog };
        Ok(Committed { first, lacks })
    }

    fn log_health(&self) -> Result<()> {
        self.log()?.health().map_err(Error::from_append)
    }

    /// Writes the frozen delta, freezing the active one if there is none, and a bulk write set. Returns the last commit
    /// that the engine has afterwards.
    fn write_frozen(
        &self,
        engine: &Engine,
        registry: &SnapshotRegistry,
        writer: &mut EngineWriter,
        bulk: Option<&Layers>,
    ) -> Result<CommitSeq> {
        let begun = Instant::now();
        let frozen = {
            let mut commit = self.commit.lock();
            let had_frozen = registry.deltas().is_some_and(|deltas| deltas.frozen.is_some());
            let frozen = registry.freeze(|| Delta::new(self.delta_bytes_max));
            if let Some(deltas) = registry.deltas() {
                commit.active = deltas.active;
            }
            if !had_frozen {
                writer.frozen_up_to = commit.last_seq;
            }
            frozen
        };
        let up_to = writer.frozen_up_to;
        if frozen.is_some() || bulk.is_some() {
            let outcome = self.write_batch(engine, registry, frozen.as_deref(), bulk, up_to);
            if let Err(error) = outcome {
                self.counters.checkpoint_failures.fetch_add(1, Ordering::Relaxed);
                // A bulk commit that fails by itself leaves nothing behind that would have to be tried again.
                if frozen.is_some() {
                    self.pressure.fail(format!("a checkpoint failed: {error}"));
                }
                return Err(error);
            }
        }
        let last = self.publish(engine, registry, bulk.is_some());
        self.checkpointed.store(up_to, Ordering::Release);
        self.pressure.ease();
        if frozen.is_some() {
            self.counters.checkpoints.fetch_add(1, Ordering::Relaxed);
            let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.counters.checkpoint_nanos.store(nanos, Ordering::Relaxed);
            self.trim(up_to);
        }
        Ok(last)
    }

    fn publish(&self, engine: &Engine, registry: &SnapshotRegistry, is_bulk: bool) -> CommitSeq {
        let mut commit = self.commit.lock();
        if is_bulk {
            commit.last_seq += 1;
        }
        let seq = CommitSeq(commit.last_seq);
        registry.thaw(engine, is_bulk.then_some(seq));
        seq
    }

    fn write_batch(
        &self,
        engine: &Engine,
        registry: &SnapshotRegistry,
        frozen: Option<&Delta>,
        bulk: Option<&Layers>,
        up_to: u64,
    ) -> Result<()> {
        let n_bytes = frozen.map_or(0, Delta::memory_bytes) + bulk.map_or(0, data_bytes);
        let bulk = bulk.as_slice();
        let stored_seq = StoredSeq::new(up_to);
        // Who reads log and engine from another process has to know that there is a commit which the log lacks.
        let stored_bulk = (!bulk.is_empty()).then(|| StoredSeq::of_bulk(up_to + 1));
        let batch = frozen
            .into_iter()
            .flat_map(Delta::writes)
            .chain(writes_of(bulk))
            .chain(std::iter::once(stored_seq.write()))
            .chain(stored_bulk.iter().map(StoredSeq::write));
        let write = || {
            engine.write(batch)?;
            engine.sync()
        };
        if bulk.is_empty() { with_room(engine, registry, n_bytes as u64, write) } else { Ok(write()?) }
    }

    /// Gives up the part of the log that the engine has. A failure leaves a longer log, which costs time at the next
    /// start only; what ails the log shows at the next commit.
    fn trim(&self, up_to: u64) {
        if let Ok(log) = self.log() {
            log.trim(up_to + 1).map(drop).unwrap_or_default();
        }
    }

    /// Runs a write of the engine that has nothing to do with commits, between those that have.
    pub(crate) fn write_beside<T>(
        &self,
        engine: &Engine,
        registry: &SnapshotRegistry,
        write: impl FnOnce() -> persea_kv::Result<T>,
    ) -> Result<T> {
        let _writer = self.engine_writer.lock();
        let outcome = with_room(engine, registry, 0, write);
        registry.forget_main();
        outcome
    }

    /// Brings everything to the engine and empties the log: after it the database opens without looking back.
    ///
    /// # Errors
    /// As of [`Journal::checkpoint`]; the log keeps what the engine lacks.
    pub(crate) fn settle(&self, engine: &Engine, registry: &SnapshotRegistry) -> Result<()> {
        let is_poisoned = self.log().is_ok_and(|log| log.health().is_err());
        let checkpointed = self.checkpoint(engine, registry);
        if is_poisoned || checkpointed.is_err() {
            return checkpointed;
        }
        let log = self.log()?;
        let up_to = self.checkpointed().0;
        log.rotate().and_then(|()| log.trim(up_to + 1)).map_err(Error::from_sync)?;
        self.sync_all()?;
        self.forget_log(registry)
    }

    /// Opens the log anew if a failure has made it refuse records: first everything goes to the engine, so that nothing
    /// of the old log is needed any more. If the log is fine, but could not be noted, tries that again.
    ///
    /// # Errors
    /// What still keeps it from that; commits are refused until a later call succeeds.
    pub(crate) fn revive(&self, engine: &Engine, registry: &SnapshotRegistry) -> Result<()> {
        if self.log.read().as_ref().is_some_and(|log| log.health().is_ok()) {
            return self.retry_note(registry);
        }
        let old = {
            // Nobody is appending while the commit state is held.
            let _commit = self.commit.lock();
            let mut log = self.log.write();
            if log.as_ref().is_some_and(|log| log.health().is_ok()) {
                return Ok(());
            }
            log.take()
        };
        drop_when_unused(old);
        self.checkpoint(engine, registry)?;
        let mut writer = self.engine_writer.lock();
        let mut commit = self.commit.lock();
        // What the old log may still hold was either brought to the engine or never acknowledged.
        let (log, found) = Log::open_on(self.storage.clone(), self.log_options.clone(), |_| Ok(()))?;
        commit.last_seq = commit.last_seq.max(found.last_commit);
        self.write_batch(engine, registry, None, None, commit.last_seq)?;
        writer.frozen_up_to = commit.last_seq;
        self.checkpointed.store(commit.last_seq, Ordering::Release);
        log.rotate()?;
        log.trim(commit.last_seq + 1)?;
        registry.publish(CommitSeq(commit.last_seq));
        *self.log.write() = Some(Arc::new(log));
        Ok(())
    }
}

/// What the disk refuses to a checkpoint, the database refuses to the commit that needs it.
pub(super) fn as_refusal(error: Error) -> Error {
    match error {
        Error::Storage(persea_kv::Error::Io(error)) => Error::ReadOnly(error.to_string().into()),
        error => error,
    }
}

/// The log has to be closed before it can be opened; those who are about to sync it find out soon that they can't.
fn drop_when_unused(log: Option<Arc<Log>>) {
    let Some(mut log) = log else { return };
    loop {
        match Arc::try_unwrap(log) {
            Ok(log) => return drop(log),
            Err(shared) => log = shared,
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a write of so many bytes may need a larger reservation; gives its size.
fn missing_room(engine: &Engine, n_bytes: u64) -> Result<Option<u64>> {
    let stats = engine.stats()?;
    let needed_bytes = stats.used_bytes.saturating_add(n_bytes.saturating_mul(PAGES_PER_BYTE)) + (1 << 20);
    Ok((stats.reserved_bytes > 0 && needed_bytes > stats.reserved_bytes).then_some(needed_bytes))
}

/// Enlarges the engine's reservation for a write of so many bytes, if it can be had. What is needed is a guess on the
/// high side, so that a write may succeed that found less.
fn make_room(engine: &Engine, registry: &SnapshotRegistry, n_bytes: u64) -> Result<()> {
    let Some(needed_bytes) = missing_room(engine, n_bytes)? else { return Ok(()) };
    registry.release_engine();
    let outcome = engine.reserve(needed_bytes);
    registry.engine_released();
    match outcome {
        Ok(()) | Err(persea_kv::Error::MapFull { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Runs a write of what is visible already; lets go of the engine's snapshots before if it may have to grow, which it
/// can't beside them.
pub(super) fn with_room<T>(
    engine: &Engine,
    registry: &SnapshotRegistry,
    n_bytes: u64,
    write: impl FnOnce() -> persea_kv::Result<T>,
) -> Result<T> {
    let may_grow = missing_room(engine, n_bytes)?.is_some();
    if may_grow {
        registry.release_engine();
    }
    let outcome = write();
    if may_grow {
        registry.engine_released();
    }
    Ok(outcome?)
}

/// The write that tells the engine up to which commit it has everything.
pub(crate) struct StoredSeq {
    key: crate::keyspace::FullKey,
    value: [u8; 8],
}

impl StoredSeq {
    pub(crate) fn new(seq: u64) -> StoredSeq {
        StoredSeq { key: full_key(RESERVED_KEYSPACE, STORED_SEQ_KEY), value: seq.to_be_bytes() }
    }

    /// Names a bulk commit by a number that it is not below.
    fn of_bulk(seq_min: u64) -> StoredSeq {
        StoredSeq { key: full_key(RESERVED_KEYSPACE, STORED_BULK_KEY), value: seq_min.to_be_bytes() }
    }

    pub(crate) fn write(&self) -> Write<'_> {
        Write::put(STORED_SEQ_TREE, &self.key, &self.value)
    }
}
