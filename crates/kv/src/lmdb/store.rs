//! The engine: batches in, snapshots out, and growth of the reservation when it is exhausted.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use heed::{CompactionOption, MdbError, RwTxn};
use parking_lot::Mutex;

use super::compact::sync_folder;
use super::disk_space::write_error;
use super::environment::{self, Access, DATA_FILE_NAME, SortedWriter};
use super::folder_lock::{FolderLock, ReaderHold};
use super::reader_gate::{FolderHold, ReaderGate};
use super::{Databases, Environment, LmdbSnapshot, Options, WriteSync, engine_error};
use crate::store::{Bounds, Stats, Store, Tree, Write, is_empty_range};
use crate::{Error, Result};

/// How long a writer that needs a larger reservation waits for snapshots to end.
const GROWTH_PATIENCE: Duration = Duration::from_secs(5);

/// How often, at the most, a writer looks for readers that were killed.
const STALE_READERS_INTERVAL: Duration = Duration::from_secs(1);

/// An engine on disk; handles are cheap clones that share the environment.
#[derive(Clone)]
pub struct LmdbStore {
    inner: Arc<Inner>,
}

struct Inner {
    // Fields are dropped in this order: the gate holds the folder, which is free only when the environment is closed.
    environment: Environment,
    databases: Databases,
    gate: Arc<ReaderGate>,
    write_sync: WriteSync,
    access: Access,
    /// Serialises writers ahead of LMDB's own mutex, so that growth happens with no write transaction alive. It holds
    /// when stale readers were last looked for.
    writer: Mutex<Instant>,
}

impl LmdbStore {
    /// Opens `folder`; see [`Engine::open_lmdb`](crate::Engine::open_lmdb).
    ///
    /// # Errors
    /// [`Error::FolderInUse`], [`Error::Corrupted`], [`Error::Io`].
    pub fn open(folder: &Path, options: &Options) -> Result<LmdbStore> {
        std::fs::create_dir_all(folder)?;
        let folder_lock = FolderLock::acquire(folder)?;
        super::compact::clear_up(folder)?;
        let environment = environment::open(folder, options, Access::ReadWrite)?;
        let databases = environment::open_databases(&environment)?;
        let hold = FolderHold::Writer(folder_lock);
        Ok(LmdbStore::assemble(environment, databases, hold, options, Access::ReadWrite))
    }

    /// Opens `folder` for reading; see [`Engine::open_lmdb_read_only`](crate::Engine::open_lmdb_read_only).
    ///
    /// # Errors
    /// [`Error::NoDatabase`], [`Error::AlreadyOpen`], [`Error::Corrupted`], [`Error::Io`].
    pub fn open_read_only(folder: &Path, options: &Options) -> Result<LmdbStore> {
        let hold = ReaderHold::share(folder)?;
        let environment = environment::open(folder, options, Access::ReadOnly)?;
        let databases = environment::open_existing_databases(&environment)?
            .ok_or_else(|| Error::NoDatabase { path: folder.to_path_buf() })?;
        let hold = FolderHold::Reader(hold);
        Ok(LmdbStore::assemble(environment, databases, hold, options, Access::ReadOnly))
    }

    fn assemble(
        environment: Environment,
        databases: Databases,
        hold: FolderHold,
        options: &Options,
        access: Access,
    ) -> LmdbStore {
        let gate = Arc::new(ReaderGate::new(hold));
        let write_sync = options.write_sync;
        let writer = Mutex::new(Instant::now());
        LmdbStore { inner: Arc::new(Inner { environment, databases, gate, write_sync, access, writer }) }
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.inner.access == Access::ReadOnly
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.inner.environment.path()
    }

