//! The delta: committed versions that are newer than what the engine holds, in memory.
//!
//! One thread at a time adds whole commits while any number of readers look at older states. A delta is filled, then
//! frozen and written to the engine, and dropped with the last snapshot that reads it; nothing is ever removed from it.

mod arena;
mod directory;
mod filter;
mod range;
mod skip_list;

use std::sync::OnceLock;
use std::time::Instant;

use persea_kv::{Bounds, Direction, Tree, Write};

use crate::CommitSeq;
use filter::Filter;
pub(crate) use filter::KeyHash;
pub(crate) use range::DeltaRange;
pub(crate) use skip_list::Written;
use skip_list::{SkipList, Writer};

/// What an entry takes at the least; tells how many keys the filter has to expect.
const ENTRY_BYTES_TYPICAL: usize = 128;
const FILTER_KEYS_MIN: usize = 1 << 10;
/// A delta without a sensible limit is one of few keys in most cases; with more than that the filter only lets more pass.
const FILTER_KEYS_MAX: usize = 1 << 24;

/// Committed versions of keys of all trees.
#[derive(Debug)]
pub(crate) struct Delta {
    trees: [SkipList; Tree::COUNT],
    filter: Filter,
    born: OnceLock<Instant>,
}

impl Delta {
    /// An empty delta that is meant to hold about so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Delta {
        let n_keys = (bytes_max / ENTRY_BYTES_TYPICAL).clamp(FILTER_KEYS_MIN, FILTER_KEYS_MAX);
        Delta {
            trees: std::array::from_fn(|_| SkipList::new()),
            filter: Filter::new(n_keys),
            born: OnceLock::new(),
        }
    }

    fn tree(&self, tree: Tree) -> &SkipList {
        match tree {
            Tree::Documents => &self.trees[0],
            Tree::Index => &self.trees[1],
            Tree::Meta => &self.trees[2],
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.born.get().is_none()
    }

    /// Bytes of memory taken.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.trees.iter().map(SkipList::allocated_bytes).sum()
    }

    /// Number of different keys.
    pub(crate) fn n_keys(&self) -> usize {
        self.trees.iter().map(SkipList::n_keys).sum()
    }

    /// When the first commit was added.
    pub(crate) fn born(&self) -> Option<Instant> {
        self.born.get().copied()
    }

    /// What was last written to a key at or before `seq`; `None` if nothing.
    #[inline]
    pub(crate) fn get(&self, tree: Tree, full: &[u8], hash: KeyHash, seq: CommitSeq) -> Option<Written<'_>> {
        if !self.filter.may_contain(hash) {
            return None;
        }
        self.tree(tree).find(full)?.version_at(seq)
    }

    /// What was written to the keys of a range at or before `seq`.
    pub(crate) fn range(
        &self,
        tree: Tree,
        bounds: Bounds<'_>,
        direction: Direction,
        seq: CommitSeq,
    ) -> DeltaRange<'_> {
        DeltaRange::new(self.tree(tree), bounds, direction, seq)
    }

    /// The newest version of each key in the order that the engine likes best. Nobody may be writing any more.
    pub(crate) fn writes(&self) -> impl Iterator<Item = Write<'_>> + Clone {
        self.writes_between(CommitSeq(0), CommitSeq(u64::MAX))
    }

    /// What the commits after `base` and up to `seq` leave of each key that they wrote, in the same order.
    pub(crate) fn writes_between(
        &self,
        base: CommitSeq,
        seq: CommitSeq,
    ) -> impl Iterator<Item = Write<'_>> + Clone {
        Tree::ALL.into_iter().flat_map(move |tree| {
            std::iter::successors(self.tree(tree).first(), |node| node.next()).filter_map(move |node| {
                let (written_at, value) = node.numbered_version_at(seq)?;
                (written_at > base).then_some(Write { tree, key: node.key(), value })
            })
        })
    }

    /// The right to add commits, for one at a time.
    pub(crate) fn writer(&self) -> DeltaWriter<'_> {
        self.born.get_or_init(Instant::now);
        DeltaWriter { delta: self, trees: self.trees.each_ref().map(SkipList::writer) }
    }
}

/// Adds commits to a delta.
pub(crate) struct DeltaWriter<'d> {
    delta: &'d Delta,
    trees: [Writer<'d>; Tree::COUNT],
}

impl DeltaWriter<'_> {
    /// Adds one write. Commits come in ascending order.
    pub(crate) fn put(&mut self, seq: CommitSeq, write: Write<'_>) {
        let writer = match write.tree {
            Tree::Documents => &mut self.trees[0],
            Tree::Index => &mut self.trees[1],
            Tree::Meta => &mut self.trees[2],
        };
        if writer.put(write.key, seq, write.value) {
            self.delta.filter.add(KeyHash::new(write.tree, write.key));
        }
    }
}

#[cfg(test)]
mod tests;
