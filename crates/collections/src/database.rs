//! One database: its collections, and creating, dropping and finding them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use ahash::AHashMap;
use parking_lot::{Mutex, RwLock};
use persea_kv::{Direction, Tree};
use persea_txn::{CommitSeq, Durability, OTHER_LOCKS, ReadView, TransactionOptions};
use persea_vpack::{Slice, vpack};

use crate::change_lock::{ChangeLocks, ChangeOptions, right_to_change, without_writers};
use crate::collection::Collection;
use crate::counts::{self, Counters, Totals};
use crate::databases::SYSTEM;
use crate::definition::Definition;
use crate::error::{Error, Result, is_visible};
use crate::graph::GraphError;
use crate::keyspaces::{META_COLLECTIONS, META_DATABASES, META_ESTIMATES, pair_key, read_u64};
use crate::names::check_collection_name;
use crate::properties::{CollectionOptions, Properties};
use crate::read::View;
use crate::shared::Shared;
use crate::system_collections;
use crate::write::Transaction;

/// How often [`Database::transact`] tries before it gives the conflict to the caller.
const ATTEMPTS_MAX: u32 = 64;
/// How long it goes on trying: an attempt may wait for a key that another transaction does not let go of.
const PATIENCE: Duration = Duration::from_secs(3);

/// A database.
#[derive(Debug)]
pub struct Database {
    pub(crate) shared: Arc<Shared>,
    this: Weak<Database>,
    id: u64,
    name: Arc<str>,
    catalog: RwLock<Catalog>,
    /// Serialises creating, renaming and dropping of collections.
    pub(crate) changes: Mutex<()>,
    is_dropped: AtomicBool,
    /// What is known of the records that another process writes.
    followed: Mutex<Followed>,
}

/// Up to where the catalog follows another process.
#[derive(Debug, Default)]
struct Followed {
    seq: CommitSeq,
    /// Hashes of the records of collections, by collection.
    records: AHashMap<u64, u64>,
}

#[derive(Debug, Default)]
struct Catalog {
    by_name: AHashMap<Arc<str>, Arc<Collection>>,
    by_id: AHashMap<u64, Arc<Collection>>,
}

impl Catalog {
    fn insert(&mut self, collection: Arc<Collection>) {
        self.by_name.insert(collection.name(), Arc::clone(&collection));
        self.by_id.insert(collection.id(), collection);
    }
}

impl Database {
    /// Reads the collections of a database from the store.
    pub(crate) fn load(shared: &Arc<Shared>, id: u64, name: &str) -> Result<Arc<Self>> {
        let view = shared.manager.snapshot()?;
        let mut catalog = Catalog::default();
        for record in records(&view, id)? {
            let definition = Definition::from_record(Slice::trusted(record?.1))?;
            catalog.insert(assemble(shared, id, definition, &view)?);
        }
        Ok(Self::assemble(shared, id, name, catalog))
    }

    /// Makes a database with its system collections, in one commit.
    pub(crate) fn create(shared: &Arc<Shared>, id: u64, name: &str) -> Result<Arc<Self>> {
        let database = Self::assemble(shared, id, name, Catalog::default());
        let mut transaction = shared.manager.begin()?;
        let record = vpack!({ "name": name });
        transaction.put(Tree::Meta, META_DATABASES, &id.to_be_bytes(), record.bytes())?;
        database.create_system_collections(transaction, system_collections::names(database.is_system()))?;
        Ok(database)
    }

