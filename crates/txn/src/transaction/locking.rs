//! What a transaction locks, and how it waits for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Transaction;
use crate::locks::{IfTaken, LockAttempt, LockKey, OTHER_LOCKS, Ticket, WaitOutcome};
use crate::{CommitSeq, Error, LockMode, Result};

impl Transaction {
    /// Takes a key for this transaction, so that of two concurrent transactions that change it one fails.
    ///
    /// While another active transaction holds the key, waits in a fair queue until it ends, at most for
    /// [`LockTimeouts::key`](crate::LockTimeouts::key). If it commits, the key is in conflict; if it aborts, the next in
    /// the queue has the key.
    /// Keys stay locked until the end of the transaction, or until a rollback to an earlier savepoint.
    ///
    /// # Errors
    /// [`Error::Conflict`] if someone has committed the key after this transaction's snapshot, or the holder did not
    /// end in time; [`Error::Deadlock`] if the wait would never end and this transaction was chosen to give way;
    /// [`Error::Interrupted`].
    pub fn lock_key(&mut self, keyspace: u64, key: &[u8]) -> Result<()> {
        self.check_active()?;
        let lock_key = LockKey::new(keyspace, key);
        let timeout = self.shared_key_wait.unwrap_or(self.lock_timeouts.key);
        let if_taken = if timeout.is_zero() { IfTaken::Fail } else { IfTaken::Queue };
        let outcome = match self.shared.locks.lock_key(lock_key, &self.owner, self.seen(lock_key), if_taken) {
            LockAttempt::AlreadyHeld => return Ok(()),
            LockAttempt::Acquired => Some(WaitOutcome::Granted),
            LockAttempt::Conflict => Some(WaitOutcome::Conflict),
            LockAttempt::Queued(ticket) => {
                let begun = Instant::now();
                let outcome = self.wait(&ticket, timeout)?;
                if let Some(left) = &mut self.shared_key_wait {
                    *left = left.saturating_sub(begun.elapsed());
                }
                outcome
            }
        };
        match outcome {
            Some(WaitOutcome::Granted) => {
                self.locks.push(lock_key);
                Ok(())
            }
            Some(WaitOutcome::Deadlock) => {
                self.give_way();
                Err(Error::Deadlock)
            }
            Some(WaitOutcome::Conflict) | None => {
                self.shared.counters.conflicts.fetch_add(1, Ordering::Relaxed);
                Err(Error::Conflict { keyspace, key: key.into() })
            }
        }
    }

    /// From now on, all waits for keys together take no longer than one may take, until this is called again with
    /// false: for calls that lock many keys, each of which somebody may hold.
    pub fn share_waits_for_keys(&mut self, is_shared: bool) {
        self.shared_key_wait = is_shared.then_some(self.lock_timeouts.key);
    }

    /// The newest commit of a key that is none of others behind this transaction's back.
    #[inline]
    fn seen(&self, key: LockKey) -> CommitSeq {
        let own = self.parts.as_ref().and_then(|parts| parts.get(&key));
        own.map_or(self.begun_at, |own| self.begun_at.max(*own))
    }

    /// Takes a collection in at least this mode, in addition to those locked up front; `collection` is any number that
    /// all transactions agree on. It stays locked until the end of the transaction.
    ///
    /// # Errors
    /// [`Error::LockTimeout`] after [`LockTimeouts::collection`](crate::LockTimeouts::collection); [`Error::Deadlock`] if
    /// the wait would never end and this transaction was chosen to give way; [`Error::Interrupted`].
    #[inline]
    pub fn lock_collection(&mut self, collection: u64, mode: LockMode) -> Result<()> {
        self.check_active()?;
        self.take_collection(collection, mode)
    }

    /// The strongest mode in which it has locked a collection; [`LockMode::Read`] if it has not.
    pub fn lock_mode(&self, collection: u64) -> LockMode {
        let locked = self.locked_collections.iter().find(|(locked, _)| *locked == collection);
        locked.map_or(LockMode::Read, |(_, mode)| *mode)
    }

    /// Takes several collections in the one order that all transactions keep; of several modes for one the strongest
    /// counts.
    ///
    /// # Errors
    /// As [`lock_collection`](Transaction::lock_collection); those before the one that failed stay locked.
    pub fn lock_collections(&mut self, collections: &[(u64, LockMode)]) -> Result<()> {
        self.check_active()?;
        self.lock_declared(collections)
    }

    /// Locks collections in the one order that all transactions keep.
    pub(super) fn lock_declared(&mut self, collections: &[(u64, LockMode)]) -> Result<()> {
        if let [] | [_] = collections {
            return collections
                .iter()
                .try_for_each(|(collection, mode)| self.take_collection(*collection, *mode));
        }
        let mut collections = collections.to_vec();
        let place = |number: u64| (number < OTHER_LOCKS, number);
        collections.sort_unstable_by(|left, right| (place(left.0), right.1).cmp(&(place(right.0), left.1)));
        collections.dedup_by_key(|(collection, _)| *collection);
        collections.into_iter().try_for_each(|(collection, mode)| self.take_collection(collection, mode))
    }

    fn take_collection(&mut self, collection: u64, mode: LockMode) -> Result<()> {
        let held = self.locked_collections.iter().position(|(locked, _)| *locked == collection);
        let held_mode =
            held.and_then(|position| self.locked_collections.get(position)).map(|(_, mode)| *mode);
        if mode == LockMode::Read || held_mode.is_some_and(|held| held >= mode) {
            return Ok(());
        }
        match self.shared.locks.lock_collection(collection, mode, &self.owner) {
            LockAttempt::AlreadyHeld | LockAttempt::Acquired => {}
            LockAttempt::Conflict => {
                return Err(Error::LockTimeout { collection, waited: Duration::ZERO });
            }
            LockAttempt::Queued(ticket) => self.wait_for_collection(collection, &ticket)?,
        }
        match held.and_then(|position| self.locked_collections.get_mut(position)) {
            Some((_, held)) => *held = mode,
            None => self.locked_collections.push((collection, mode)),
        }
        Ok(())
    }

    #[cold]
    fn wait_for_collection(&mut self, collection: u64, ticket: &Arc<Ticket>) -> Result<()> {
        let begun = Instant::now();
        match self.wait(ticket, self.lock_timeouts.collection)? {
            Some(WaitOutcome::Granted) => Ok(()),
            Some(WaitOutcome::Deadlock) => {
                self.give_way();
                Err(Error::Deadlock)
            }
            Some(WaitOutcome::Conflict) | None => {
                Err(Error::LockTimeout { collection, waited: begun.elapsed() })
            }
        }
    }

    /// Waits for a ticket's outcome; `None` when it took too long.
    fn wait(&self, ticket: &Arc<Ticket>, timeout: Duration) -> Result<Option<WaitOutcome>> {
        let _watched = self.interrupt.as_ref().map(|interrupt| interrupt.watch(ticket));
        let locks = &self.shared.locks;
        let deadline = Instant::now().checked_add(timeout);
        let outcome = ticket.wait_until(deadline).or_else(|| locks.give_up(self.owner.id, ticket));
        if outcome.is_none() && ticket.is_interrupted() {
            return Err(if locks.is_stopped() { Error::Stopping } else { Error::Interrupted });
        }
        Ok(outcome)
    }

    /// Gives all collections back.
    pub(super) fn release_collections(&mut self) {
        let collections = std::mem::take(&mut self.locked_collections);
        self.shared
            .locks
            .release_collections(collections.into_iter().map(|(collection, _)| collection), self.owner.id);
    }
}
