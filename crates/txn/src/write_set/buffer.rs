//! The mutable end of a write set: appends to an arena, finds keys, rolls back to marks, seals into a layer.
//!
//! As long as keys come in ascending order, as they do in loads, a new key is told by the last one and others are found
//! by bisection. With the first that doesn't, keys are found by hash from then on.

use std::sync::Arc;

use ahash::RandomState;
use hashbrown::HashTable;
use persea_kv::Tree;

use super::Slot;
use super::layer::{Layer, TreeLayer};

/// The writes of one tree in the order they were made.
#[derive(Debug, Default)]
struct TreeBuffer {
    data: Vec<u8>,
    /// One slot a key, in order of the key's first write.
    slots: Vec<Slot>,
    /// Positions in `slots` by the full key; none while `slots` are in ascending order.
    index: Option<HashTable<IndexEntry>>,
    /// Slots that a later write of the same key replaced, for rollback.
    replaced: Vec<(u32, Slot)>,
}

/// The hash is kept beside the position, so that growing the table and most mismatches don't touch the keys.
#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    hash: u32,
    position: u32,
}

impl IndexEntry {
    fn new(hasher: &RandomState, full: &[u8], position: u32) -> IndexEntry {
        IndexEntry { hash: hash_of(hasher, full), position }
    }

    /// The hash as the table wants it, which looks at its lowest and its highest bits.
    fn table_hash(&self) -> u64 {
        spread(self.hash)
    }
}

fn hash_of(hasher: &RandomState, full: &[u8]) -> u32 {
    hasher.hash_one(full) as u32
}

fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// A point that a [`TreeBuffer`] can be rolled back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TreeMark {
    data_len: usize,
    n_slots: usize,
    n_replaced: usize,
}

/// A point that a [`Buffer`] can be rolled back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferMark([TreeMark; Tree::COUNT]);

impl TreeBuffer {
    fn find(&self, hasher: &RandomState, full: &[u8]) -> Option<u32> {
        match &self.index {
            Some(index) => self.find_by_hash(index, hash_of(hasher, full), full),
            None => self.bisect(full),
        }
    }

    fn find_by_hash(&self, index: &HashTable<IndexEntry>, hash: u32, full: &[u8]) -> Option<u32> {
        let is_same = |entry: &IndexEntry| {
            entry.hash == hash && self.slot(entry.position).is_some_and(|slot| slot.key(&self.data) == full)
        };
        index.find(spread(hash), is_same).map(|entry| entry.position)
    }

    fn bisect(&self, full: &[u8]) -> Option<u32> {
        if self.is_behind_all(full) {
            return None;
        }
        let found = self.slots.binary_search_by(|slot| slot.key(&self.data).cmp(full));
        found.ok().map(|position| position as u32)
    }

    /// Whether the slots, in ascending order, end below the key.
    fn is_behind_all(&self, full: &[u8]) -> bool {
        self.slots.last().is_none_or(|last| last.key(&self.data) < full)
    }

    fn slot(&self, position: u32) -> Option<Slot> {
        self.slots.get(position as usize).copied()
    }

    fn put(&mut self, hasher: &RandomState, keyspace: u64, key: &[u8], value: Option<&[u8]>) {
        let slot = Slot::append(&mut self.data, keyspace, key, value);
        if self.index.is_none() && self.is_behind_all(slot.key(&self.data)) {
            self.slots.push(slot);
            return;
        }
        match self.find(hasher, slot.key(&self.data)) {
            Some(position) => {
                if let Some(old) = self.slots.get_mut(position as usize) {
                    self.replaced.push((position, *old));
                    *old = slot;
                }
            }
            None => self.push_out_of_order(hasher, slot),
        }
    }

    fn push_out_of_order(&mut self, hasher: &RandomState, slot: Slot) {
        // A slot takes more than 16 bytes, so memory ends long before positions do.
        let entry = |slot: &Slot, position| IndexEntry::new(hasher, slot.key(&self.data), position as u32);
        let index = self.index.get_or_insert_with(|| {
            let mut index = HashTable::with_capacity(self.slots.len() + 1);
            for (position, slot) in self.slots.iter().enumerate() {
                let entry = entry(slot, position);
                index.insert_unique(entry.table_hash(), entry, IndexEntry::table_hash);
            }
            index
        });
        let entry = entry(&slot, self.slots.len());
        index.insert_unique(entry.table_hash(), entry, IndexEntry::table_hash);
        self.slots.push(slot);
    }

    fn get(&self, hasher: &RandomState, full: &[u8]) -> Option<Option<&[u8]>> {
        if self.slots.is_empty() {
            return None;
        }
        let position = self.find(hasher, full)?;
        Some(self.slot(position)?.value(&self.data))
    }

