//! Savepoints: coming back to an earlier point within a transaction.

use std::sync::Arc;

use super::Transaction;
use crate::write_set::{BufferMark, Layers};
use crate::{Error, Result};

/// A point within a transaction to come back to; see [`Transaction::savepoint`].
#[derive(Debug)]
pub struct Savepoint {
    number: u64,
    generation: u64,
    mark: BufferMark,
    layers: Layers,
    n_locks: usize,
    n_clears: usize,
    token: Arc<()>,
}

impl Transaction {
    /// Marks a point to which [`Transaction::rollback_to`] can return, any number of times.
    ///
    /// Savepoints nest: a rollback makes those invalid that were made after the one it returns to. Dropping a
    /// savepoint keeps the writes.
    pub fn savepoint(&mut self) -> Savepoint {
        if !self.has_savepoints() {
            self.histories.clear();
            self.savepoints.clear();
        }
        let number = self.next_savepoint;
        self.next_savepoint += 1;
        self.savepoints.push(number);
        Savepoint {
            number,
            generation: self.generation,
            mark: self.buffer.mark(),
            layers: self.layers.clone(),
            n_locks: self.locks.len(),
            n_clears: self.clears.len(),
            token: self.savepoint_token.clone(),
        }
    }

    /// Undoes the writes made, and gives back the keys locked, since the savepoint. Collections stay locked. Views made
    /// meanwhile keep what they show.
    ///
    /// # Errors
    /// [`Error::SavepointInvalid`], [`Error::Deadlock`] after one.
    pub fn rollback_to(&mut self, savepoint: &Savepoint) -> Result<()> {
        self.check_active()?;
        let is_ours = Arc::ptr_eq(&savepoint.token, &self.savepoint_token);
        let position = self.savepoints.binary_search(&savepoint.number);
        let (true, Ok(position)) = (is_ours, position) else { return Err(Error::SavepointInvalid) };
        if savepoint.generation == self.generation {
            if !self.buffer.roll_back_to(&savepoint.mark) {
                return Err(Error::SavepointInvalid);
            }
        } else {
            self.restore_sealed(savepoint)?;
        }
        self.savepoints.truncate(position + 1);
        self.shared.locks.release_keys(&self.locks.split_off(savepoint.n_locks.min(self.locks.len())));
        self.clears.truncate(savepoint.n_clears);
        Ok(())
    }

    /// Returns to a savepoint whose buffer was sealed since: rebuilds that buffer on the layers it had below.
    fn restore_sealed(&mut self, savepoint: &Savepoint) -> Result<()> {
        let history = self.histories.iter().find(|(generation, _)| *generation == savepoint.generation);
        let Some((_, history)) = history else { return Err(Error::SavepointInvalid) };
        self.buffer = history.rebuild(&savepoint.mark);
        // The savepoint goes on referring to the history; the rebuilt buffer is another one.
        self.generation += 1;
        self.layers = savepoint.layers.clone();
        self.view = None;
        Ok(())
    }

    /// Whether any savepoint is left.
    pub(super) fn has_savepoints(&self) -> bool {
        Arc::strong_count(&self.savepoint_token) > 1
    }
}