    fn assemble(shared: &Arc<Shared>, id: u64, name: &str, catalog: Catalog) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            shared: Arc::clone(shared),
            this: Weak::clone(this),
            id,
            name: name.into(),
            catalog: RwLock::new(catalog),
            changes: Mutex::new(()),
            is_dropped: AtomicBool::new(false),
            followed: Mutex::default(),
        })
    }

    /// Brings the catalog up to what another process has committed; nothing to do for whoever writes.
    ///
    /// What can't be read is left as it is: reading the collection itself fails, and tells why.
    fn follow(&self) {
        if self.shared.is_read_only {
            let mut followed = self.followed.lock();
            if let Ok(view) = self.shared.manager.snapshot()
                && view.commit_seq() != followed.seq
                && self.follow_to(&view, &mut followed).is_ok()
            {
                followed.seq = view.commit_seq();
            }
        }
    }

    fn follow_to(&self, view: &ReadView, followed: &mut Followed) -> Result<()> {
        let mut there = AHashMap::with_capacity(followed.records.len());
        for record in records(view, self.id)? {
            let (id, record) = record?;
            let hash = xxhash_rust::xxh3::xxh3_64(record);
            there.insert(id, hash);
            if followed.records.get(&id) == Some(&hash) {
                continue;
            }
            let definition = Definition::from_record(Slice::trusted(record))?;
            let known = self.catalog.read().by_id.get(&id).cloned();
            match known {
                Some(collection) => {
                    let old_name = collection.name();
                    collection.follow_definition(definition);
                    let mut catalog = self.catalog.write();
                    // Another collection may have taken the old name in the same round.
                    let is_own = |other: &Arc<Collection>| other.id() == id;
                    if catalog.by_name.get(&old_name).is_some_and(is_own) {
                        catalog.by_name.remove(&old_name);
                    }
                    catalog.insert(collection);
                }
                None => {
                    let collection = assemble(&self.shared, self.id, definition, view)?;
                    self.catalog.write().insert(collection);
                }
            }
        }
        let mut catalog = self.catalog.write();
        let Catalog { by_name, by_id } = &mut *catalog;
        by_id.retain(|id, collection| {
            let is_there = there.contains_key(id);
            if !is_there {
                collection.mark_dropped();
            }
            is_there
        });
        by_name.retain(|_, collection| there.contains_key(&collection.id()));
        drop(catalog);
        followed.records = there;
        Ok(())
    }

    /// Creates the system collections that are missing, in one commit.
    pub(crate) fn ensure_system_collections(&self) -> Result<()> {
        let _changes = self.changes.lock();
        let missing: Vec<&'static str> = {
            let catalog = self.catalog.read();
            system_collections::names(self.is_system())
                .filter(|name| !catalog.by_name.contains_key(*name))
                .collect()
        };
        if missing.is_empty() {
            return Ok(());
        }
        self.create_system_collections(self.shared.manager.begin()?, missing.into_iter())
    }

    /// Creates system collections together with what else `transaction` writes.
    fn create_system_collections(
        &self,
        mut transaction: persea_txn::Transaction,
        names: impl Iterator<Item = &'static str>,
    ) -> Result<()> {
        let mut created = Vec::new();
        for name in names {
            let options = CollectionOptions { is_system: true, ..CollectionOptions::new(name) };
            let mut definition = self.new_definition(options)?;
            for index in system_collections::indexes(name) {
                definition = definition.with_empty_index(&self.shared, index.as_slice())?;
            }
            let collection = Collection::assemble(
                &self.shared,
                self.id,
                definition,
                Totals::default(),
                Counters::default(),
            );
            collection.put_record(&mut transaction, &collection.definition())?;
            created.push(collection);
        }
        let outcome = transaction.commit(Durability::Buffered).map_err(Error::from);
        if is_visible(&outcome) {
            let mut catalog = self.catalog.write();
            created.into_iter().for_each(|collection| catalog.insert(collection));
        }
        outcome.map(drop)
    }

    /// Identifier, unique in the server.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is the `_system` database.
    pub fn is_system(&self) -> bool {
        &*self.name == SYSTEM
    }

    /// A shared handle to this database.
    pub fn handle(&self) -> Option<Arc<Self>> {
        self.this.upgrade()
    }

    /// The collection with this name, or with this identifier in decimal digits.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`].
    pub fn collection(&self, name_or_id: &str) -> Result<Arc<Collection>> {
        self.follow();
        let catalog = self.catalog.read();
        let by_id = || name_or_id.parse().ok().and_then(|id: u64| catalog.by_id.get(&id));
        catalog
            .by_name
            .get(name_or_id)
            .or_else(by_id)
            .cloned()
            .ok_or_else(|| Error::CollectionNotFound(name_or_id.to_owned()))
    }

    /// The collection with this identifier.
    pub fn collection_by_id(&self, id: u64) -> Option<Arc<Collection>> {
        // A plan names collections that were found before.
        if let Some(known) = self.catalog.read().by_id.get(&id) {
            return Some(Arc::clone(known));
        }
        self.follow();
        self.catalog.read().by_id.get(&id).cloned()
    }

    /// All collections, sorted by name.
    pub fn collections(&self) -> Vec<Arc<Collection>> {
        self.follow();
        let mut named: Vec<(Arc<str>, Arc<Collection>)> = {
            let catalog = self.catalog.read();
            catalog
                .by_name
                .iter()
                .map(|(name, collection)| (Arc::clone(name), Arc::clone(collection)))
                .collect()
        };
        named.sort_by(|(left, _), (right, _)| left.cmp(right));
        named.into_iter().map(|(_, collection)| collection).collect()
    }

    /// Starts a transaction on a snapshot of the latest committed state.
    ///
    /// # Errors
    /// Storage errors.
    pub fn begin(&self) -> Result<Transaction> {
        self.begin_with(&TransactionOptions::default())
    }

    /// Starts a transaction that locks collections, named by their ids, before it takes its snapshot, or that differs
    /// in its timeouts and limits.
    ///
    /// # Errors
    /// [`Error::LockTimeout`], [`Error::Deadlock`], storage errors.
    pub fn begin_with(&self, options: &TransactionOptions) -> Result<Transaction> {
        Transaction::begin(&self.shared, options)
    }

    /// A read-only view of the latest committed state.
    ///
    /// # Errors
    /// Storage errors.
    pub fn view(&self) -> Result<View> {
        View::latest(&self.shared)
    }

    /// Runs `work` in a transaction and commits it; on a write-write conflict everything is tried again.
    ///
    /// Meant for single-document operations and other short work, which a user expects not to conflict.
    ///
    /// # Errors
    /// What `work` or the commit returned; nothing is written then.
    pub fn transact<T>(&self, work: impl FnMut(&mut Transaction) -> Result<T>) -> Result<T> {
        self.transact_with(&TransactionOptions::default(), work)
    }

    /// As [`transact`](Self::transact) in transactions that begin as [`begin_with`](Self::begin_with) does. Work that
    /// writes to one collection above all should name it there: where somebody holds it exclusively, that is waited
    /// for before the snapshot is taken, so that the wait costs no conflict.
    ///
    /// # Errors
    /// As [`transact`](Self::transact) and [`begin_with`](Self::begin_with).
    pub fn transact_with<T>(
        &self,
        options: &TransactionOptions,
        mut work: impl FnMut(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.attempt_with(options, |mut transaction| {
            let value = work(&mut transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    /// As [`transact_with`](Self::transact_with) with work that commits the transaction itself, or does not.
    ///
    /// # Errors
    /// As [`transact_with`](Self::transact_with).
    pub(crate) fn attempt_with<T>(
        &self,
        options: &TransactionOptions,
        mut work: impl FnMut(Transaction) -> Result<T>,
    ) -> Result<T> {
        // Without the waits for collections, which have a timeout of their own.
        let mut spent = Duration::ZERO;
        let mut attempt = 0;
        loop {
            let outcome = self.begin_with(options).and_then(|transaction| {
                let begun = Instant::now();
                let outcome = work(transaction);
                if outcome.is_err() {
                    spent += begun.elapsed();
                }
                outcome
            });
            attempt += 1;
            match outcome {
                Err(error) if may_try_again(&error, attempt, spent) => back_off(attempt),
                outcome => return outcome,
            }
        }
    }

    /// Creates a collection.
    ///
    /// # Errors
    /// [`Error::IllegalName`], [`Error::DuplicateName`], storage errors.
    pub fn create_collection(&self, options: CollectionOptions) -> Result<Arc<Collection>> {
        check_collection_name(&options.name, options.is_system, self.shared.naming)?;
        let _changes = self.changes.lock();
        self.check_exists()?;
        self.check_name_is_free(&options.name)?;
        let last_value = options.key_options.last_value;
        let definition = self.new_definition(options)?;
        let totals = Totals { key_value: last_value, ..Default::default() };
        let collection = Collection::assemble(&self.shared, self.id, definition, totals, Counters::default());
        let mut transaction = self.shared.manager.begin()?;
        collection.put_record(&mut transaction, &collection.definition())?;
        let outcome = transaction.commit(Durability::Buffered).map_err(Error::from);
        if is_visible(&outcome) {
            self.catalog.write().insert(Arc::clone(&collection));
        }
        outcome.map(|_| collection)
    }

    fn new_definition(&self, options: CollectionOptions) -> Result<Definition> {
        // Larger ones name other things to lock, and no server gives them.
        let is_usable =
            |id: &u64| (1..OTHER_LOCKS).contains(id) && !self.catalog.read().by_id.contains_key(id);
        let id = match options.id.filter(is_usable) {
            Some(id) => {
                self.shared.ticks.observe(id);
                id
            }
            None => self.shared.ticks.next()?,
        };
        let object_id = self.shared.ticks.next()?;
        let globally_unique_id = match &options.globally_unique_id {
            Some(given) => given.clone(),
            None if options.is_system => options.name.clone(),
            None => format!("h{:X}/{id}", self.shared.server_id),
        };
        Definition::create(&self.shared, Properties { options, id, globally_unique_id, object_id })
    }

    pub(crate) fn check_name_is_free(&self, name: &str) -> Result<()> {
        self.shared.check_writable()?;
        if self.catalog.read().by_name.contains_key(name) {
            return Err(Error::DuplicateName(format!("collection '{name}' already exists")));
        }
        Ok(())
    }

    /// Drops a collection with its documents and indexes. Waits for who writes to it.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`]; [`Error::Forbidden`] for system collections unless `allow_system`;
    /// [`GraphError::MustNotDrop`] while a named graph uses it; [`Error::LockTimeout`].
    pub fn drop_collection(&self, name_or_id: &str, allow_system: bool) -> Result<u64> {
        self.drop_collection_with(name_or_id, allow_system, &ChangeOptions::default())
    }

    /// As [`drop_collection`](Self::drop_collection) with waits of its own kind.
    ///
    /// # Errors
    /// As [`drop_collection`](Self::drop_collection); [`Error::Interrupted`], [`Error::Deadlock`], [`Error::Stopping`].
    pub fn drop_collection_with(
        &self,
        name_or_id: &str,
        allow_system: bool,
        options: &ChangeOptions,
    ) -> Result<u64> {
        self.shared.check_writable()?;
        self.check_droppable(&*self.collection(name_or_id)?, allow_system)?;
        let (collection, _locks, _changes) = self.lock_named(name_or_id, options)?;
        self.check_droppable(&collection, allow_system)?;
        let _gate = collection.gate.write();
        let dropped: &[&Collection] = &[&collection];
        let mut transaction = self.shared.manager.begin()?;
        self.retire(&mut transaction, dropped)?;
        let commit = || transaction.commit(Durability::Buffered);
        Collection::commit_change(&self.shared, dropped, commit, |_| self.forget(dropped))?;
        Ok(collection.id())
    }

    pub(crate) fn check_droppable(&self, collection: &Collection, allow_system: bool) -> Result<()> {
        let name = collection.name();
        if collection.is_system() && !allow_system {
            return Err(Error::Forbidden(format!("system collection '{name}' cannot be dropped")));
        }
        for graph in self.graphs()? {
            if let Some(role) = graph.role_of(&name) {
                let (collection, graph) = (name.to_string(), graph.name);
                return Err(GraphError::MustNotDrop { collection, role, graph }.into());
            }
        }
        Ok(())
    }

    /// Notes in `transaction` everything that dropping collections means. The caller holds their gates.
    pub(crate) fn retire(
        &self,
        transaction: &mut persea_txn::Transaction,
        collections: &[&Collection],
    ) -> Result<()> {
        // The newest state, which the gates keep as it is.
        let view = self.shared.manager.snapshot()?;
        for collection in collections {
            let definition = collection.definition();
            transaction.delete(Tree::Meta, META_COLLECTIONS, &pair_key(self.id, collection.id()))?;
            transaction.clear_keyspace(Tree::Documents, definition.documents)?;
            for index in definition.indexes.iter() {
                index.retire(transaction)?;
            }
            counts::remove(&view, transaction, collection.id())?;
        }
        Ok(())
    }

    /// Takes dropped collections out of the catalog. The caller holds their gates and `changes`.
    pub(crate) fn forget(&self, collections: &[&Collection]) {
        let mut catalog = self.catalog.write();
        for collection in collections {
            collection.mark_dropped();
            catalog.by_name.remove(&*collection.name());
            catalog.by_id.remove(&collection.id());
        }
    }

    /// Forgets the database and all its collections, in one commit, once nobody writes to them any more.
    ///
    /// # Errors
    /// [`Error::DatabaseNotFound`] when somebody else has dropped it; as [`ChangeLocks::lock`].
    pub(crate) fn drop_contents(&self, options: &ChangeOptions) -> Result<()> {
        loop {
            let mut collections = self.collections();
            let _ends: Vec<_> = collections.iter().map(|collection| collection.announce_end()).collect();
            let ids = collections.iter().map(|collection| collection.id());
            let mut locks = ChangeLocks::new(&self.shared, options);
            locks.lock(ids.flat_map(|id| [right_to_change(id), without_writers(id)]))?;
            let _changes = self.changes.lock();
            self.check_exists()?;
            let is_locked = |id: &u64| collections.iter().any(|collection| collection.id() == *id);
            if !self.catalog.read().by_id.keys().all(is_locked) {
                // Somebody has made another one during the wait.
                continue;
            }
            // In the order in which commits take gates.
            collections.retain(|collection| !collection.is_dropped());
            collections.sort_by_key(|collection| collection.id());
            let dropped: Vec<&Collection> = collections.iter().map(|collection| &**collection).collect();
            let _gates: Vec<_> = dropped.iter().map(|collection| collection.gate.write()).collect();
            let mut transaction = self.shared.manager.begin()?;
            self.retire(&mut transaction, &dropped)?;
            transaction.delete(Tree::Meta, META_DATABASES, &self.id.to_be_bytes())?;
            let commit = || transaction.commit(Durability::Buffered);
            return Collection::commit_change(&self.shared, &dropped, commit, |_| {
                self.forget(&dropped);
                self.is_dropped.store(true, Ordering::Release);
            });
        }
    }

    /// Whether the database was dropped; handles to it answer with an error.
    pub fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Acquire)
    }

    fn check_exists(&self) -> Result<()> {
        if self.is_dropped() { Err(Error::DatabaseNotFound(self.name.to_string())) } else { Ok(()) }
    }

    /// Moves a collection to another name in the catalog.
    pub(crate) fn replace_name(&self, old: &str, collection: &Arc<Collection>) {
        let mut catalog = self.catalog.write();
        catalog.by_name.remove(old);
        catalog.insert(Arc::clone(collection));
    }
}

/// The collections of a database, each with its record.
fn records(view: &ReadView, database: u64) -> Result<impl Iterator<Item = Result<(u64, &[u8])>>> {
    let (first, last) = (pair_key(database, 0), pair_key(database, u64::MAX));
    let bounds = (std::ops::Bound::Included(&first[..]), std::ops::Bound::Included(&last[..]));
    let range = view.range(Tree::Meta, META_COLLECTIONS, bounds, Direction::Forward)?;
    Ok(range.map(|entry| {
        let (key, record) = entry?;
        let id = key.get(8..).and_then(read_u64);
        Ok((id.ok_or_else(|| Error::Corrupt("key of a collection".to_owned()))?, record))
    }))
}

/// A collection as the store has it.
fn assemble(
    shared: &Arc<Shared>,
    database: u64,
    definition: Definition,
    view: &ReadView,
) -> Result<Arc<Collection>> {
    for index in definition.indexes.iter() {
        let keyspace = index.keyspace.to_be_bytes();
        index.estimate.restore(view.get(Tree::Meta, META_ESTIMATES, &keyspace)?);
    }
    let (totals, counters) = counts::load(view, definition.properties.id)?;
    shared.clock.observe(totals.stamp);
    Ok(Collection::assemble(shared, database, definition, totals, counters))
}

fn may_try_again(error: &Error, attempt: u32, spent: Duration) -> bool {
    let is_lost_race = error.is_retryable() || matches!(error, Error::Deadlock);
    is_lost_race && attempt < ATTEMPTS_MAX && spent < PATIENCE
}

/// Waits a little, longer with each attempt and never in step with others.
pub(crate) fn back_off(attempt: u32) {
    if attempt < 4 {
        std::thread::yield_now();
    } else {
        let most = 20_u64 << attempt.min(10);
        std::thread::sleep(Duration::from_micros(rand::random_range(10..=most)));
    }
}
