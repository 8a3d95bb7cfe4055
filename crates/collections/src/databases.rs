//! All databases of one server: opening the store, and creating, dropping and finding databases.

use std::path::Path;
use std::sync::Arc;

use ahash::AHashMap;
use parking_lot::{Mutex, RwLock};
use persea_kv::{Engine, Tree};
use persea_txn::TransactionManager;
use persea_vpack::Slice;

use crate::change_lock::ChangeOptions;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::keyspaces::{META_DATABASES, read_u64};
use crate::names::{NamingRules, check_database_name};
use crate::read::EVERYTHING;
use crate::shared::Shared;

/// Name of the database that is always there.
pub(crate) const SYSTEM: &str = "_system";

/// How to open a store.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which characters names may hold.
    pub naming: NamingRules,
    /// Most databases there may be; `None` for no limit.
    pub databases_max: Option<usize>,
    /// Options of the storage engine.
    pub engine: persea_kv::Options,
    /// Options of transactions, log and checkpoints.
    pub transactions: persea_txn::Options,
}

/// All databases of one server.
#[derive(Debug)]
pub struct Databases {
    shared: Arc<Shared>,
    databases_max: Option<usize>,
    by_name: RwLock<AHashMap<String, Arc<Database>>>,
    /// Serialises creating, dropping and following.
    changes: Mutex<()>,
}

