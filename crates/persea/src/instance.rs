//! A store with all its databases.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use persea_collections::{ChangeOptions, Databases, Interrupt};
use persea_vpack::{Slice, VPackBuf};

use crate::database::Database;
use crate::error::Result;
use crate::metrics::StorageMetrics;
use crate::query::RunningQueries;

/// How a store is opened. Begin with the default, and change what should differ.
///
/// ```
/// # fn main() -> Result<(), persea::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path();
/// let mut options = persea::InstanceOptions::default();
/// options.delta_bytes_max = 16 << 20;
/// let instance = persea::Instance::open_with(path, &options)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstanceOptions {
    /// How often writes that nobody waits for are brought to the disk: 100 ms by default. What was acknowledged in
    /// between survives the end of the process, but not a power failure. `None` never does it by itself.
    pub log_sync_interval: Option<Duration>,
    /// Opens in spite of damage in the middle of the log, without the commits that can't be read: off by default.
    pub ignore_log_damage: bool,
    /// Memory in bytes for commits that are in the log only: 64 MiB by default. A checkpoint brings them to LMDB when it
    /// is used up; while that goes on, as much again may be used.
    pub delta_bytes_max: usize,
    /// A checkpoint begins at the latest so long after the first commit that is in the log only: 10 s by default.
    pub checkpoint_interval: Duration,
    /// How long a query or transaction may go on to read a state that is outdated by newer commits, to within half a
    /// second; without limit by default. What reads on after that fails with number 1654. LMDB keeps every page
    /// that a reader can see, so a reader without end makes the file grow with each write.
    pub snapshot_age_max: Option<Duration>,
}

impl Default for InstanceOptions {
    fn default() -> InstanceOptions {
        let options = persea_collections::Options::default().transactions;
        InstanceOptions {
            log_sync_interval: options.sync_interval,
            ignore_log_damage: options.ignore_log_damage,
            delta_bytes_max: options.delta_bytes_max,
            checkpoint_interval: options.checkpoint_interval,
            snapshot_age_max: options.snapshot_age_max,
        }
    }
}

impl InstanceOptions {
    pub(crate) fn for_store(&self) -> persea_collections::Options {
        let mut options = persea_collections::Options::default();
        let transactions = &mut options.transactions;
        transactions.sync_interval = self.log_sync_interval;
        transactions.ignore_log_damage = self.ignore_log_damage;
        transactions.delta_bytes_max = self.delta_bytes_max;
        transactions.checkpoint_interval = self.checkpoint_interval;
        transactions.snapshot_age_max = self.snapshot_age_max;
        options
    }
}

/// A store with all its databases; what a server works on.
///
/// Clones are handles to the same store. A program that needs one database only uses [`Database::open`].
#[derive(Clone)]
pub struct Instance {
    databases: Arc<Databases>,
    running: Arc<RunningQueries>,
}