    fn mark(&self) -> TreeMark {
        TreeMark { data_len: self.data.len(), n_slots: self.slots.len(), n_replaced: self.replaced.len() }
    }

    fn can_roll_back_to(&self, mark: &TreeMark) -> bool {
        mark.data_len <= self.data.len()
            && mark.n_slots <= self.slots.len()
            && mark.n_replaced <= self.replaced.len()
    }

    fn roll_back_to(&mut self, hasher: &RandomState, mark: &TreeMark) {
        undo_replaced(&mut self.slots, &self.replaced, mark.n_replaced);
        self.replaced.truncate(mark.n_replaced);
        while self.slots.len() > mark.n_slots {
            let Some(slot) = self.slots.pop() else { break };
            let Some(index) = &mut self.index else { continue };
            let position = self.slots.len() as u32;
            let hash = hash_of(hasher, slot.key(&self.data));
            if let Ok(found) = index.find_entry(spread(hash), |entry| entry.position == position) {
                found.remove();
            }
        }
        self.data.truncate(mark.data_len);
    }

    fn seal(&mut self) -> TreeLayer {
        let data = std::mem::take(&mut self.data);
        let slots = std::mem::take(&mut self.slots);
        self.replaced.clear();
        let is_sorted = self.index.take().is_none();
        TreeLayer::new(Arc::new(data), slots, is_sorted)
    }
}

/// Brings back, latest first, the slots that were replaced after the first `n_kept` replacements.
fn undo_replaced(slots: &mut [Slot], replaced: &[(u32, Slot)], n_kept: usize) {
    for (position, old) in replaced.iter().skip(n_kept).rev() {
        if let Some(slot) = slots.get_mut(*position as usize) {
            *slot = *old;
        }
    }
}

/// The writes since the last seal.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    trees: [TreeBuffer; Tree::COUNT],
    hasher: RandomState,
}

impl Buffer {
    fn tree(&self, tree: Tree) -> &TreeBuffer {
        match tree {
            Tree::Documents => &self.trees[0],
            Tree::Index => &self.trees[1],
            Tree::Meta => &self.trees[2],
        }
    }

