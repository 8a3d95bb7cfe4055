//! A collection: its identity, properties, indexes and figures.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};
use persea_kv::{Direction, Tree};
use persea_txn::{CommitSeq, Durability};
use persea_vpack::{Slice, VPackBuf};

use crate::change_capture::ChangeCapture;
use crate::counts::{self, Counters, Totals};
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::key_generator::KeyGenerator;
use crate::keyspaces::{META_COLLECTIONS, pair_key};
use crate::properties::{CollectionKind, PropertyChanges, object};
use crate::read::View;
use crate::revision::Revision;
use crate::shared::Shared;

/// A collection of documents or edges.
///
/// Handles are shared; what a handle shows follows renames and changes of properties and indexes.
#[derive(Debug)]
pub struct Collection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) database_id: u64,
    pub(crate) this: Weak<Collection>,
    id: u64,
    kind: CollectionKind,
    globally_unique_id: String,
    definition: RwLock<Arc<Definition>>,
    /// Held shared by commits that touched the collection, exclusively by changes of its definition.
    pub(crate) gate: RwLock<()>,
    /// Shared with what is written to replace the documents.
    pub(crate) keys: Arc<KeyGenerator>,
    pub(crate) allows_user_keys: bool,
    /// Whether a commit that changes the definition is under way: for a moment, snapshots see it already and
    /// [`definition`](Self::definition) does not.
    is_changing: AtomicBool,
    is_dropped: AtomicBool,
    /// How many want to drop it now.
    n_ending: AtomicUsize,
    pub(crate) capture: ChangeCapture,
    /// Last committed count, for estimates.
    count_estimate: AtomicI64,
    pub(crate) counters: Counters,
    /// Commits since the selectivity estimates were stored.
    n_commits: AtomicUsize,
    pub(crate) storing_estimates: Mutex<()>,
    recounting: Mutex<()>,
}

/// How often selectivity estimates that have changed are stored.
const COMMITS_PER_ESTIMATES: usize = 128;

impl Collection {
    pub(crate) fn assemble(
        shared: &Arc<Shared>,
        database_id: u64,
        definition: Definition,
        totals: Totals,
        counters: Counters,
    ) -> Arc<Self> {
        let key_options = &definition.properties.options.key_options;
        let last_key_value = totals.key_value.max(key_options.last_value);
        let keys = Arc::new(KeyGenerator::new(key_options.kind, last_key_value));
        Self::assemble_with(shared, database_id, definition, keys, totals.count, counters)
    }

    /// As [`assemble`](Self::assemble), with a generator of keys that others may use too.
    pub(crate) fn assemble_with(
        shared: &Arc<Shared>,
        database_id: u64,
        definition: Definition,
        keys: Arc<KeyGenerator>,
        count: i64,
        counters: Counters,
    ) -> Arc<Self> {
        let properties = definition.properties.clone();
        Arc::new_cyclic(|this| Self {
            shared: Arc::clone(shared),
            database_id,
            this: Weak::clone(this),
            id: properties.id,
            kind: properties.options.kind,
            globally_unique_id: properties.globally_unique_id,
            keys,
            allows_user_keys: properties.options.key_options.allow_user_keys,
            gate: RwLock::new(()),
            // Where another process changes definitions, each snapshot is asked for its own.
            is_changing: AtomicBool::new(shared.is_read_only),
            is_dropped: AtomicBool::new(false),
            n_ending: AtomicUsize::new(0),
            capture: ChangeCapture::default(),
            count_estimate: AtomicI64::new(count),
            counters,
            n_commits: AtomicUsize::new(0),
            storing_estimates: Mutex::new(()),
            recounting: Mutex::new(()),
            definition: RwLock::new(Arc::new(definition)),
        })
    }

    /// Identifier, unique in the server.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Current name.
    pub fn name(&self) -> Arc<str> {
        Arc::clone(&self.definition.read().name)
    }

    /// Documents or edges.
    pub fn kind(&self) -> CollectionKind {
        self.kind
    }

