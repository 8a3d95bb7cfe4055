//! One transaction: its snapshot, its writes, and how it ends.

mod commit;
mod hold;
mod locking;
mod savepoint;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ahash::RandomState;
use hashbrown::HashMap;
use persea_kv::{Direction, Tree};
use smallvec::SmallVec;

pub use self::hold::Hold;
pub use self::savepoint::Savepoint;

use crate::clearing::ClearTask;
use crate::keyspace::{FullBounds, MAX_KEY_BYTES, PREFIX_BYTES, RESERVED_KEYSPACE, full_key, strip};
use crate::locks::{LockKey, LockOwner};
use crate::manager::Shared;
use crate::snapshots::SharedSnapshot;
use crate::write_set::{Buffer, Layer, Layers, RawBuffer};
use crate::{
    CommitSeq, Error, Interrupt, LockMode, LockTimeouts, ReadView, Result, TransactionOptions, view,
};

/// A unit of work: reads a snapshot and its own writes, and becomes visible as a whole or not at all.
///
/// Dropping it aborts it. It may move between threads; its views may outlive it.
#[derive(Debug)]
pub struct Transaction {
    shared: Arc<Shared>,
    owner: LockOwner,
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

impl Transaction {
    pub(crate) fn begin(shared: Arc<Shared>, options: &TransactionOptions) -> Result<Transaction> {
        let mut transaction = Transaction::without_snapshot(shared, options)?;
        let snapshot = transaction.shared.begin_snapshot()?;
        transaction.begun_at = snapshot.commit_seq();
        transaction.reads_at = snapshot.commit_seq();
        transaction.snapshot = Some(snapshot);
        transaction.state = State::Active;
        Ok(transaction)
    }

    /// One that holds what it is to lock up front, and can't be used until it has a snapshot.
    fn without_snapshot(shared: Arc<Shared>, options: &TransactionOptions) -> Result<Transaction> {
        let mut transaction = Transaction {
            owner: LockOwner {
                id: shared.next_transaction_id(),
                inside_of: options.inside_of.clone(),
                yields: options.yields,
            },
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
        Ok(transaction)
    }

    /// Number of the transaction, unique while the manager is open.
    pub fn id(&self) -> u64 {
        self.owner.id
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

    /// Calls `found` with each key of a keyspace that the transaction has put or deleted, in no order; a key may come
    /// more than once.
    pub fn for_each_written(&mut self, tree: Tree, keyspace: u64, mut found: impl FnMut(&[u8])) {
        self.seal();
        let bounds = FullBounds::whole(keyspace);
        for layer in self.layers.iter() {
            let mut written = layer.range(tree, bounds.borrow());
            while let Some((key, _)) = written.head(Direction::Forward) {
                found(strip(key));
                written.advance(Direction::Forward);
            }
        }
    }

    /// True if nothing was written.
    pub fn is_read_only(&self) -> bool {
        self.buffer.is_empty() && self.layers.is_empty()
    }

    /// Forgets all writes. Dropping the transaction does the same.
    pub fn abort(self) {
        drop(self);
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
