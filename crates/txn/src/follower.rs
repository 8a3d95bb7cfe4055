//! Reading what another process writes: the engine's file, and over it the log's records that the engine lacks.
//!
//! ```text
//! engine snapshot, with the number of the last commit in it
//!        + the log's records after that number, in a delta of our own
//!        + proof that no bulk commit came between the two
//! ```
//!
//! The engine's snapshot is taken first. What the log has after its number is in the order of commits and without gaps,
//! except for bulk commits, which are in the engine only. A commit behind such a one may rest on it, so the engine is
//! looked at once more afterwards: it names the last bulk commit, and if that is the one of the snapshot, the records read
//! are just the commits that follow. Otherwise, or when a checkpoint has trimmed the log meanwhile, everything is tried
//! again. The writer notices nothing of it but the engine's slot of a reader.
//!
//! Nothing is kept alive for later: without views in use, no page of the engine is held back.

use std::io::ErrorKind;
use std::sync::{Arc, Weak};
use std::time::Duration;

use persea_kv::{Engine, Snapshot, Store, StoreSnapshot};
use persea_wal::{Damage, Position, Received, Record, Storage};

use crate::delta::Delta;
use crate::journal::{self, EngineState};
use crate::primitives::Mutex;
use crate::snapshots::{SharedSnapshot, SnapshotRegistry};
use crate::{CommitSeq, Error, Options, Result};

/// How often it is tried to read engine and log in one state.
const ATTEMPTS_MAX: u32 = 40;
/// Pause after a failed attempt; longer each time, up to ten times as long.
const PAUSE: Duration = Duration::from_millis(1);

/// Where the commits come from when another process is the one to make them.
pub(crate) struct Follower {
    log: Arc<dyn Storage>,
    delta_bytes: usize,
    ignore_damage: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    followed: Option<Followed>,
    /// The newest commit that was shown: what comes later is not older.
    shown: u64,
}

/// The log, read from a state of the engine on.
struct Followed {
    base: EngineState,
    /// None if there is no log.
    log: Option<persea_wal::Follower>,
    delta: Arc<Delta>,
    last_seq: u64,
    main: Weak<Snapshot>,
    snapshot: Weak<SharedSnapshot>,
}

/// Why an attempt did not do.
enum Failure {
    /// The writer was faster; the next attempt may do.
    Overtaken(Error),
    /// A place in the log can't be read, which may be of the moment.
    Damaged(Position, Error),
    Final(Error),
}

impl From<persea_kv::Error> for Failure {
    fn from(error: persea_kv::Error) -> Failure {
        Failure::Final(error.into())
    }
}

impl Follower {
    pub(crate) fn new(log: Arc<dyn Storage>, options: &Options) -> Follower {
        Follower {
            log,
            delta_bytes: options.delta_bytes_max,
            ignore_damage: options.ignore_log_damage,
            state: Mutex::default(),
        }
    }

    /// A snapshot that contains every commit acknowledged so far.
    ///
    /// # Errors
    /// [`Error::Storage`]; [`Error::Log`] if the log is damaged.
    pub(crate) fn snapshot(
        &self,
        engine: &Engine,
        registry: &SnapshotRegistry,
    ) -> Result<Arc<SharedSnapshot>> {
        let mut state = self.state.lock();
        let mut damaged_at = None;
        let mut attempt = 0;
        loop {
            let failure = match self.attempt(&mut state, engine, registry) {
                Ok(snapshot) => return Ok(snapshot),
                Err(failure) => failure,
            };
            state.followed = None;
            attempt += 1;
            match failure {
                Failure::Final(error) => return Err(error),
                Failure::Damaged(position, error) if damaged_at == Some(position) => return Err(error),
                Failure::Damaged(position, _) => damaged_at = Some(position),
                Failure::Overtaken(error) if attempt >= ATTEMPTS_MAX => {
                    return self.engine_alone(&mut state, engine, registry, error);
                }
                Failure::Overtaken(_) => {}
            }
            std::thread::sleep(PAUSE * attempt.min(10));
        }
    }

