//! The note in the engine that there are commits which only the log has.
//!
//! It is written before the first of them is logged, and taken back at the end, when the engine has all of them. So a log
//! that is gone as a whole is missed at the next opening, where one that was not needed any more is begun anew. A
//! database of an earlier version has no note, and opens as it always did.

use persea_kv::{Engine, Store, Write};

use super::checkpoint::{as_refusal, with_room};
use super::{CommitState, Journal, LOG_NOTE_KEY, STORED_SEQ_TREE};
use crate::keyspace::{RESERVED_KEYSPACE, full_key};
use crate::primitives::{Mutex, MutexGuard};
use crate::snapshots::SnapshotRegistry;
use crate::{Error, Result};

/// What the journal knows of the note.
#[derive(Debug, Default)]
pub(super) struct LogNote {
    /// Why it could not be written, until it could.
    failure: Mutex<Option<Box<str>>>,
}

impl LogNote {
    /// # Errors
    /// [`Error::ReadOnly`] if it could not be written.
    pub(super) fn check(&self) -> Result<()> {
        self.failure.lock().clone().map_or(Ok(()), |reason| Err(Error::ReadOnly(reason)))
    }
}

impl Journal {
    /// The state of committing, with the log noted.
    ///
    /// # Errors
    /// [`Error::ReadOnly`] if it can't be noted.
    pub(super) fn lock_for_append(&self, registry: &SnapshotRegistry) -> Result<MutexGuard<'_, CommitState>> {
        loop {
            let state = self.commit.lock();
            if state.is_log_noted {
                return Ok(state);
            }
            drop(state);
            self.note_log(registry)?;
        }
    }

    /// Tries again if the note could not be written. Does nothing otherwise.
    ///
    /// # Errors
    /// As of [`lock_for_append`](Journal::lock_for_append).
    pub(super) fn retry_note(&self, registry: &SnapshotRegistry) -> Result<()> {
        if self.log_note.check().is_err() { self.note_log(registry) } else { Ok(()) }
    }

    fn note_log(&self, registry: &SnapshotRegistry) -> Result<()> {
        let _writer = self.engine_writer.lock();
        let last_seq = {
            let state = self.commit.lock();
            if state.is_log_noted {
                return Ok(());
            }
            state.last_seq
        };
        let value = last_seq.to_be_bytes();
        let written = write_note(&self.engine, registry, Some(&value)).map_err(as_refusal);
        let reason = written.as_ref().err().map(|error| match error {
            Error::ReadOnly(reason) => reason.clone(),
            error => error.to_string().into(),
        });
        *self.log_note.failure.lock() = reason;
        written?;
        self.commit.lock().is_log_noted = true;
        Ok(())
    }

    /// Takes the note back, unless there has been a commit since the last checkpoint.
    ///
    /// # Errors
    /// [`Error::Storage`]; the note stays.
    pub(super) fn forget_log(&self, registry: &SnapshotRegistry) -> Result<()> {
        let _writer = self.engine_writer.lock();
        // Held until it is written, so that no commit relies on a note that is about to go.
        let mut state = self.commit.lock();
        if state.is_log_noted && state.last_seq <= self.checkpointed().0 {
            write_note(&self.engine, registry, None)?;
            state.is_log_noted = false;
        }
        Ok(())
    }
}

fn write_note(engine: &Engine, registry: &SnapshotRegistry, value: Option<&[u8]>) -> Result<()> {
    with_room(engine, registry, 0, || write(engine, value))
}

fn write(engine: &Engine, value: Option<&[u8]>) -> persea_kv::Result<()> {
    let key = full_key(RESERVED_KEYSPACE, LOG_NOTE_KEY);
    let note = match value {
        Some(value) => Write::put(STORED_SEQ_TREE, &key, value),
        None => Write::delete(STORED_SEQ_TREE, &key),
    };
    engine.write(std::iter::once(note))?;
    engine.sync()
}

/// Takes the note out of a copy, which needs no log.
///
/// # Errors
/// [`Error::Storage`].
pub(crate) fn forget_log_in(copy: &Engine) -> Result<()> {
    Ok(write(copy, None)?)
}
