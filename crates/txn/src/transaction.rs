//! One transaction: its snapshot, its writes, its locks and its savepoints.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ahash::RandomState;
use hashbrown::HashMap;
use persea_kv::Tree;
use smallvec::SmallVec;

use crate::clearing::ClearTask;
use crate::keyspace::{MAX_KEY_BYTES, PREFIX_BYTES, RESERVED_KEYSPACE, full_key};
use crate::locks::{IfTaken, LockAttempt, LockKey, Ticket, TransactionId, WaitOutcome};
use crate::manager::Shared;
use crate::snapshots::SharedSnapshot;
use crate::write_set::{Buffer, BufferMark, Layer, Layers, RawBuffer};
use crate::{
    CommitSeq, Durability, Error, Interrupt, LockMode, LockTimeouts, ReadView, Result, TransactionOptions,
    view,
};

/// A unit of work: reads a snapshot and its own writes, and becomes visible as a whole or not at all.
///
/// Dropping it aborts it. It may move between threads; its views may outlive it.
#[derive(Debug)]
pub struct Transaction {
    shared: Arc<Shared>,
    id: TransactionId,
    /// What others commit after this conflicts with what it writes.
    begun_at: CommitSeq,
    /// The newest commit that it reads: later than `begun_at` once it has committed a part.
    reads_at: CommitSeq,
    /// Let go of before the commit is written, so that the storage isn't held back by its own writer.
    snapshot: Option<Arc<SharedSnapshot>>,
    buffer: Buffer,
    /// Names the buffer that savepoints refer to; changes when it is sealed.
    generation: u64,
    layers: Layers,
    view: Option<ReadView>,
    locks: Vec<LockKey>,
    /// Each with the strongest mode that it is held in.
    locked_collections: SmallVec<[(u64, LockMode); 4]>,
    lock_timeouts: LockTimeouts,
    /// What is left of the wait for keys that several calls share; see [`Transaction::share_waits_for_keys`].
    shared_key_wait: Option<Duration>,
    /// Ends its waits.
    interrupt: Option<Interrupt>,
    /// The keys of its parts that have to be remembered for others.
    parts: Option<Box<Parts>>,
    clears: Vec<ClearTask>,
    /// Most bytes of keys and values that it may write.
    write_bytes_max: u64,
    /// Shared with savepoints, so its count tells whether any is left.
    savepoint_token: Arc<()>,
    /// Numbers of the savepoints that no rollback has discarded, ascending; dropped ones may be among them.
    savepoints: Vec<u64>,
    next_savepoint: u64,
    /// Histories of sealed buffers that savepoints may refer to, by generation.
    histories: Vec<(u64, RawBuffer)>,
    state: State,
}

