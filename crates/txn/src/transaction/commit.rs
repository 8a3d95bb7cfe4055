//! Commits: of the whole, and of a part of what a transaction has to write.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{State, Transaction};
use crate::journal::{Committed, Lacks};
use crate::manager::Shared;
use crate::write_set::Layers;
use crate::{CommitSeq, Durability, Error, Result};

impl Transaction {
    /// Makes all writes visible at once. Returns the commit's place in the order of all commits.
    ///
    /// # Errors
    /// [`Error::ReadOnly`](crate::Error::ReadOnly), [`Error::Storage`](crate::Error::Storage), after a deadlock
    /// [`Error::Deadlock`](crate::Error::Deadlock): nothing is visible then.
    /// [`Error::SyncFailed`](crate::Error::SyncFailed): the writes of a [`Durability::Synced`] commit are visible, and
    /// may or may not survive a power failure.
    pub fn commit(mut self, durability: Durability) -> Result<CommitSeq> {
        self.check_active()?;
        self.seal();
        let layers = std::mem::take(&mut self.layers);
        self.view = None;
        self.snapshot = None;
        if layers.is_empty() {
            self.finish(None);
            return Ok(self.reads_at);
        }
        let shared = self.shared.clone();
        let committed = self.publish(layers)?;
        self.finish(Some(committed.first));
        sync(&shared, committed, durability)?;
        Ok(committed.first)
    }

    /// Makes the writes so far visible at once, and goes on: an end of the transaction leaves them. Collections stay
    /// locked; keys are free for others. The savepoints so far become invalid.
    ///
    /// From then on it reads what everybody had committed by now, and views made before go on showing what they show.
    /// What others commit to a key after the transaction began is a conflict all the same, and what it commits itself
    /// is none. Returns the part's place in the order of all commits.
    ///
    /// # Errors
    /// As [`commit`](Transaction::commit). The transaction is rolled back then, but for the parts committed before, and
    /// what it is asked for later fails with [`Error::PartFailed`](crate::Error::PartFailed); so it does if the part
    /// succeeds and there is no snapshot to go on with.
    pub fn commit_part(&mut self, durability: Durability) -> Result<CommitSeq> {
        self.check_active()?;
        self.seal();
        self.savepoint_token = Arc::default();
        self.savepoints.clear();
        self.histories.clear();
        self.generation += 1;
        self.view = None;
        let layers = std::mem::take(&mut self.layers);
        if layers.is_empty() {
            return Ok(self.reads_at);
        }
        self.snapshot = None;
        self.write_part(layers, durability).inspect_err(|error| self.fail_with(error))
    }

    fn write_part(&mut self, layers: Layers, durability: Durability) -> Result<CommitSeq> {
        let shared = self.shared.clone();
        let committed = self.publish(layers)?;
        let seq = committed.first;
        let keys = std::mem::take(&mut self.locks);
        let horizon = shared.registry.horizon_of_others(self.begun_at);
        if horizon < seq {
            let parts = self.parts.get_or_insert_default();
            parts.extend(keys.iter().map(|key| (*key, seq)));
        }
        shared.locks.commit_keys(keys, seq, horizon);
        sync(&shared, committed, durability)?;
        match shared.snapshot() {
            Ok(snapshot) => {
                self.reads_at = snapshot.commit_seq();
                self.snapshot = Some(snapshot);
            }
            // The part is committed, whatever becomes of the rest.
            Err(error) => self.fail_with(&error),
        }
        Ok(seq)
    }

    fn fail_with(&mut self, error: &Error) {
        self.give_way();
        self.state = State::PartFailed(error.to_string().into());
    }

    /// Makes the layers visible as one commit, and has the keyspaces cleared in the background that go with it.
    fn publish(&mut self, layers: Layers) -> Result<Committed> {
        let committed = self.shared.pipeline.commit(&self.shared, layers)?;
        if !self.clears.is_empty() {
            self.shared.clears.push(self.clears.drain(..), committed.first);
            self.shared.bell.ring();
        }
        Ok(committed)
    }

    /// Ends the transaction after a commit, at `seq` if it has written something.
    fn finish(&mut self, seq: Option<CommitSeq>) {
        self.state = State::Finished;
        self.shared.counters.commits.fetch_add(1, Ordering::Relaxed);
        let horizon = self.shared.registry.end(self.begun_at);
        let locks = std::mem::take(&mut self.locks);
        match seq {
            Some(seq) => self.shared.locks.commit_keys(locks, seq, horizon),
            None => self.shared.locks.release_keys(&locks),
        }
        self.release_collections();
        self.shared.locks.prune(horizon);
    }
}

/// Waits until a commit is as durable as it should be.
fn sync(shared: &Shared, committed: Committed, durability: Durability) -> Result<()> {
    match (committed.lacks, durability) {
        (Lacks::NewLog, _) => {
            shared.bell.ring();
            Err(Error::SyncFailed("the log was given up meanwhile".into()))
        }
        (_, Durability::Buffered) => Ok(()),
        (_, Durability::Synced) => shared.pipeline.sync(committed).inspect_err(|_| shared.bell.ring()),
    }
}