    fn tree_mut(&mut self, tree: Tree) -> &mut TreeBuffer {
        match tree {
            Tree::Documents => &mut self.trees[0],
            Tree::Index => &mut self.trees[1],
            Tree::Meta => &mut self.trees[2],
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.trees.iter().all(|tree| tree.slots.is_empty())
    }

    /// Bytes of keys and values held, including those overwritten since.
    pub(crate) fn data_bytes(&self) -> usize {
        self.trees.iter().map(|tree| tree.data.len()).sum()
    }

    /// Writes a key; `None` deletes it. Lengths were checked before.
    pub(crate) fn put(&mut self, tree: Tree, keyspace: u64, key: &[u8], value: Option<&[u8]>) {
        let Buffer { trees, hasher } = self;
        let buffer = match tree {
            Tree::Documents => &mut trees[0],
            Tree::Index => &mut trees[1],
            Tree::Meta => &mut trees[2],
        };
        buffer.put(hasher, keyspace, key, value);
    }

    /// What was written to the key: a value or a delete; `None` if nothing.
    pub(crate) fn get(&self, tree: Tree, full: &[u8]) -> Option<Option<&[u8]>> {
        self.tree(tree).get(&self.hasher, full)
    }

    pub(crate) fn mark(&self) -> BufferMark {
        BufferMark([self.trees[0].mark(), self.trees[1].mark(), self.trees[2].mark()])
    }

    /// Undoes every write after `mark`; false if the mark lies in the future, that is in an undone past.
    pub(crate) fn roll_back_to(&mut self, mark: &BufferMark) -> bool {
        if !self.trees.iter().zip(&mark.0).all(|(tree, mark)| tree.can_roll_back_to(mark)) {
            return false;
        }
        for (tree, mark) in self.trees.iter_mut().zip(&mark.0) {
            tree.roll_back_to(&self.hasher, mark);
        }
        true
    }

    /// Moves all writes into a sorted layer.
    pub(crate) fn seal(&mut self) -> Layer {
        Layer::new(Tree::ALL.map(|tree| self.tree_mut(tree).seal()))
    }

    /// Like [`Buffer::seal`], and keeps the order of writes so that marks of this buffer stay usable.
    pub(crate) fn seal_keeping_marks(&mut self) -> (Layer, RawBuffer) {
        let slots = Tree::ALL.map(|tree| self.tree(tree).slots.clone());
        let replaced = Tree::ALL.map(|tree| self.tree(tree).replaced.clone());
        let layer = self.seal();
        let data = Tree::ALL.map(|tree| layer.tree(tree).shared_data());
        (layer, RawBuffer { slots, replaced, data })
    }
}

/// The history of a sealed buffer.
#[derive(Debug)]
pub(crate) struct RawBuffer {
    slots: [Vec<Slot>; Tree::COUNT],
    replaced: [Vec<(u32, Slot)>; Tree::COUNT],
    data: [Arc<Vec<u8>>; Tree::COUNT],
}

impl RawBuffer {
    /// A buffer with the writes made before `mark`.
    pub(crate) fn rebuild(&self, mark: &BufferMark) -> Buffer {
        let mut buffer = Buffer::default();
        let histories = self.slots.iter().zip(&self.replaced).zip(&self.data);
        for ((tree, mark), ((slots, replaced), data)) in Tree::ALL.into_iter().zip(&mark.0).zip(histories) {
            let mut slots = slots.clone();
            undo_replaced(&mut slots, replaced, mark.n_replaced);
            for slot in slots.iter().take(mark.n_slots) {
                let full = slot.key(data);
                let Some((prefix, key)) = full.split_first_chunk() else { continue };
                buffer.put(tree, u64::from_be_bytes(*prefix), key, slot.value(data));
            }
        }
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::full_key;

    fn value(buffer: &Buffer, key: &[u8]) -> Option<Option<Vec<u8>>> {
        buffer.get(Tree::Index, &full_key(7, key)).map(|value| value.map(<[u8]>::to_vec))
    }

    #[test]
    fn rollback_restores_overwritten_and_forgets_new_keys() {
        let mut buffer = Buffer::default();
        buffer.put(Tree::Index, 7, b"a", Some(b"1"));
        let mark = buffer.mark();
        buffer.put(Tree::Index, 7, b"a", Some(b"2"));
        buffer.put(Tree::Index, 7, b"a", None);
        buffer.put(Tree::Index, 7, b"b", Some(b"3"));
        assert_eq!(value(&buffer, b"a"), Some(None));
        assert!(buffer.roll_back_to(&mark));
        assert_eq!(value(&buffer, b"a"), Some(Some(b"1".to_vec())));
        assert_eq!(value(&buffer, b"b"), None);
        buffer.put(Tree::Index, 7, b"b", Some(b"4"));
        assert_eq!(value(&buffer, b"b"), Some(Some(b"4".to_vec())));
    }

    #[test]
    fn a_sealed_buffer_can_be_rebuilt_at_a_mark() {
        let mut buffer = Buffer::default();
        buffer.put(Tree::Index, 7, b"b", Some(b"1"));
        buffer.put(Tree::Index, 7, b"a", Some(b"1"));
        let mark = buffer.mark();
        buffer.put(Tree::Index, 7, b"a", Some(b"2"));
        buffer.put(Tree::Index, 7, b"c", Some(b"2"));
        let (layer, raw) = buffer.seal_keeping_marks();
        assert_eq!(layer.entries(), 3);
        let rebuilt = raw.rebuild(&mark);
        assert_eq!(value(&rebuilt, b"a"), Some(Some(b"1".to_vec())));
        assert_eq!(value(&rebuilt, b"c"), None);
    }

    /// Ascending keys for a while, then any, with rollbacks to either part.
    #[test]
    fn keys_are_found_in_whatever_order_they_come() {
        for seed in 0..200_u64 {
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = |below: u64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random % below
            };
            let mut buffer = Buffer::default();
            let mut model = std::collections::BTreeMap::<u64, Option<Vec<u8>>>::new();
            let mut marks = vec![(buffer.mark(), model.clone())];
            let n_ascending = next(40);
            for step in 0..60 {
                let key = if step < n_ascending { 2 * step } else { next(100) };
                let written = (next(4) > 0).then(|| vec![step as u8; 3]);
                buffer.put(Tree::Index, 7, &key.to_be_bytes(), written.as_deref());
                model.insert(key, written);
                match next(12) {
                    0 => marks.push((buffer.mark(), model.clone())),
                    1 => {
                        marks.truncate(next(marks.len() as u64) as usize + 1);
                        let (mark, then) = marks.last().unwrap();
                        assert!(buffer.roll_back_to(mark));
                        model.clone_from(then);
                    }
                    _ => {}
                }
                for key in 0..100_u64 {
                    assert_eq!(value(&buffer, &key.to_be_bytes()), model.get(&key).cloned(), "seed {seed}");
                }
            }
            let layer = buffer.seal();
            let sealed: Vec<_> = layer.writes(Tree::Index).map(|write| write.key.to_vec()).collect();
            let expected = model.keys().map(|key| full_key(7, &key.to_be_bytes()).to_vec());
            assert_eq!(sealed, expected.collect::<Vec<_>>());
        }
    }
}
