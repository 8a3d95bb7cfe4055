//! A transaction on the collections of one server.

use std::sync::Arc;

use parking_lot::{RwLockReadGuard, RwLockWriteGuard};
use persea_kv::Tree;
use persea_txn::{CommitSeq, Durability, Interrupt, LockMode, TransactionOptions};
use persea_vpack::Slice;
use smallvec::SmallVec;

use super::scratch::Scratch;
use crate::collection::Collection;
use crate::counts::{Counter, Totals};
use crate::definition::Definition;
use crate::error::{Error, Result, is_visible};
use crate::estimates::EstimateChange;
use crate::keyspaces::{META_COLLECTIONS, read_u64};
use crate::read::View;
use crate::revision::Revision;
use crate::shared::Shared;

/// Far below the number of stamps a millisecond has room for.
const STAMPS_PER_CLOCK_READ: u32 = 64;

/// A transaction: reads its own writes, and is written as a whole by [`commit`](Self::commit) or not at all.
///
/// Every document operation either happens completely or leaves the transaction as it was, so a failed operation
/// does not spoil the ones before it. Dropping a transaction aborts it.
#[derive(Debug)]
pub struct Transaction {
    pub(crate) inner: persea_txn::Transaction,
    pub(crate) shared: Arc<Shared>,
    pub(crate) scratch: Scratch,
    touched: Vec<Touched>,
    /// Changes of selectivity estimates: position in `touched`, position of the index, the change.
    pub(super) estimate_changes: Vec<(u32, u32, EstimateChange)>,
    must_sync: bool,
    n_stamps: u32,
}

/// What a transaction did to one collection.
#[derive(Debug)]
struct Touched {
    collection: Arc<Collection>,
    definition: Arc<Definition>,
    count: i64,
    revision: Revision,
    is_written: bool,
}

impl Touched {
    /// Fails when what the transaction wrote no longer fits the collection.
    fn check_definition(&self) -> Result<()> {
        self.collection.check_exists()?;
        if self.collection.definition().generation != self.definition.generation {
            let name = &self.definition.name;
            return Err(Error::DefinitionChanged(format!("the definition of '{name}' changed")));
        }
        Ok(())
    }

    /// What a commit at `stamp` changes.
    fn change(&self, stamp: Revision) -> Totals {
        let key_value = self.collection.keys.last_value();
        Totals { count: self.count, revision: self.revision, key_value, stamp }
    }
}

/// A point of a transaction to return to.
#[derive(Debug)]
pub struct Savepoint {
    inner: persea_txn::Savepoint,
    counts: SmallVec<[i64; 4]>,
    n_estimate_changes: usize,
}

impl Transaction {
    pub(crate) fn begin(shared: &Arc<Shared>, options: &TransactionOptions) -> Result<Self> {
        Ok(Self {
            inner: shared.manager.begin_with(options)?,
            shared: Arc::clone(shared),
            scratch: Scratch::default(),
            touched: Vec::new(),
            estimate_changes: Vec::new(),
            must_sync: false,
            n_stamps: 0,
        })
    }

    /// Its number among the transactions of the store, for [`ChangeOptions::inside_of`](crate::ChangeOptions::inside_of).
    pub fn number(&self) -> u64 {
        self.inner.id()
    }

    /// Locks a collection in at least this mode until the end of the transaction.
    ///
    /// # Errors
    /// [`Error::LockTimeout`]; [`Error::Deadlock`] when the wait would never end, and everything is rolled back then;
    /// [`Error::Interrupted`].
    pub fn lock_collection(&mut self, collection: &Collection, mode: LockMode) -> Result<()> {
        Ok(self.inner.lock_collection(collection.id(), mode)?)
    }

    /// The strongest mode in which it has locked a collection; [`LockMode::Read`] if it has not.
    pub fn lock_mode(&self, collection: &Collection) -> LockMode {
        self.inner.lock_mode(collection.id())
    }

    /// Locks several collections, named by their ids, in the order that all transactions keep.
    ///
    /// # Errors
    /// As [`lock_collection`](Self::lock_collection).
    pub fn lock_collections(&mut self, collections: &[(u64, LockMode)]) -> Result<()> {
        Ok(self.inner.lock_collections(collections)?)
    }

    /// Locks a key of a collection, whether a document has it or not: of two transactions that do so, one comes after
    /// the other or fails.
    ///
    /// # Errors
    /// [`Error::WriteConflict`], [`Error::Deadlock`], [`Error::Interrupted`].
    pub(crate) fn lock_key(&mut self, collection: &Collection, key: &str) -> Result<()> {
        Ok(self.inner.lock_key(collection.definition().primary, key.as_bytes())?)
    }

