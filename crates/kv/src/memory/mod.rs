//! The memory engine: one copy-on-write tree for each [`Tree`], for tests and in-memory databases.
//!
//! A writer changes a private copy of the three roots and publishes them when the whole batch is applied, so a batch
//! is atomic, readers never wait for it, and a snapshot costs three reference counts.

mod cow_tree;
mod range;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::Result;
use crate::store::{Bounds, Direction, Stats, Store, StoreSnapshot, Tree, Write, is_empty_range};
use cow_tree::CowTree;
pub use range::MemoryRange;

/// An engine that keeps everything in memory; handles are cheap clones that share the data.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    published: RwLock<State>,
    writer: Mutex<()>,
    live_snapshots: Arc<AtomicU64>,
}

#[derive(Clone, Debug, Default)]
struct State {
    trees: [CowTree; Tree::COUNT],
    version: u64,
}

impl State {
    fn tree(&self, tree: Tree) -> &CowTree {
        match tree {
            Tree::Documents => &self.trees[0],
            Tree::Index => &self.trees[1],
            Tree::Meta => &self.trees[2],
        }
    }

    fn tree_mut(&mut self, tree: Tree) -> &mut CowTree {
        match tree {
            Tree::Documents => &mut self.trees[0],
            Tree::Index => &mut self.trees[1],
            Tree::Meta => &mut self.trees[2],
        }
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    fn publish(&self, mut state: State) -> u64 {
        state.version += 1;
        let version = state.version;
        let replaced = std::mem::replace(&mut *self.inner.published.write(), state);
        drop(replaced);
        version
    }
}

impl Store for MemoryStore {
    type Snapshot = MemorySnapshot;

    fn snapshot(&self) -> Result<MemorySnapshot> {
        let live = self.inner.live_snapshots.clone();
        live.fetch_add(1, Ordering::Relaxed);
        Ok(MemorySnapshot { state: self.inner.published.read().clone(), live })
    }

    fn write<'a, I>(&self, batch: I) -> Result<u64>
    where
        I: Iterator<Item = Write<'a>> + Clone,
    {
        let _writer = self.inner.writer.lock();
        let mut state = self.inner.published.read().clone();
        let mut changed = false;
        for write in batch {
            write.check()?;
            let tree = state.tree_mut(write.tree);
            match write.value {
                Some(value) => {
                    tree.insert(write.key, value);
                    changed = true;
                }
                None => changed |= tree.remove(write.key),
            }
        }
        Ok(if changed { self.publish(state) } else { state.version })
    }

    fn delete_range(&self, tree: Tree, bounds: Bounds<'_>, entries_max: usize) -> Result<usize> {
        if is_empty_range(&bounds) {
            return Ok(0);
        }
        let _writer = self.inner.writer.lock();
        let before = self.inner.published.read().clone();
        let mut state = before.clone();
        let mut n_deleted = 0;
        for (key, _) in before.tree(tree).range(bounds, Direction::Forward).take(entries_max) {
            state.tree_mut(tree).remove(key);
            n_deleted += 1;
        }
        if n_deleted > 0 {
            self.publish(state);
        }
        Ok(n_deleted)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn version(&self) -> u64 {
        self.inner.published.read().version
    }

    fn stats(&self) -> Result<Stats> {
        let state = self.inner.published.read().clone();
        Ok(Stats {
            entries: Tree::ALL.map(|tree| state.tree(tree).entries()),
            used_bytes: state.trees.iter().map(CowTree::data_bytes).sum(),
            reserved_bytes: 0,
            live_snapshots: self.inner.live_snapshots.load(Ordering::Relaxed),
        })
    }
}

/// A state of a [`MemoryStore`]; costs nothing to hold but the memory of what was changed since.
#[derive(Debug)]
pub struct MemorySnapshot {
    state: State,
    live: Arc<AtomicU64>,
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
    }
}

impl StoreSnapshot for MemorySnapshot {
    type Range<'s> = MemoryRange<'s>;

    fn version(&self) -> u64 {
        self.state.version
    }

    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<&[u8]>> {
        Ok(self.state.tree(tree).get(key))
    }

    fn range(&self, tree: Tree, bounds: Bounds<'_>, direction: Direction) -> Result<MemoryRange<'_>> {
        if is_empty_range(&bounds) {
            return Ok(MemoryRange::empty());
        }
        Ok(MemoryRange::new(self.state.tree(tree).range(bounds, direction)))
    }

    fn entries(&self, tree: Tree) -> Result<u64> {
        Ok(self.state.tree(tree).entries())
    }
}