    fn attempt(
        &self,
        state: &mut State,
        engine: &Engine,
        registry: &SnapshotRegistry,
    ) -> std::result::Result<Arc<SharedSnapshot>, Failure> {
        let version = engine.version();
        let known = state.followed.as_ref().and_then(|followed| followed.main.upgrade());
        let main = match known.filter(|main| main.version() == version) {
            Some(main) => main,
            None => Arc::new(engine.snapshot()?),
        };
        let base = journal::engine_state(&main).map_err(Failure::Final)?;
        let known = state.followed.take().filter(|followed| followed.goes_with(base, self.delta_bytes));
        let mut followed = match known {
            Some(followed) => Followed { base, ..followed },
            None => self.follow_from(base)?,
        };
        followed.read_on(self)?;
        if followed.last_seq < base.stored_seq {
            // What came between was trimmed before it was read, and is in the engine.
            followed = self.follow_from(base)?;
        }
        if engine.version() != main.version() {
            let now = journal::engine_state(&engine.snapshot()?).map_err(Failure::Final)?;
            // A log that was trimmed while it was read ends where the next part was reused, say.
            if now.bulk != base.bulk || now.stored_seq > followed.last_seq {
                return Err(overtaken());
            }
        }
        let seq = CommitSeq(followed.last_seq);
        if seq.0 < state.shown {
            // The log was trimmed while it was read, so the end that was found is none.
            return Err(overtaken());
        }
        let is_same = |snapshot: &Arc<SharedSnapshot>| {
            snapshot.commit_seq() == seq && snapshot.main().version() == main.version()
        };
        let snapshot = match followed.snapshot.upgrade().filter(is_same) {
            Some(snapshot) => snapshot,
            None => registry.adopt(seq, Some(&followed.delta), main.clone()),
        };
        followed.main = Arc::downgrade(&main);
        followed.snapshot = Arc::downgrade(&snapshot);
        state.shown = seq.0;
        state.followed = Some(followed);
        Ok(snapshot)
    }

    /// Reads the log from a state of the engine on.
    fn follow_from(&self, base: EngineState) -> std::result::Result<Followed, Failure> {
        let delta = Delta::new(self.delta_bytes);
        let mut last_seq = base.stored_seq;
        let opened = persea_wal::Follower::open(
            self.log.clone(),
            base.stored_seq,
            self.ignore_damage,
            receiver(&delta, &mut last_seq),
        );
        let log = opened.map_err(failure_of)?;
        if log.is_none() && base.needs_log && !self.ignore_damage {
            return Err(failure_of(persea_wal::Error::Damaged(Box::new(Damage::gone(base.stored_seq)))));
        }
        Ok(Followed { base, log, delta: Arc::new(delta), last_seq, main: Weak::new(), snapshot: Weak::new() })
    }

    /// What the engine has by itself, for when the writer is always faster than the log is read. It is a state as good as
    /// any other, if a little older; but never older than what was shown before.
    fn engine_alone(
        &self,
        state: &mut State,
        engine: &Engine,
        registry: &SnapshotRegistry,
        error: Error,
    ) -> Result<Arc<SharedSnapshot>> {
        let main = engine.snapshot()?;
        let seq = journal::engine_state(&main)?.stored_seq;
        // The log is trimmed of what the engine has by then.
        let is_hole = matches!(
            &error,
            Error::Log(persea_wal::Error::Trimmed { trimmed_to, .. }) if *trimmed_to > seq
        );
        if seq < state.shown || (is_hole && !self.ignore_damage) {
            return Err(error);
        }
        state.shown = seq;
        Ok(registry.adopt(CommitSeq(seq), None, Arc::new(main)))
    }
}

impl Followed {
    /// Whether the delta is right over another state of the engine too. It is after a checkpoint: what both have is the
    /// same in both. It isn't after a bulk commit, which is newer than what it covers.
    fn goes_with(&self, base: EngineState, delta_bytes_max: usize) -> bool {
        let has_only_news = base == self.base;
        base.bulk == self.base.bulk && (has_only_news || self.delta.memory_bytes() <= delta_bytes_max)
    }

    fn read_on(&mut self, follower: &Follower) -> std::result::Result<(), Failure> {
        match &mut self.log {
            Some(log) => log.read(receiver(&self.delta, &mut self.last_seq)).map_err(failure_of),
            // Somebody may have begun to write since.
            None => {
                *self = follower.follow_from(self.base)?;
                Ok(())
            }
        }
    }
}

/// Adds records to a delta, of which nobody else is the writer.
fn receiver<'a>(delta: &'a Delta, last_seq: &'a mut u64) -> impl FnMut(Record<'_>) -> Received + 'a {
    move |record| {
        journal::replay(delta, &record)?;
        *last_seq = record.commit;
        Ok(())
    }
}

fn failure_of(error: persea_wal::Error) -> Failure {
    match error {
        persea_wal::Error::Damaged(damage) => {
            Failure::Damaged(damage.position, persea_wal::Error::Damaged(damage).into())
        }
        persea_wal::Error::Io { ref source, .. } if source.kind() == ErrorKind::NotFound => {
            Failure::Overtaken(error.into())
        }
        persea_wal::Error::Trimmed { .. } => Failure::Overtaken(error.into()),
        error => Failure::Final(error.into()),
    }
}

fn overtaken() -> Failure {
    let text = "the writer is always ahead of reading its log; try again";
    Failure::Overtaken(persea_kv::Error::Io(std::io::Error::new(ErrorKind::ResourceBusy, text)).into())
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Follower").finish_non_exhaustive()
    }
}