    /// Has another [`Interrupt`], or none, end its waits for locks from now on; returns the one before.
    pub fn set_interrupt(&mut self, interrupt: Option<Interrupt>) -> Option<Interrupt> {
        self.inner.set_interrupt(interrupt)
    }

    /// Whether it can go on: false after a deadlock.
    pub fn is_active(&self) -> bool {
        self.inner.is_active()
    }

    /// A view of the state so far; it does not change with later writes of this transaction.
    ///
    /// # Errors
    /// Storage errors.
    pub fn view(&mut self) -> Result<View> {
        let counts = self
            .touched
            .iter()
            .filter(|touched| touched.count != 0)
            .map(|touched| (touched.collection.id(), touched.count))
            .collect();
        let definitions =
            self.touched.iter().map(|touched| (touched.collection.id(), Arc::clone(&touched.definition)));
        Ok(View::new(self.inner.view()?, counts, definitions))
    }

    /// The document with this key, own writes included.
    ///
    /// # Errors
    /// Storage errors.
    pub fn get(&self, collection: &Collection, key: &str) -> Result<Option<Slice<'_>>> {
        let definition = self.definition(collection)?;
        let Some(local_id) = self.local_id(&definition, key)? else { return Ok(None) };
        let bytes = self.inner.get(Tree::Documents, definition.documents, &local_id.to_be_bytes())?;
        bytes.map(|bytes| Some(Slice::trusted(bytes))).ok_or_else(|| dangling(&definition.name, key))
    }

    /// The definition that this transaction uses, or would use, for a collection.
    fn definition(&self, collection: &Collection) -> Result<Arc<Definition>> {
        let known = self.touched.iter().find(|touched| touched.collection.id() == collection.id());
        match known {
            Some(touched) => Ok(Arc::clone(&touched.definition)),
            None => collection.definition_as_of(self.inner.snapshot_seq(), |key| {
                Ok(self.inner.get(Tree::Meta, META_COLLECTIONS, key)?)
            }),
        }
    }

    /// Local id of the document with this key, own writes included.
    pub(super) fn local_id(&self, definition: &Definition, key: &str) -> Result<Option<u64>> {
        Ok(self.inner.get(Tree::Index, definition.primary, key.as_bytes())?.and_then(read_u64))
    }

    /// Copies the stored document with this key into the scratch buffer; returns its local id.
    pub(super) fn load_old(&mut self, definition: &Definition, key: &str) -> Result<u64> {
        let local_id = self.local_id(definition, key)?.ok_or(Error::DocumentNotFound)?;
        let bytes = self.inner.get(Tree::Documents, definition.documents, &local_id.to_be_bytes())?;
        self.scratch.set_old(bytes.ok_or_else(|| dangling(&definition.name, key))?);
        Ok(local_id)
    }

    /// The definition this transaction uses for a collection; fixed at the first touch.
    ///
    /// It must not be newer than the snapshot, in which the entries of a newer index would be missing: unique values
    /// would be looked for in vain.
    pub(super) fn touch(&mut self, collection: &Collection) -> Result<(usize, Arc<Definition>)> {
        let known = self.touched.iter().position(|touched| touched.collection.id() == collection.id());
        if let Some(position) = known {
            return Ok((position, Arc::clone(&self.touched[position].definition)));
        }
        collection.check_exists()?;
        let shared = collection.this.upgrade();
        let collection = shared.ok_or_else(|| Error::CollectionNotFound(collection.name().to_string()))?;
        self.inner.lock_collection(collection.id(), LockMode::Write)?;
        let definition = collection.definition_for_writing(self.inner.snapshot_seq())?;
        self.touched.push(Touched {
            collection,
            definition: Arc::clone(&definition),
            count: 0,
            revision: Revision::default(),
            is_written: false,
        });
        Ok((self.touched.len() - 1, definition))
    }

    /// A fresh revision. The wall clock is only asked now and then: it costs more than the rest of a small write.
    pub(super) fn stamp(&mut self) -> Revision {
        self.n_stamps = self.n_stamps.wrapping_add(1);
        if self.n_stamps % STAMPS_PER_CLOCK_READ == 1 {
            self.shared.clock.tick()
        } else {
            self.shared.clock.next_in_sequence()
        }
    }

    /// Records a successful write.
    pub(super) fn note_write(&mut self, position: usize, count: i64, revision: Revision, sync: bool) {
        if let Some(touched) = self.touched.get_mut(position) {
            touched.is_written = true;
            touched.count += count;
            touched.revision = touched.revision.max(revision);
            self.must_sync |= sync || touched.definition.properties.options.wait_for_sync;
        }
    }

    /// See [`persea_txn::Transaction::share_waits_for_keys`].
    pub(crate) fn share_waits_for_keys(&mut self, is_shared: bool) {
        self.inner.share_waits_for_keys(is_shared);
    }

    /// Marks the current state, to return to it with [`rollback_to`](Self::rollback_to) any number of times.
    pub fn savepoint(&mut self) -> Savepoint {
        let counts = self.touched.iter().map(|touched| touched.count).collect();
        let n_estimate_changes = self.estimate_changes.len();
        Savepoint { inner: self.inner.savepoint(), counts, n_estimate_changes }
    }

    /// Undoes every write since the savepoint.
    ///
    /// # Errors
    /// Storage errors.
    pub fn rollback_to(&mut self, savepoint: &Savepoint) -> Result<()> {
        self.inner.rollback_to(&savepoint.inner)?;
        self.estimate_changes.truncate(savepoint.n_estimate_changes);
        for (position, touched) in self.touched.iter_mut().enumerate() {
            touched.count = savepoint.counts.get(position).copied().unwrap_or(0);
        }
        Ok(())
    }

    /// Whether anything was written.
    pub fn is_read_only(&self) -> bool {
        !self.touched.iter().any(|touched| touched.is_written)
    }

    /// Lowers the most bytes of keys and values, those of indexes included, that it may write. What would exceed them
    /// fails with [`Error::ResourceLimit`].
    pub fn limit_write_bytes(&mut self, bytes_max: u64) {
        self.inner.limit_write_bytes(bytes_max);
    }

    /// Bytes of keys and values written so far, those of indexes and of overwritten documents included.
    pub fn write_bytes(&self) -> usize {
        self.inner.write_bytes()
    }

    /// Makes the commit wait until everything is on disk.
    pub fn require_sync(&mut self) {
        self.must_sync = true;
    }

    /// Writes everything, as a whole.
    ///
    /// # Errors
    /// [`Error::WriteConflict`] when another transaction came first; [`Error::DefinitionChanged`] when indexes of a
    /// written collection changed meanwhile; [`Error::CollectionNotFound`] when a written collection was dropped. Nothing is written then.
    pub fn commit(mut self) -> Result<()> {
        if self.is_read_only() {
            return Ok(());
        }
        let touched = std::mem::take(&mut self.touched);
        let written = written_in_order(&touched);
        let durability = self.durability();
        let estimate_changes = std::mem::take(&mut self.estimate_changes);
        let gates = gates(&written);
        let counters = self.count(&written)?;
        let outcome = self.inner.commit(durability).map(drop).map_err(Error::from);
        if is_visible(&outcome) {
            counters.into_iter().for_each(Counter::keep);
            drop(gates);
            note_committed(&touched, estimate_changes);
        }
        outcome
    }

    /// As [`commit`](Self::commit), together with what `put` writes, which is a change of how these collections are
    /// defined; `apply` makes it current once everybody can see it. Nobody writes documents to these collections now.
    ///
    /// # Errors
    /// As [`commit`](Self::commit), and those of `put`.
    pub(crate) fn commit_changing<T>(
        mut self,
        changed: &[&Collection],
        put: impl FnOnce(&mut persea_txn::Transaction) -> Result<T>,
        apply: impl FnOnce(T, CommitSeq),
    ) -> Result<()> {
        let touched = std::mem::take(&mut self.touched);
        let written = written_in_order(&touched);
        let gates = gates_of_change(&written, changed);
        let counters = self.count(&written)?;
        let value = put(&mut self.inner)?;
        let durability = self.durability();
        let Self { mut inner, shared, estimate_changes, .. } = self;
        // It goes on to hold the collections until the change is current.
        let commit = || inner.commit_part(durability);
        let outcome = Collection::commit_change(&shared, changed, commit, |seq| apply(value, seq));
        if is_visible(&outcome) {
            counters.into_iter().for_each(Counter::keep);
            drop(gates);
            note_committed(&touched, estimate_changes);
        }
        outcome?;
        // There is nothing left to commit: this ends it.
        let _ = inner.commit(durability);
        Ok(())
    }

    /// Writes everything so far as a whole, and goes on; what follows reads what everybody had committed by now. Views
    /// made before stay as they are, savepoints become invalid. Changes of others since the transaction began are
    /// conflicts all the same, its own are none.
    ///
    /// # Errors
    /// As [`commit`](Self::commit): nothing since the last part is written then, unless only its sync failed, and the
    /// transaction is of no more use.
    pub fn commit_part(&mut self) -> Result<()> {
        if self.is_read_only() {
            return Ok(());
        }
        // Put back whatever comes, so that a commit after a failure fails too.
        let mut touched = std::mem::take(&mut self.touched);
        let outcome = self.commit_touched(&touched);
        if is_visible(&outcome) {
            apply_estimate_changes(&touched, std::mem::take(&mut self.estimate_changes));
            for touched in touched.iter_mut().filter(|touched| touched.is_written) {
                touched.collection.count_committed(touched.count);
                touched.count = 0;
                touched.is_written = outcome.is_err();
            }
        }
        self.touched = touched;
        outcome
    }

    fn commit_touched(&mut self, touched: &[Touched]) -> Result<()> {
        let written = written_in_order(touched);
        let _gates = gates(&written);
        let counters = self.count(&written)?;
        let outcome = self.inner.commit_part(self.durability()).map(drop).map_err(Error::from);
        if is_visible(&outcome) {
            counters.into_iter().for_each(Counter::keep);
        }
        outcome
    }

    fn durability(&self) -> Durability {
        if self.must_sync { Durability::Synced } else { Durability::Buffered }
    }

    /// Adds to the counts of the collections written to, and tells who wants to know which documents change. The caller
    /// holds their gates.
    fn count<'a>(&mut self, written: &[&'a Touched]) -> Result<SmallVec<[Counter<'a>; 4]>> {
        let mut counters = SmallVec::new();
        for touched in written {
            touched.check_definition()?;
            let stamp = self.shared.clock.tick();
            let mut counter = touched.collection.counters.take(&self.shared.clock);
            counter.put(&mut self.inner, touched.collection.id(), touched.change(stamp))?;
            counters.push(counter);
            if touched.collection.capture.is_on() {
                self.note_changes(touched);
            }
        }
        Ok(counters)
    }

    #[cold]
    fn note_changes(&mut self, touched: &Touched) {
        let mut local_ids = Vec::new();
        let documents = touched.definition.documents;
        self.inner.for_each_written(Tree::Documents, documents, |key| local_ids.extend(read_u64(key)));
        touched.collection.capture.note(local_ids);
    }

    /// Forgets every write.
    pub fn abort(self) {
        drop(self);
    }
}

