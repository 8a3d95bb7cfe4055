//! The engines behind one type: an enum, so that no call on the read path is dynamic.

use std::path::Path;

use crate::lmdb::{LmdbRange, LmdbSnapshot, LmdbStore, Options};
use crate::memory::{MemoryRange, MemorySnapshot, MemoryStore};
use crate::store::{Bounds, Direction, Stats, Store, StoreSnapshot, Tree, Write};
use crate::{Error, Result};

/// One of the engines; handles are cheap clones that share the data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// On disk, by LMDB.
    Lmdb(LmdbStore),
    /// In memory only.
    Memory(MemoryStore),
}

impl Engine {
    /// Opens the folder `path`, which is created if missing, and locks it against other writers.
    ///
    /// # Errors
    /// [`Error::FolderInUse`] if someone else has it open, [`Error::Corrupted`] if its files are not ours.
    pub fn open_lmdb(path: impl AsRef<Path>, options: &Options) -> Result<Engine> {
        LmdbStore::open(path.as_ref(), options).map(Engine::Lmdb)
    }

    /// Opens the folder `path` for reading, whether or not a process writes to it, which it doesn't disturb.
    ///
    /// Each snapshot shows what was last written to the file, and nothing is changed but the own slot in LMDB's table of
    /// readers. As long as a snapshot lives, the writer's file keeps the pages that it sees, and grows instead.
    ///
    /// # Errors
    /// [`Error::NoDatabase`] if nobody has written there yet, [`Error::AlreadyOpen`] if this process has it open,
    /// [`Error::Corrupted`] if its files are not ours.
    pub fn open_lmdb_read_only(path: impl AsRef<Path>, options: &Options) -> Result<Engine> {
        LmdbStore::open_read_only(path.as_ref(), options).map(Engine::Lmdb)
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        match self {
            Engine::Lmdb(store) => store.is_read_only(),
            Engine::Memory(_) => false,
        }
    }

    /// An empty engine in memory.
    pub fn memory() -> Engine {
        Engine::Memory(MemoryStore::new())
    }

    /// Short name of the engine: `lmdb` or `memory`.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Lmdb(_) => "lmdb",
            Engine::Memory(_) => "memory",
        }
    }

    /// The engine's folder, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Engine::Lmdb(store) => Some(store.path()),
            Engine::Memory(_) => None,
        }
    }

    /// Makes the reservation at least so large, so that a write of which as much is known finds room while snapshots
    /// live. Those that live now are waited for, for some seconds. Nothing to do for the memory engine.
    ///
    /// # Errors
    /// [`Error::MapFull`] when there is no more to be had, or somebody keeps a snapshot.
    pub fn reserve(&self, n_bytes: u64) -> Result<()> {
        match self {
            Engine::Lmdb(store) => store.reserve(n_bytes),
            Engine::Memory(_) => Ok(()),
        }
    }

    /// Writes a consistent, compacted copy of the whole database into a new folder while reads and writes go on.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for the memory engine; [`Error::Io`] if the target can't be written or is not empty.
    pub fn copy_to(&self, path: impl AsRef<Path>) -> Result<()> {
        match self {
            Engine::Lmdb(store) => store.copy_to(path.as_ref()),
            Engine::Memory(_) => Err(Error::Unsupported("a copy to a folder", "memory")),
        }
    }
}

impl Store for Engine {
    type Snapshot = Snapshot;

    fn snapshot(&self) -> Result<Snapshot> {
        match self {
            Engine::Lmdb(store) => store.snapshot().map(Snapshot::Lmdb),
            Engine::Memory(store) => store.snapshot().map(Snapshot::Memory),
        }
    }

    fn write<'a, I>(&self, batch: I) -> Result<u64>
    where
        I: Iterator<Item = Write<'a>> + Clone,
    {
        match self {
            Engine::Lmdb(store) => store.write(batch),
            Engine::Memory(store) => store.write(batch),
        }
    }

    fn delete_range(&self, tree: Tree, bounds: Bounds<'_>, entries_max: usize) -> Result<usize> {
        match self {
            Engine::Lmdb(store) => store.delete_range(tree, bounds, entries_max),
            Engine::Memory(store) => store.delete_range(tree, bounds, entries_max),
        }
    }

    fn sync(&self) -> Result<()> {
        match self {
            Engine::Lmdb(store) => store.sync(),
            Engine::Memory(store) => store.sync(),
        }
    }

    fn version(&self) -> u64 {
        match self {
            Engine::Lmdb(store) => store.version(),
            Engine::Memory(store) => store.version(),
        }
    }

    fn stats(&self) -> Result<Stats> {
        match self {
            Engine::Lmdb(store) => store.stats(),
            Engine::Memory(store) => store.stats(),
        }
    }
}

/// A consistent, immutable state of an [`Engine`]; can be shared between threads.
#[derive(Debug)]
#[non_exhaustive]
pub enum Snapshot {
    /// Of the LMDB engine.
    Lmdb(LmdbSnapshot),
    /// Of the memory engine.
    Memory(MemorySnapshot),
}

impl StoreSnapshot for Snapshot {
    type Range<'s> = Range<'s>;

    #[inline]
    fn version(&self) -> u64 {
        match self {
            Snapshot::Lmdb(snapshot) => snapshot.version(),
            Snapshot::Memory(snapshot) => snapshot.version(),
        }
    }

    #[inline]
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<&[u8]>> {
        match self {
            Snapshot::Lmdb(snapshot) => snapshot.get(tree, key),
            Snapshot::Memory(snapshot) => snapshot.get(tree, key),
        }
    }

    #[inline]
    fn range(&self, tree: Tree, bounds: Bounds<'_>, direction: Direction) -> Result<Range<'_>> {
        match self {
            Snapshot::Lmdb(snapshot) => snapshot.range(tree, bounds, direction).map(Range::Lmdb),
            Snapshot::Memory(snapshot) => snapshot.range(tree, bounds, direction).map(Range::Memory),
        }
    }

    fn entries(&self, tree: Tree) -> Result<u64> {
        match self {
            Snapshot::Lmdb(snapshot) => snapshot.entries(tree),
            Snapshot::Memory(snapshot) => snapshot.entries(tree),
        }
    }
}

/// Entries of a range, borrowed from the [`Snapshot`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Range<'s> {
    /// Of the LMDB engine.
    Lmdb(LmdbRange<'s>),
    /// Of the memory engine.
    Memory(MemoryRange<'s>),
}

impl<'s> Iterator for Range<'s> {
    type Item = Result<(&'s [u8], &'s [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Range::Lmdb(range) => range.next(),
            Range::Memory(range) => range.next(),
        }
    }
}
