//! A storage in memory that fails as real ones do, for tests of this crate and of those above it.
//!
//! It keeps apart what was written and what was synced. A [power failure](SimulatedStorage::power_failure) drops,
//! reorders or tears what was not synced, names of files included; a [kill](SimulatedStorage::kill) keeps all that
//! was written. It can crash at any operation, run out of space, and refuse operations; a sync that is refused
//! forgets what it should have brought to the disk, as operating systems do.
//!
//! All that is random comes from the seed, so a seed and the same calls give the same run.
//! ```
//! use std::sync::Arc;
//! use persea_wal::simulation::SimulatedStorage;
//! use persea_wal::{Log, Options};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let disk = SimulatedStorage::new(42);
//! let mut options = Options::default();
//! options.sync_interval = None;
//! let (log, _) = Log::open_on(Arc::new(disk.clone()), options.clone(), |_| Ok(()))?;
//! let durable = log.append(1, 0, b"synced")?;
//! log.sync(durable.end)?;
//! log.append(2, 0, b"not synced")?;
//! let disk = disk.power_failure();
//!
//! let mut commits = Vec::new();
//! let (_log, _) = Log::open_on(Arc::new(disk), options, |record| {
//!     commits.push(record.commit);
//!     Ok(())
//! })?;
//! assert!(commits == [1] || commits == [1, 2]);
//! # Ok(())
//! # }
//! ```

mod disk;
mod loss;
mod random;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::shared::lock;
use crate::storage::{Storage, StorageFile};
use disk::{Disk, FileId};
pub use random::Random;

/// An operation that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// [`StorageFile::read_at`].
    Read,
    /// [`StorageFile::write_at`]; a part of the bytes may be written nevertheless.
    Write,
    /// [`StorageFile::sync_data`].
    Sync,
    /// [`Storage::sync_dir`].
    SyncDir,
    /// [`StorageFile::truncate`].
    Truncate,
    /// [`StorageFile::preallocate`].
    Preallocate,
    /// [`Storage::create`].
    Create,
    /// [`Storage::rename`].
    Rename,
    /// [`Storage::remove`].
    Remove,
}

/// A failure that is to come.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// What fails.
    pub operation: Operation,
    /// How often it succeeds before.
    pub n_spared: u32,
    /// How often it fails then.
    pub n_failing: u32,
    /// How it fails.
    pub error: io::ErrorKind,
}

/// A folder in memory; clones are the same folder.
#[derive(Clone)]
pub struct SimulatedStorage {
    disk: Arc<Mutex<Disk>>,
    /// Handles of a process that was killed do nothing any more.
    life: u64,
}

impl SimulatedStorage {
    /// An empty folder.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { disk: Arc::new(Mutex::new(Disk::new(seed))), life: 0 }
    }

    /// Cuts the power: what was not synced is there in part, and all handles are dead.
    /// Returns the folder as the next process sees it.
    pub fn power_failure(&self) -> Self {
        lock(&self.disk).power_failure();
        self.next_life()
    }

    /// Kills the process: what was written is there, and all handles are dead.
    /// Returns the folder as the next process sees it.
    pub fn kill(&self) -> Self {
        lock(&self.disk).kill();
        self.next_life()
    }

    fn next_life(&self) -> Self {
        Self { disk: self.disk.clone(), life: lock(&self.disk).life() }
    }

    /// Crashes in the middle of the operation that comes after `n` more; reads are not counted.
    /// After that all operations fail until [`power_failure`](SimulatedStorage::power_failure) or
    /// [`kill`](SimulatedStorage::kill).
    pub fn crash_after(&self, n: u64) {
        lock(&self.disk).crash_after(n);
    }

    /// Whether the crash that was [announced](SimulatedStorage::crash_after) has come.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        lock(&self.disk).has_crashed()
    }

    /// How many operations there were, without reads.
    #[must_use]
    pub fn n_operations(&self) -> u64 {
        lock(&self.disk).n_operations()
    }

    /// Lets operations fail.
    pub fn inject(&self, fault: Fault) {
        lock(&self.disk).inject(fault);
    }

    /// Takes back all failures that are still to come.
    pub fn heal(&self) {
        lock(&self.disk).heal();
    }

    /// Sets how many bytes all files together may take; `None` for no limit.
    pub fn set_capacity(&self, byte_size: Option<u64>) {
        lock(&self.disk).set_capacity(byte_size);
    }

    /// Sets whether space can be reserved, which it can at first.
    pub fn set_preallocation(&self, is_supported: bool) {
        lock(&self.disk).set_preallocation(is_supported);
    }

    /// Bytes that all files take.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        lock(&self.disk).used_bytes()
    }

    /// Names of the files, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        lock(&self.disk).names()
    }

    /// What a file holds; `None` if there is none of the name.
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        lock(&self.disk).contents(name)
    }

    /// Sets what a file holds, durably, and makes it if need be.
    pub fn set_contents(&self, name: &str, bytes: &[u8]) {
        lock(&self.disk).set_contents(name, bytes);
    }

    /// A copy of the folder as it is on the disk and in memory, with a seed of its own.
    #[must_use]
    pub fn fork(&self, seed: u64) -> Self {
        let disk = lock(&self.disk).fork(seed);
        Self { life: disk.life(), disk: Arc::new(Mutex::new(disk)) }
    }

    fn enter(&self) -> io::Result<MutexGuard<'_, Disk>> {
        let disk = lock(&self.disk);
        disk.check_life(self.life)?;
        Ok(disk)
    }

    fn handle(&self, file: FileId) -> Arc<dyn StorageFile> {
        Arc::new(SimulatedFile { storage: self.clone(), file })
    }
}

impl Storage for SimulatedStorage {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.enter()?.names())
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn StorageFile>> {
        let file = self.enter()?.create(name)?;
        Ok(self.handle(file))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn StorageFile>> {
        let file = self.enter()?.open(name)?;
        Ok(self.handle(file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.enter()?.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.enter()?.remove(name)
    }

    fn sync_dir(&self) -> io::Result<()> {
        self.enter()?.sync_dir()
    }

    fn entropy(&self) -> u64 {
        lock(&self.disk).entropy()
    }
}

struct SimulatedFile {
    storage: SimulatedStorage,
    file: FileId,
}

impl StorageFile for SimulatedFile {
    fn byte_size(&self) -> io::Result<u64> {
        self.storage.enter()?.byte_size(self.file)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.storage.enter()?.read_at(self.file, offset, bytes)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.storage.enter()?.write_at(self.file, offset, bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.storage.enter()?.sync_data(self.file)
    }

    fn truncate(&self, byte_size: u64) -> io::Result<()> {
        self.storage.enter()?.truncate(self.file, byte_size)
    }

    fn preallocate(&self, byte_size: u64) -> io::Result<()> {
        self.storage.enter()?.preallocate(self.file, byte_size)
    }
}