impl Databases {
    /// Opens the folder `path`, creating it when it is missing.
    ///
    /// # Errors
    /// [`Error::Storage`] when the folder cannot be opened, [`Error::Corrupt`] when its catalog is damaged.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        let engine = Engine::open_lmdb(path, &options.engine)
            .map_err(|error| Error::Storage(persea_txn::Error::from(error)))?;
        Self::open_engine(engine, options)
    }

    /// Opens the folder `path` for reading, whether or not another process writes to it. Catalog and documents follow
    /// what that one commits; nothing in the folder is changed, and every write is refused.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Storage`] when there is no database yet.
    pub fn open_read_only(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        let engine = Engine::open_lmdb_read_only(path, &options.engine)
            .map_err(|error| Error::Storage(persea_txn::Error::from(error)))?;
        let manager = TransactionManager::open_read_only(engine, options.transactions.clone())?;
        let databases = Self::assemble(manager, options)?;
        databases.load()?;
        Ok(databases)
    }

    /// Databases that live in memory only.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn in_memory() -> Result<Self> {
        Self::open_engine(Engine::memory(), &Options::default())
    }

    fn assemble(manager: TransactionManager, options: &Options) -> Result<Self> {
        Ok(Self {
            shared: Arc::new(Shared::open(manager, options.naming)?),
            databases_max: options.databases_max,
            by_name: RwLock::default(),
            changes: Mutex::new(()),
        })
    }

    /// Opens the databases in `engine`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_engine(engine: Engine, options: &Options) -> Result<Self> {
        Self::open_manager(TransactionManager::open_with(engine, options.transactions.clone())?, options)
    }

    /// Opens the databases that a transaction manager has, which may keep its log anywhere.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_manager(manager: TransactionManager, options: &Options) -> Result<Self> {
        let databases = Self::assemble(manager, options)?;
        match crate::unfinished::clear(&databases.shared.manager) {
            // A full disk is no reason not to read what there is; the next start does it.
            Err(Error::ReadOnly(_)) => {}
            outcome => outcome?,
        }
        databases.load()?;
        if databases.database(SYSTEM).is_err() {
            let database = databases.create(SYSTEM)?;
            databases.by_name.write().insert(SYSTEM.to_owned(), database);
        }
        for database in databases.by_name.read().values() {
            database.ensure_system_collections()?;
        }
        Ok(databases)
    }

    /// Loads the databases that are in the store and not known yet, and forgets those that are not there any more.
    fn load(&self) -> Result<()> {
        let snapshot = self.shared.manager.snapshot()?;
        let mut there = Vec::new();
        for entry in snapshot.range(Tree::Meta, META_DATABASES, EVERYTHING, Default::default())? {
            let (key, value) = entry?;
            let name = Slice::trusted(value).get("name").and_then(|name| name.as_str());
            let (Some(id), Some(name)) = (read_u64(key), name) else {
                return Err(Error::Corrupt("database record".to_owned()));
            };
            there.push(id);
            if self.by_name.read().get(name).is_none_or(|known| known.id() != id) {
                let database = Database::load(&self.shared, id, name)?;
                self.by_name.write().insert(name.to_owned(), database);
            }
        }
        self.by_name.write().retain(|_, database| there.contains(&database.id()));
        Ok(())
    }

    /// Brings the list up to what another process has committed; nothing to do for whoever writes. When it can't be
    /// read, the list stays as it was, and reading a database tells why.
    fn follow(&self) {
        if self.shared.is_read_only {
            // One after the other, so that nobody forgets what another has read from a newer state.
            let _changes = self.changes.lock();
            self.load().unwrap_or_default();
        }
    }

    /// Whether the store was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.shared.is_read_only
    }

    /// The transactions below, for statistics and copies.
    pub fn transactions(&self) -> &TransactionManager {
        &self.shared.manager
    }

    /// The database with this name.
    ///
    /// # Errors
    /// [`Error::DatabaseNotFound`].
    pub fn database(&self, name: &str) -> Result<Arc<Database>> {
        self.follow();
        self.by_name.read().get(name).cloned().ok_or_else(|| Error::DatabaseNotFound(name.to_owned()))
    }

    /// The database that is always there.
    ///
    /// # Errors
    /// None in practice; [`Error::DatabaseNotFound`] would be a bug.
    pub fn system(&self) -> Result<Arc<Database>> {
        self.database(SYSTEM)
    }

    /// Names of all databases, sorted.
    pub fn names(&self) -> Vec<String> {
        self.follow();
        let mut names: Vec<String> = self.by_name.read().keys().cloned().collect();
        names.sort();
        names
    }

    /// Creates a database with its system collections.
    ///
    /// # Errors
    /// [`Error::DatabaseNameInvalid`], [`Error::DuplicateName`], [`Error::ResourceLimit`].
    pub fn create_database(&self, name: &str) -> Result<Arc<Database>> {
        self.shared.check_writable()?;
        if name != SYSTEM {
            check_database_name(name, self.shared.naming)?;
        }
        let _changes = self.changes.lock();
        if self.by_name.read().contains_key(name) {
            return Err(Error::DuplicateName(format!("database '{name}' already exists")));
        }
        if self.databases_max.is_some_and(|most| self.by_name.read().len() >= most) {
            return Err(Error::ResourceLimit("unable to create more databases".to_owned()));
        }
        let database = self.create(name)?;
        self.by_name.write().insert(name.to_owned(), Arc::clone(&database));
        Ok(database)
    }

    fn create(&self, name: &str) -> Result<Arc<Database>> {
        // The first number of a fresh store, so that `_system` has the identifier everybody knows.
        let id = if name == SYSTEM { 1 } else { self.shared.ticks.next()? };
        Database::create(&self.shared, id, name)
    }

    /// Drops a database with everything in it. Waits for who writes to one of its collections.
    ///
    /// # Errors
    /// [`Error::DatabaseNotFound`]; [`Error::Forbidden`] for `_system`; [`Error::LockTimeout`].
    pub fn drop_database(&self, name: &str) -> Result<()> {
        self.drop_database_with(name, &ChangeOptions::default())
    }

    /// As [`drop_database`](Self::drop_database) with waits of its own kind.
    ///
    /// # Errors
    /// As [`drop_database`](Self::drop_database); [`Error::Interrupted`], [`Error::Deadlock`], [`Error::Stopping`].
    pub fn drop_database_with(&self, name: &str, options: &ChangeOptions) -> Result<()> {
        self.shared.check_writable()?;
        if name == SYSTEM {
            return Err(Error::Forbidden("the _system database cannot be dropped".to_owned()));
        }
        // The list of databases is free during the wait. Nobody can take the name as long as this one has it.
        let database = self.database(name)?;
        let outcome = database.drop_contents(options);
        if database.is_dropped() {
            let mut by_name = self.by_name.write();
            if by_name.get(name).is_some_and(|named| named.id() == database.id()) {
                by_name.remove(name);
            }
        }
        outcome
    }
}

impl Databases {
    /// Ends all waits for locks, and those that would begin later at once; for the time before the store is closed.
    pub fn stop_waits(&self) {
        self.shared.manager.stop_waits();
    }

    /// Stores what is otherwise stored now and then only, and waits until everything is on disk. Nothing to do when the
    /// store was opened for reading only.
    ///
    /// # Errors
    /// Storage errors.
    pub fn checkpoint(&self) -> Result<()> {
        if self.shared.is_read_only {
            return Ok(());
        }
        let databases: Vec<Arc<Database>> = self.by_name.read().values().cloned().collect();
        for collection in databases.iter().flat_map(|database| database.collections()) {
            collection.store_all_estimates()?;
        }
        Ok(self.shared.manager.sync()?)
    }
}

impl Drop for Databases {
    fn drop(&mut self) {
        // Only estimates are at stake; there is nobody to tell.
        let _ = self.checkpoint();
    }
}