/// What was written to, in one order for all, so that two commits never wait for each other's gates.
fn written_in_order(touched: &[Touched]) -> Vec<&Touched> {
    let mut written: Vec<&Touched> = touched.iter().filter(|touched| touched.is_written).collect();
    written.sort_by_key(|touched| touched.collection.id());
    written
}

fn gates<'a>(written: &[&'a Touched]) -> SmallVec<[RwLockReadGuard<'a, ()>; 4]> {
    written.iter().map(|touched| touched.collection.gate.read()).collect()
}

/// The gates of what was written to, shared, and of what is changed, exclusively, in the same order.
fn gates_of_change<'a>(
    written: &[&'a Touched],
    changed: &[&'a Collection],
) -> (Vec<RwLockReadGuard<'a, ()>>, Vec<RwLockWriteGuard<'a, ()>>) {
    let is_changed = |collection: &Collection| changed.iter().any(|changed| changed.id() == collection.id());
    let written = written.iter().map(|touched| &*touched.collection);
    let mut all: Vec<&Collection> =
        written.filter(|collection| !is_changed(collection)).chain(changed.iter().copied()).collect();
    all.sort_by_key(|collection| collection.id());
    let (mut shared, mut whole) = (Vec::new(), Vec::new());
    for collection in all {
        if is_changed(collection) {
            whole.push(collection.gate.write());
        } else {
            shared.push(collection.gate.read());
        }
    }
    (shared, whole)
}

/// Has the collections take note of what a commit has written.
fn note_committed(touched: &[Touched], estimate_changes: Vec<(u32, u32, EstimateChange)>) {
    apply_estimate_changes(touched, estimate_changes);
    for touched in touched.iter().filter(|touched| touched.is_written) {
        touched.collection.count_committed(touched.count);
    }
}

fn apply_estimate_changes(touched: &[Touched], mut changes: Vec<(u32, u32, EstimateChange)>) {
    // A stable sort keeps the order of changes within an index.
    changes.sort_by_key(|(touched, index, _)| (*touched, *index));
    for changes in changes.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1)) {
        let Some((position, index, _)) = changes.first() else { continue };
        let touched = touched.get(*position as usize);
        let index = touched.and_then(|touched| touched.definition.secondary_indexes().get(*index as usize));
        if let Some(index) = index {
            index.estimate.apply(changes.iter().map(|(_, _, change)| *change));
        }
    }
}

fn dangling(collection: &str, key: &str) -> Error {
    Error::Corrupt(format!("document {collection}/{key} is in the primary index only"))
}
