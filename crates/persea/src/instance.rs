//! A store with all its databases.

use std::path::Path;
use std::sync::Arc;

use persea_collections::Databases;
use persea_vpack::VPackBuf;

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
        Ok(self.databases.drop_database(name)?)
    }

    /// Makes everything that was committed durable.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&self) -> Result<()> {
        Ok(self.databases.checkpoint()?)
    }

    /// The queries that run in a database now: id, text, seconds so far.
    ///
    /// # Errors
    /// When the list can't be built.
    pub fn running_queries(&self, database: &str) -> Result<VPackBuf> {
        self.running.list(database)
    }

    /// Ends a running query.
    ///
    /// # Errors
    /// 1591 when no query of that id runs in the database.
    pub fn kill_query(&self, database: &str, id: &str) -> Result<()> {
        self.running.kill(database, id)
    }

    pub(crate) fn running(&self) -> &Arc<RunningQueries> {
        &self.running
    }
}