/// The commit of each key of the parts that a transaction has committed.
type Parts = HashMap<LockKey, CommitSeq, RandomState>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Active,
    /// Rolled back to end a deadlock; everything given back.
    Deadlocked,
    /// Its snapshot was too old to go on; everything given back.
    Expired(Duration),
    /// A part could not be committed, for this reason; everything given back.
    PartFailed(Box<str>),
    Finished,
}

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
    pub(crate) fn begin(shared: Arc<Shared>, options: &TransactionOptions) -> Result<Transaction> {
        let mut transaction = Transaction {
            id: shared.next_transaction_id(),
            begun_at: CommitSeq(0),
            reads_at: CommitSeq(0),
            snapshot: None,
            buffer: Buffer::default(),
            generation: 0,
            layers: Layers::default(),
            view: None,
            locks: Vec::new(),
            locked_collections: SmallVec::new(),
            interrupt: options.interrupt.clone(),
            parts: None,
            lock_timeouts: options.lock_timeouts.unwrap_or(shared.options.lock_timeouts),
            shared_key_wait: None,
            write_bytes_max: options.bytes_max.unwrap_or(shared.options.transaction_bytes_max),
            clears: Vec::new(),
            savepoint_token: Arc::default(),
            savepoints: Vec::new(),
            next_savepoint: 0,
            histories: Vec::new(),
            // Until the snapshot is taken there is nothing that an abort would have to undo but the locks.
            state: State::Deadlocked,
            shared,
        };
        transaction.lock_declared(&options.collections)?;
        let snapshot = transaction.shared.begin_snapshot()?;
        transaction.begun_at = snapshot.commit_seq();
        transaction.reads_at = snapshot.commit_seq();
        transaction.snapshot = Some(snapshot);
        transaction.state = State::Active;
        Ok(transaction)
    }

    /// Locks collections in the one order that all transactions keep.
    fn lock_declared(&mut self, collections: &[(u64, LockMode)]) -> Result<()> {
        if let [] | [_] = collections {
            return collections
                .iter()
                .try_for_each(|(collection, mode)| self.take_collection(*collection, *mode));
        }
        let mut collections = collections.to_vec();
        collections.sort_unstable_by(|left, right| (left.0, right.1).cmp(&(right.0, left.1)));
        collections.dedup_by_key(|(collection, _)| *collection);
        collections.into_iter().try_for_each(|(collection, mode)| self.take_collection(collection, mode))
    }

    /// Number of the transaction, unique while the manager is open.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The newest commit that the transaction sees.
    pub fn snapshot_seq(&self) -> CommitSeq {
        self.reads_at
    }

    /// Whether it can go on: false after a deadlock, or after a part of it could not be committed.
    pub fn is_active(&self) -> bool {
        self.state == State::Active
    }

    /// Has another [`Interrupt`], or none, end its waits from now on; returns the one before.
    pub fn set_interrupt(&mut self, interrupt: Option<Interrupt>) -> Option<Interrupt> {
        std::mem::replace(&mut self.interrupt, interrupt)
    }

    /// Sets a key. Takes part in conflict detection only together with [`Transaction::lock_key`].
    ///
    /// # Errors
    /// [`Error::KeyTooLong`], [`Error::ValueTooLong`], [`Error::KeyspaceReserved`], [`Error::TransactionTooLarge`];
    /// the key keeps its value then.
    pub fn put(&mut self, tree: Tree, keyspace: u64, key: &[u8], value: &[u8]) -> Result<()> {
        if value.len() > persea_kv::MAX_VALUE_BYTES {
            return Err(Error::ValueTooLong { value_bytes: value.len() });
        }
        self.write(tree, keyspace, key, Some(value))
    }

    /// Deletes a key, whether it exists or not.
    ///
    /// # Errors
    /// Like [`Transaction::put`].
    pub fn delete(&mut self, tree: Tree, keyspace: u64, key: &[u8]) -> Result<()> {
        self.write(tree, keyspace, key, None)
    }

    fn write(&mut self, tree: Tree, keyspace: u64, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        self.check_active()?;
        self.shared.check_writable()?;
        if keyspace == RESERVED_KEYSPACE {
            return Err(Error::KeyspaceReserved(keyspace));
        }
        if key.len() > MAX_KEY_BYTES {
            return Err(Error::KeyTooLong { key_bytes: key.len() });
        }
        let limit_bytes = self.write_bytes_max;
        if limit_bytes != u64::MAX {
            let more_bytes = key.len() + value.map_or(0, <[u8]>::len);
            if (self.write_bytes() + more_bytes) as u64 > limit_bytes {
                return Err(Error::TransactionTooLarge { limit_bytes });
            }
        }
        self.buffer.put(tree, keyspace, key, value);
        Ok(())
    }

    #[inline]
    fn check_active(&self) -> Result<()> {
        if self.state == State::Active { Ok(()) } else { Err(self.end_reason()) }
    }

    /// Why it can't go on.
    #[cold]
    fn end_reason(&self) -> Error {
        match &self.state {
            State::Active | State::Deadlocked | State::Finished => Error::Deadlock,
            State::Expired(age_max) => Error::SnapshotTooOld { age_max: *age_max },
            State::PartFailed(cause) => Error::PartFailed(cause.clone()),
        }
    }

    /// Lowers the most bytes that it may write below [`Options::transaction_bytes_max`](crate::Options); a higher limit
    /// changes nothing.
    pub fn limit_write_bytes(&mut self, bytes_max: u64) {
        self.write_bytes_max = self.write_bytes_max.min(bytes_max);
    }

    /// Fails as the last of several puts and deletes would, but before the first. `size` tells how many they are, and
    /// how many bytes of keys and values; it is only asked when there is a limit.
    ///
    /// # Errors
    /// [`Error::TransactionTooLarge`].
    pub fn check_room(&self, size: impl FnOnce() -> (usize, usize)) -> Result<()> {
        let limit_bytes = self.write_bytes_max;
        if limit_bytes == u64::MAX {
            return Ok(());
        }
        let (n_writes, data_bytes) = size();
        let more_bytes = data_bytes.saturating_add(n_writes.saturating_mul(PREFIX_BYTES));
        if self.write_bytes().saturating_add(more_bytes) as u64 > limit_bytes {
            return Err(Error::TransactionTooLarge { limit_bytes });
        }
        Ok(())
    }

    /// Bytes of keys and values written so far, overwritten ones included.
    pub fn write_bytes(&self) -> usize {
        self.buffer.data_bytes() + self.layers.iter().map(|layer| layer.data_bytes()).sum::<usize>()
    }

    /// Value of a key as this transaction sees it now, its own writes included.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Deadlock`] after one.
    pub fn get(&self, tree: Tree, keyspace: u64, key: &[u8]) -> Result<Option<&[u8]>> {
        self.check_active()?;
        let full = full_key(keyspace, key);
        if let Some(written) = self.buffer.get(tree, &full) {
            return Ok(written);
        }
        match &self.snapshot {
            Some(snapshot) => view::get(snapshot, &self.layers, tree, &full),
            None => Ok(None),
        }
    }

    /// An immutable view of what the transaction sees now: writes made later don't show in it.
    ///
    /// The writes since the last view are sealed into a sorted layer, so views are made per statement or batch rather
    /// than per write; without new writes it is the same view again.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Deadlock`] after one; [`Error::SnapshotTooOld`], and everything is rolled back then.
    pub fn view(&mut self) -> Result<ReadView> {
        self.check_active()?;
        self.check_age()?;
        self.seal();
        if let Some(view) = &self.view {
            return Ok(view.clone());
        }
        let snapshot = match &self.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => self.shared.snapshot()?,
        };
        let view = ReadView::new(snapshot, self.layers.clone());
        self.view = Some(view.clone());
        Ok(view)
    }

    /// Gives everything back if the snapshot has become too old.
    fn check_age(&mut self) -> Result<()> {
        let checked = self.snapshot.as_ref().map_or(Ok(()), |snapshot| snapshot.check_age());
        if let Err(Error::SnapshotTooOld { age_max }) = checked {
            self.give_way();
            self.state = State::Expired(age_max);
        }
        checked
    }

    fn has_savepoints(&self) -> bool {
        Arc::strong_count(&self.savepoint_token) > 1
    }

    fn seal(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let layer = if self.has_savepoints() {
            let (layer, history) = self.buffer.seal_keeping_marks();
            self.histories.push((self.generation, history));
            layer
        } else {
            self.histories.clear();
            self.buffer.seal()
        };
        self.generation += 1;
        self.view = None;
        self.layers = with_layer(&self.layers, layer);
    }

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

    /// Takes a key for this transaction, so that of two concurrent transactions that change it one fails.
    ///
    /// While another active transaction holds the key, waits in a fair queue until it ends, at most for
    /// [`LockTimeouts::key`]. If it commits, the key is in conflict; if it aborts, the next in the queue has the key.
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
        let outcome = match self.shared.locks.lock_key(lock_key, self.id, self.seen(lock_key), if_taken) {
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
    /// [`Error::LockTimeout`] after [`LockTimeouts::collection`]; [`Error::Deadlock`] if the wait would never end and
    /// this transaction was chosen to give way; [`Error::Interrupted`].
    #[inline]
    pub fn lock_collection(&mut self, collection: u64, mode: LockMode) -> Result<()> {
        self.check_active()?;
        self.take_collection(collection, mode)
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

    fn take_collection(&mut self, collection: u64, mode: LockMode) -> Result<()> {
        let held = self.locked_collections.iter().position(|(locked, _)| *locked == collection);
        let held_mode =
            held.and_then(|position| self.locked_collections.get(position)).map(|(_, mode)| *mode);
        if mode == LockMode::Read || held_mode.is_some_and(|held| held >= mode) {
            return Ok(());
        }
        match self.shared.locks.lock_collection(collection, mode, self.id) {
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
        let outcome = ticket.wait_until(deadline).or_else(|| locks.give_up(self.id, ticket));
        if outcome.is_none() && ticket.is_interrupted() {
            return Err(if locks.is_stopped() { Error::Stopping } else { Error::Interrupted });
        }
        Ok(outcome)
    }

    /// Rolls everything back so that the other transactions of a deadlock can go on.
    fn give_way(&mut self) {
        let was_active = self.state == State::Active;
        self.state = State::Deadlocked;
        self.buffer = Buffer::default();
        self.generation += 1;
        self.layers = Layers::default();
        self.histories.clear();
        self.savepoints.clear();
        self.clears.clear();
        self.parts = None;
        self.end(was_active);
    }

    /// Gives back what an unfinished transaction holds.
    fn end(&mut self, was_active: bool) {
        self.shared.counters.aborts.fetch_add(1, Ordering::Relaxed);
        self.snapshot = None;
        self.view = None;
        self.shared.locks.release_keys(&std::mem::take(&mut self.locks));
        self.release_collections();
        if was_active {
            let horizon = self.shared.registry.end(self.begun_at);
            self.shared.locks.prune(horizon);
        }
    }

    fn release_collections(&mut self) {
        let collections = std::mem::take(&mut self.locked_collections);
        self.shared
            .locks
            .release_collections(collections.into_iter().map(|(collection, _)| collection), self.id);
    }

    /// Retires a keyspace with this transaction's commit; see
    /// [`TransactionManager::clear_keyspace`](crate::TransactionManager::clear_keyspace).
    ///
    /// # Errors
    /// [`Error::KeyspaceReserved`], [`Error::Deadlock`] after one.
    pub fn clear_keyspace(&mut self, tree: Tree, keyspace: u64) -> Result<()> {
        self.check_active()?;
        self.shared.check_writable()?;
        if keyspace == RESERVED_KEYSPACE {
            return Err(Error::KeyspaceReserved(keyspace));
        }
        let task = ClearTask { tree, keyspace };
        self.buffer.put(Tree::Meta, RESERVED_KEYSPACE, &task.marker(), Some(&[]));
        self.clears.push(task);
        Ok(())
    }

    /// True if nothing was written.
    pub fn is_read_only(&self) -> bool {
        self.buffer.is_empty() && self.layers.is_empty()
    }

    /// Makes all writes visible at once. Returns the commit's place in the order of all commits.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Storage`], [`Error::Deadlock`] after one: nothing is visible then.
    /// [`Error::SyncFailed`]: the writes of a [`Durability::Synced`] commit are visible, and may or may not survive a
    /// power failure.
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
        let committed = shared.pipeline.commit(&shared, layers)?;
        let seq = committed.first;
        if !self.clears.is_empty() {
            shared.clears.push(self.clears.drain(..), seq);
            shared.bell.ring();
        }
        self.finish(Some(seq));
        if durability == Durability::Synced {
            shared.pipeline.sync(committed).inspect_err(|_| shared.bell.ring())?;
        }
        Ok(seq)
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
    /// what it is asked for later fails with [`Error::PartFailed`].
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
        self.write_part(layers, durability).inspect_err(|error| {
            self.give_way();
            self.state = State::PartFailed(error.to_string().into());
        })
    }

    fn write_part(&mut self, layers: Layers, durability: Durability) -> Result<CommitSeq> {
        let shared = self.shared.clone();
        let committed = shared.pipeline.commit(&shared, layers)?;
        let seq = committed.first;
        if !self.clears.is_empty() {
            shared.clears.push(self.clears.drain(..), seq);
            shared.bell.ring();
        }
        let keys = std::mem::take(&mut self.locks);
        let horizon = shared.registry.horizon_of_others(self.begun_at);
        if horizon < seq {
            let parts = self.parts.get_or_insert_default();
            parts.extend(keys.iter().map(|key| (*key, seq)));
        }
        shared.locks.commit_keys(keys, seq, horizon);
        if durability == Durability::Synced {
            shared.pipeline.sync(committed).inspect_err(|_| shared.bell.ring())?;
        }
        let snapshot = shared.snapshot()?;
        self.reads_at = snapshot.commit_seq();
        self.snapshot = Some(snapshot);
        Ok(seq)
    }

    /// Forgets all writes. Dropping the transaction does the same.
    pub fn abort(self) {
        drop(self);
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

impl Drop for Transaction {
    fn drop(&mut self) {
        match self.state {
            State::Active => self.end(true),
            // Nothing is left unless it could not even begin.
            State::Deadlocked | State::Expired(_) | State::PartFailed(_) => {
                self.shared.locks.release_keys(&std::mem::take(&mut self.locks));
                self.release_collections();
            }
            State::Finished => {}
        }
    }
}

/// Puts a layer on top. Layers that are not much larger than what comes above them are merged with it, so their
/// number stays logarithmic in the number of writes, and so does how often a write is copied.
fn with_layer(layers: &Layers, layer: Layer) -> Layers {
    let mut top = layer;
    let mut below: &[Arc<Layer>] = layers;
    while let Some((last, rest)) = below.split_last() {
        if last.entries() > 2 * top.entries() {
            break;
        }
        top = Layer::merge(last, &top);
        below = rest;
    }
    below.iter().cloned().chain(std::iter::once(Arc::new(top))).collect()
}