impl Instance {
    /// Opens the folder `path`, making it when it is missing.
    ///
    /// # Errors
    /// When the folder can't be opened, another process has it, or its catalog is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Instance> {
        Instance::open_with(path, &InstanceOptions::default())
    }

    /// As [`open`](Instance::open), with options.
    ///
    /// # Errors
    /// As [`open`](Instance::open).
    pub fn open_with(path: impl AsRef<Path>, options: &InstanceOptions) -> Result<Instance> {
        Ok(Instance::of(Databases::open(path, &options.for_store())?))
    }

    /// Opens the folder `path` for reading, while another process writes to it or while none does.
    ///
    /// Each read and query shows every commit that was acknowledged before it began, those too that are only in the log
    /// as yet; collections that the other process makes turn up. The other process is neither waited for nor
    /// made to wait. Nothing in the folder is changed but a slot in LMDB's lock file, and every write is refused with
    /// number 1004. If the other process is killed, this one goes on with all that it had acknowledged.
    ///
    /// As long as a query runs here, LMDB's file keeps the pages that it reads, and grows instead.
    ///
    /// # Errors
    /// When there is no database, this process has the folder open already, or its files are damaged.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Instance> {
        Instance::open_read_only_with(path, &InstanceOptions::default())
    }

    /// As [`open_read_only`](Instance::open_read_only), with options.
    ///
    /// # Errors
    /// As [`open_read_only`](Instance::open_read_only).
    pub fn open_read_only_with(path: impl AsRef<Path>, options: &InstanceOptions) -> Result<Instance> {
        Ok(Instance::of(Databases::open_read_only(path, &options.for_store())?))
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.databases.is_read_only()
    }

    /// What the storage has done since it was opened, and what it holds now.
    pub fn storage_metrics(&self) -> StorageMetrics {
        StorageMetrics::of(self.databases.transactions())
    }

    /// Writes a consistent copy of everything acknowledged so far into the folder `path`, which must not hold a database,
    /// while reads and writes go on. Gives the number of a commit that the copy has, with all before it.
    ///
    /// # Errors
    /// When the copy can't be written.
    pub fn copy_to(&self, path: impl AsRef<Path>) -> Result<u64> {
        let copied = self.databases.transactions().copy_to(path).map_err(persea_collections::Error::from)?;
        Ok(copied.0)
    }

    /// A store in memory only.
    ///
    /// # Errors
    /// When memory can't be had.
    pub fn in_memory() -> Result<Instance> {
        Ok(Instance::of(Databases::in_memory()?))
    }

    fn of(databases: Databases) -> Instance {
        Instance { databases: Arc::new(databases), running: Arc::new(RunningQueries::default()) }
    }

    /// The names of all databases, sorted.
    pub fn database_names(&self) -> Vec<String> {
        self.databases.names()
    }

    /// The database of this name.
    ///
    /// # Errors
    /// Number 1228 when there is none.
    pub fn database(&self, name: &str) -> Result<Database> {
        Ok(Database::new(self.databases.database(name)?, self.clone()))
    }

    /// Makes a database.
    ///
    /// # Errors
    /// 1229 for a bad name, 1207 for one that is taken.
    pub fn create_database(&self, name: &str) -> Result<Database> {
        Ok(Database::new(self.databases.create_database(name)?, self.clone()))
    }

    /// Drops a database with everything in it. Waits for transactions that write to one of its collections; later ones
    /// wait.
    ///
    /// # Errors
    /// 1228 when there is none, 11 for `_system`, 18 when others write to it for too long.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        self.drop_database_as(name, &ChangeOptions::default())
    }

    /// As [`drop_database`](Instance::drop_database) with waits that `interrupt` ends.
    ///
    /// # Errors
    /// As [`drop_database`](Instance::drop_database); 21 when a wait was interrupted, and nothing is changed then.
    pub fn drop_database_unless(&self, name: &str, interrupt: &Interrupt) -> Result<()> {
        let interrupt = Some(interrupt.clone());
        self.drop_database_as(name, &ChangeOptions { interrupt, ..ChangeOptions::default() })
    }

    fn drop_database_as(&self, name: &str, options: &ChangeOptions) -> Result<()> {
        self.databases.drop_database_with(name, options)?;
        self.running.forget(name);
        Ok(())
    }

    /// Makes everything that was committed durable.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&self) -> Result<()> {
        Ok(self.databases.checkpoint()?)
    }

    /// Ends all waits for locks with number 30, and those that would begin later at once; for the time before the store
    /// is closed.
    pub fn stop_waits(&self) {
        self.databases.stop_waits();
    }

    /// The queries that run now, of one database or of all: id, text, bind values, seconds so far.
    ///
    /// # Errors
    /// When the list can't be built.
    pub fn running_queries(&self, database: Option<&str>) -> Result<VPackBuf> {
        self.running.list(database)
    }

    /// The slow queries that ended lately, of one database or of all; the oldest first.
    ///
    /// # Errors
    /// When the list can't be built.
    pub fn slow_queries(&self, database: Option<&str>) -> Result<VPackBuf> {
        self.running.list_slow(database)
    }

    /// Forgets the slow queries of one database or of all.
    pub fn clear_slow_queries(&self, database: Option<&str>) {
        self.running.clear_slow(database);
    }

    /// Ends a running query of one database or of any.
    ///
    /// # Errors
    /// 1591 when no query of that id runs there.
    pub fn kill_query(&self, database: Option<&str>, id: &str) -> Result<()> {
        self.running.kill(database, id)
    }

    /// What a database keeps about its queries: `enabled`, `slowQueryThreshold`, `maxSlowQueries` and so on.
    ///
    /// # Errors
    /// When the answer can't be built.
    pub fn query_tracking(&self, database: &str) -> Result<VPackBuf> {
        self.running.properties(database)
    }

    /// Changes some of what a database keeps about its queries, and gives all of it. It lasts until the next start.
    ///
    /// # Errors
    /// 17 and 10 for members of the wrong type or value, 400 for what is no object.
    pub fn set_query_tracking(&self, database: &str, changes: Slice<'_>) -> Result<VPackBuf> {
        self.running.set_properties(database, changes)
    }

    pub(crate) fn store(&self) -> &Databases {
        &self.databases
    }

    pub(crate) fn running(&self) -> &Arc<RunningQueries> {
        &self.running
    }
}
