//! A store with all its databases.

use std::path::Path;
use std::sync::Arc;

use persea_collections::Databases;
use persea_vpack::{Slice, VPackBuf};

use crate::database::Database;
use crate::error::Result;
use crate::query::RunningQueries;

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
        Ok(Instance::of(Databases::open(path, &persea_collections::Options::default())?))
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

    /// Drops a database with everything in it.
    ///
    /// # Errors
    /// 1228 when there is none, 11 for `_system`.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        self.databases.drop_database(name)?;
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

    pub(crate) fn running(&self) -> &Arc<RunningQueries> {
        &self.running
    }
}