    /// Writes a compacted copy into `folder`; see [`Engine::copy_to`](crate::Engine::copy_to).
    ///
    /// # Errors
    /// [`Error::Io`] if the folder can't be written or has a database already.
    pub fn copy_to(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(DATA_FILE_NAME);
        let mut file = std::fs::File::create_new(&path)?;
        // Makes room for what another process has written, which copying by itself does not.
        drop(self.snapshot()?);
        let _pass = self.inner.gate.enter();
        let copied = self.inner.environment.copy_to_file(&mut file, CompactionOption::Enabled);
        let synced = copied.map_err(engine_error).and_then(|()| Ok(file.sync_all()?));
        if synced.is_err() {
            // Half a copy is worse than none; the first failure is the one to tell of.
            std::fs::remove_file(&path).unwrap_or_default();
        }
        synced?;
        sync_folder(folder)?;
        // The folder itself may be new.
        folder.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), sync_folder)
    }

    /// Runs `attempt` in a write transaction; grows the reservation and runs it again if that is exhausted.
    fn with_transaction<T>(
        &self,
        mut attempt: impl FnMut(&mut RwTxn<'_>) -> heed::Result<T>,
    ) -> Result<(T, u64)> {
        let inner = &*self.inner;
        if inner.access == Access::ReadOnly {
            return Err(Error::ReadOnly);
        }
        let mut stale_looked_for = inner.writer.lock();
        if stale_looked_for.elapsed() >= STALE_READERS_INTERVAL {
            environment::clear_stale_readers(&inner.environment)?;
            *stale_looked_for = Instant::now();
        }
        loop {
            let outcome = inner.environment.write_txn().and_then(|mut transaction| {
                let output = attempt(&mut transaction)?;
                transaction.commit()?;
                Ok(output)
            });
            match outcome {
                Ok(output) => return Ok((output, self.version())),
                Err(heed::Error::Mdb(MdbError::MapFull)) => self.grow()?,
                Err(error) => return Err(write_error(error, self.path())),
            }
        }
    }

    /// See [`Engine::reserve`](crate::Engine::reserve).
    ///
    /// # Errors
    /// [`Error::MapFull`].
    pub fn reserve(&self, n_bytes: u64) -> Result<()> {
        let _writer = self.inner.writer.lock();
        while (self.inner.environment.info().map_size as u64) < n_bytes {
            self.grow()?;
        }
        Ok(())
    }

    fn grow(&self) -> Result<()> {
        let environment = &self.inner.environment;
        match self.inner.gate.with_none_alive(GROWTH_PATIENCE, || environment::grow(environment)) {
            Some(Ok(true)) => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(false)) | None => Err(Error::MapFull { map_bytes: environment.info().map_size }),
        }
    }

    /// Makes room for what another process has written.
    fn follow_growth(&self) -> Result<()> {
        let environment = &self.inner.environment;
        match self.inner.gate.with_none_alive(GROWTH_PATIENCE, || environment::follow_growth(environment)) {
            Some(Ok(true)) => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(false)) | None => Err(Error::MapFull { map_bytes: environment.info().map_size }),
        }
    }
}

impl Store for LmdbStore {
    type Snapshot = LmdbSnapshot;

    fn snapshot(&self) -> Result<LmdbSnapshot> {
        loop {
            let pass = self.inner.gate.enter();
            match LmdbSnapshot::begin(&self.inner.environment, self.inner.databases, pass)? {
                Some(snapshot) => return Ok(snapshot),
                None => self.follow_growth()?,
            }
        }
    }

    fn write<'a, I>(&self, batch: I) -> Result<u64>
    where
        I: Iterator<Item = Write<'a>> + Clone,
    {
        batch.clone().try_for_each(|write| write.check())?;
        let ((), version) =
            self.with_transaction(|transaction| apply(&self.inner.databases, transaction, batch.clone()))?;
        Ok(version)
    }

    fn delete_range(&self, tree: Tree, bounds: Bounds<'_>, entries_max: usize) -> Result<usize> {
        if is_empty_range(&bounds) {
            return Ok(0);
        }
        let bounds = match bounds {
            (std::ops::Bound::Included([]) | std::ops::Bound::Excluded([]), end) => {
                (std::ops::Bound::Unbounded, end)
            }
            bounds => bounds,
        };
        let database = self.inner.databases.of(tree);
        let (n_deleted, _) = self.with_transaction(|transaction| {
            SortedWriter::delete_range(database, transaction, bounds, entries_max)
        })?;
        Ok(n_deleted)
    }

    fn sync(&self) -> Result<()> {
        match self.inner.write_sync {
            WriteSync::EveryWrite => Ok(()),
            WriteSync::OnDemand => {
                self.inner.environment.force_sync().map_err(|error| write_error(error, self.path()))
            }
        }
    }

    fn version(&self) -> u64 {
        self.inner.environment.info().last_txn_id as u64
    }

    fn stats(&self) -> Result<Stats> {
        use crate::StoreSnapshot;
        let snapshot = self.snapshot()?;
        let mut entries = [0; Tree::COUNT];
        for (count, tree) in entries.iter_mut().zip(Tree::ALL) {
            *count = snapshot.entries(tree)?;
        }
        drop(snapshot);
        Ok(Stats {
            entries,
            used_bytes: self.inner.environment.real_disk_size().map_err(engine_error)?,
            reserved_bytes: self.inner.environment.info().map_size as u64,
            live_snapshots: self.inner.gate.n_live(),
        })
    }
}

impl std::fmt::Debug for LmdbStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LmdbStore")
            .field("path", &self.inner.environment.path())
            .finish_non_exhaustive()
    }
}

/// Applies a batch in order; runs of puts to one tree share a cursor.
fn apply<'a>(
    databases: &Databases,
    transaction: &mut RwTxn<'_>,
    batch: impl Iterator<Item = Write<'a>>,
) -> heed::Result<()> {
    let mut batch = batch.peekable();
    while let Some(write) = batch.next() {
        let database = databases.of(write.tree);
        let Some(value) = write.value else {
            database.delete(transaction, write.key)?;
            continue;
        };
        let mut writer = SortedWriter::new(database, transaction)?;
        writer.put(write.key, value)?;
        let is_same_run = |next: &Write<'_>| next.tree == write.tree && next.value.is_some();
        while let Some(Write { key, value: Some(value), .. }) = batch.next_if(is_same_run) {
            writer.put(key, value)?;
        }
    }
    Ok(())
}