    /// Whether this is an edge collection.
    pub fn is_edge(&self) -> bool {
        self.kind == CollectionKind::Edge
    }

    /// Whether this is a system collection.
    pub fn is_system(&self) -> bool {
        self.definition.read().properties.options.is_system
    }

    /// Identifier that is unique across servers.
    pub fn globally_unique_id(&self) -> &str {
        &self.globally_unique_id
    }

    /// Whether every write waits until it is on disk.
    pub fn wait_for_sync(&self) -> bool {
        self.definition.read().properties.options.wait_for_sync
    }

    /// Whether the collection was dropped; handles to it answer writes with an error.
    pub fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Acquire)
    }

    /// Runs a commit that changes how these collections are defined, and `apply` once everybody can see it. The caller
    /// holds their gates.
    ///
    /// # Errors
    /// Those of the commit. If it is visible all the same, so is what `apply` has done.
    pub(crate) fn commit_change(
        shared: &Shared,
        changed: &[&Self],
        commit: impl FnOnce() -> persea_txn::Result<CommitSeq>,
        apply: impl FnOnce(CommitSeq),
    ) -> Result<()> {
        let set_changing = |is_changing: bool| {
            changed
                .iter()
                .for_each(|collection| collection.is_changing.store(is_changing, Ordering::Release));
        };
        set_changing(true);
        let committed = commit().map_err(Error::from);
        match &committed {
            Ok(seq) => apply(*seq),
            // Which one it was is not known; that it is none after the latest is enough.
            Err(error) if error.is_committed() => apply(shared.manager.latest_commit()),
            Err(_) => {}
        }
        set_changing(false);
        committed.map(drop)
    }

    /// Tells who works on the collection for long that somebody wants to drop it, until the guard is dropped.
    pub(crate) fn announce_end(self: &Arc<Self>) -> AnnouncedEnd {
        self.n_ending.fetch_add(1, Ordering::Relaxed);
        AnnouncedEnd(Arc::clone(self))
    }

    /// Fails when the collection was dropped, or is about to be.
    pub(crate) fn check_stays(&self) -> Result<()> {
        self.check_exists()?;
        if self.n_ending.load(Ordering::Relaxed) > 0 {
            return Err(Error::CollectionNotFound(format!("{} is being dropped", self.name())));
        }
        Ok(())
    }

    /// Takes over what another process has made of the definition.
    pub(crate) fn follow_definition(&self, definition: Definition) {
        let mut current = self.definition.write();
        *current = Arc::new(definition.sharing(&current));
    }

    /// Notes that the collection was dropped, here or by another process.
    pub(crate) fn mark_dropped(&self) {
        self.is_dropped.store(true, Ordering::Release);
    }

    /// Fails when the collection was dropped.
    pub(crate) fn check_exists(&self) -> Result<()> {
        if self.is_dropped() { Err(Error::CollectionNotFound(self.name().to_string())) } else { Ok(()) }
    }

    pub(crate) fn definition(&self) -> Arc<Definition> {
        Arc::clone(&self.definition.read())
    }

    /// All indexes; the first is the primary index, the second of an edge collection the edge index.
    pub fn indexes(&self) -> Arc<[Arc<Index>]> {
        Arc::clone(&self.definition.read().indexes)
    }

    /// The index that `handle` means: an id (`123`, `collection/123`) or a name (`name`, `collection/name`).
    ///
    /// # Errors
    /// [`Error::IndexNotFound`]; [`Error::CrossCollection`] when the handle names another collection.
    pub fn index(&self, handle: &str) -> Result<Arc<Index>> {
        let definition = self.definition();
        let own = match handle.split_once('/') {
            None => handle,
            Some((name, rest)) if name == &*definition.name || name.parse() == Ok(self.id) => rest,
            Some(_) => return Err(Error::CrossCollection),
        };
        let number: Option<u64> = own.parse().ok();
        definition
            .indexes
            .iter()
            .find(|index| Some(index.id()) == number || index.name() == own)
            .cloned()
            .ok_or(Error::IndexNotFound)
    }

    /// Every property, in the order of the reference server.
    ///
    /// # Errors
    /// Building VelocyPack fails when it grows beyond its limits.
    pub fn properties(&self) -> Result<VPackBuf> {
        let definition = self.definition();
        object(|builder| definition.properties.write_full(self.keys.last_value(), builder))
    }

    /// The short form of the properties that lists show.
    ///
    /// # Errors
    /// As [`properties`](Self::properties).
    pub fn basic_properties(&self) -> Result<VPackBuf> {
        let definition = self.definition();
        object(|builder| definition.properties.write_basic(builder))
    }

    /// Changes properties.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`] when dropped, storage errors.
    pub fn change_properties(&self, changes: &PropertyChanges) -> Result<()> {
        let _gate = self.gate.write();
        self.check_exists()?;
        let definition = self.definition();
        let mut properties = definition.properties.clone();
        let options = &mut properties.options;
        options.wait_for_sync = changes.wait_for_sync.unwrap_or(options.wait_for_sync);
        options.cache_enabled = changes.cache_enabled.unwrap_or(options.cache_enabled);
        options.write_concern = changes.write_concern.unwrap_or(options.write_concern);
        let changed = Definition {
            generation: definition.generation,
            since: definition.since,
            ..definition.with_properties(properties)
        };
        self.commit_definition(self.shared.manager.begin()?, changed)
    }

    /// Makes a definition current, together with what else `transaction` writes. The caller holds the gate.
    pub(crate) fn commit_definition(
        &self,
        mut transaction: persea_txn::Transaction,
        definition: Definition,
    ) -> Result<()> {
        self.put_record(&mut transaction, &definition)?;
        let commit = || transaction.commit(Durability::Buffered);
        Self::commit_change(&self.shared, &[self], commit, |seq| self.set_definition(definition, seq))
    }

    /// Makes a definition current that a commit has brought.
    pub(crate) fn set_definition(&self, mut definition: Definition, seq: CommitSeq) {
        let mut current = self.definition.write();
        if definition.generation != current.generation {
            definition.since = seq;
        }
        *current = Arc::new(definition);
    }

    /// The definition that goes with a snapshot, which `read` reads records of collections from.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`] when it was dropped before the snapshot; storage errors.
    pub(crate) fn definition_as_of<'s>(
        &self,
        snapshot: CommitSeq,
        read: impl FnOnce(&[u8]) -> Result<Option<&'s [u8]>>,
    ) -> Result<Arc<Definition>> {
        // In this order: what changes the definition says so before the snapshot can see it, and until after the
        // definition is current.
        let is_changing = self.is_changing.load(Ordering::Acquire) || self.is_dropped();
        let current = self.definition();
        if !is_changing && current.since <= snapshot {
            return Ok(current);
        }
        match read(&pair_key(self.database_id, self.id))? {
            Some(record) => Ok(Arc::new(Definition::from_record(Slice::trusted(record))?.sharing(&current))),
            // Of what another process makes and drops, nobody here knows which of the two it was.
            None if self.shared.is_read_only => Err(Error::CollectionNotFound(self.name().to_string())),
            None => {
                self.check_exists()?;
                // It is newer than the snapshot: whichever keyspaces one looks in, there is nothing.
                Ok(current)
            }
        }
    }

    /// The current definition, for a transaction that is to write on a snapshot.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`] when it was dropped; [`Error::DefinitionChanged`] when the snapshot is older than the
    /// definition: what was there when an index was made, or after truncating, it does not see.
    pub(crate) fn definition_for_writing(&self, snapshot: CommitSeq) -> Result<Arc<Definition>> {
        self.shared.check_writable()?;
        let is_changing = self.is_changing.load(Ordering::Acquire);
        // It may have been dropped while its lock was waited for.
        self.check_exists()?;
        let definition = self.definition();
        if is_changing || definition.since > snapshot {
            let name = &definition.name;
            return Err(Error::DefinitionChanged(format!("the definition of '{name}' changed")));
        }
        Ok(definition)
    }

    pub(crate) fn put_record(
        &self,
        transaction: &mut persea_txn::Transaction,
        definition: &Definition,
    ) -> Result<()> {
        let record = definition.to_record()?;
        let key = pair_key(self.database_id, self.id);
        Ok(transaction.put(Tree::Meta, META_COLLECTIONS, &key, record.bytes())?)
    }

    /// Number of documents, exact for the latest committed state.
    ///
    /// # Errors
    /// Storage errors.
    pub fn count(&self) -> Result<u64> {
        View::latest(&self.shared)?.count(self)
    }

    /// Counts the documents one by one, and corrects the stored count if it is another one: after damage to the log that
    /// was passed over, the counts of what was lost are still part of it. Writers go on meanwhile.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`] when dropped, storage errors; the count is as it was then.
    pub fn recalculate_count(&self) -> Result<u64> {
        let _alone = self.recounting.lock();
        while !self.try_recalculate_count()? {}
        self.count()
    }

    /// False if the collection was emptied meanwhile.
    fn try_recalculate_count(&self) -> Result<bool> {
        let view = View::latest(&self.shared)?;
        let mut found = 0_i64;
        for document in view.scan(self, Direction::Forward)? {
            document?;
            found += 1;
        }
        let totals = counts::totals(view.inner(), self.id)?;
        let change = found - totals.count;
        if change == 0 {
            return Ok(true);
        }
        let _gate = self.gate.read();
        self.check_exists()?;
        // Whoever empties it corrects the count as well.
        if self.definition().documents != view.definition(self)?.documents {
            return Ok(false);
        }
        let key_value = self.keys.last_value();
        let stamp = self.shared.clock.tick();
        let correction = Totals { count: change, revision: totals.revision, key_value, stamp };
        let mut transaction = self.shared.manager.begin()?;
        let mut counter = self.counters.take(&self.shared.clock);
        counter.put(&mut transaction, self.id, correction)?;
        transaction.commit(Durability::Buffered)?;
        counter.keep();
        self.count_estimate.fetch_add(change, Ordering::Relaxed);
        Ok(true)
    }

    /// Number of documents as of a recent commit, without touching the store. Good for cost estimates.
    pub fn count_estimate(&self) -> u64 {
        u64::try_from(self.count_estimate.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Revision of the newest write; zero (shown as `"0"`) when nothing was ever written.
    ///
    /// # Errors
    /// Storage errors.
    pub fn revision(&self) -> Result<Revision> {
        let view = self.shared.manager.snapshot()?;
        Ok(counts::totals(&view, self.id)?.revision)
    }

    /// The revision as answers show it.
    ///
    /// # Errors
    /// Storage errors.
    pub fn revision_text(&self) -> Result<String> {
        let revision = self.revision()?;
        Ok(if revision == Revision::default() { "0".to_owned() } else { revision.to_string() })
    }

    /// Takes note of a committed change of the count, and now and then stores the estimates.
    pub(crate) fn count_committed(&self, delta: i64) {
        self.count_estimate.fetch_add(delta, Ordering::Relaxed);
        if self.n_commits.fetch_add(1, Ordering::Relaxed) < COMMITS_PER_ESTIMATES {
            return;
        }
        // What fails changes nothing and is tried again after the next commit.
        if self.store_changed_estimates().is_ok_and(|are_stored| are_stored) {
            self.n_commits.store(0, Ordering::Relaxed);
        }
    }
}

/// Somebody wants to drop a collection.
#[derive(Debug)]
pub(crate) struct AnnouncedEnd(Arc<Collection>);

impl Drop for AnnouncedEnd {
    fn drop(&mut self) {
        self.0.n_ending.fetch_sub(1, Ordering::Relaxed);
    }
}
