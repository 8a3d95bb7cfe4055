//! A sealed part of a write set: immutable and sorted, so that views can share it and merge it with the snapshot.

use std::ops::Bound;
use std::sync::Arc;

use persea_kv::{Bounds, Direction, Tree, Write};

use super::Slot;

/// Sorted writes of one tree.
#[derive(Debug, Default)]
pub(super) struct TreeLayer {
    data: Arc<Vec<u8>>,
    slots: Vec<Slot>,
}

impl TreeLayer {
    /// A layer of slots with distinct keys, which it sorts unless they are.
    pub(super) fn new(data: Arc<Vec<u8>>, mut slots: Vec<Slot>, is_sorted: bool) -> TreeLayer {
        if !is_sorted && !slots.is_sorted_by(|left, right| left.key(&data) < right.key(&data)) {
            // Writes come in runs of ascending keys, which a stable merge sort makes use of.
            slots.sort_by(|left, right| left.key(&data).cmp(right.key(&data)));
        }
        TreeLayer { data, slots }
    }

    pub(super) fn shared_data(&self) -> Arc<Vec<u8>> {
        self.data.clone()
    }

    fn get(&self, full: &[u8]) -> Option<Option<&[u8]>> {
        let position = self.slots.binary_search_by(|slot| slot.key(&self.data).cmp(full)).ok()?;
        self.slots.get(position).map(|slot| slot.value(&self.data))
    }

    fn range(&self, bounds: Bounds<'_>) -> LayerRange<'_> {
        let before = |key: &[u8], is_included: bool| {
            self.slots.partition_point(|slot| {
                let slot_key = slot.key(&self.data);
                slot_key < key || (is_included && slot_key == key)
            })
        };
        let start = match bounds.0 {
            Bound::Included(key) => before(key, false),
            Bound::Excluded(key) => before(key, true),
            Bound::Unbounded => 0,
        };
        let end = match bounds.1 {
            Bound::Included(key) => before(key, true),
            Bound::Excluded(key) => before(key, false),
            Bound::Unbounded => self.slots.len(),
        };
        LayerRange { data: &self.data, slots: self.slots.get(start..end).unwrap_or_default() }
    }

    /// One layer of both, where the newer wins.
    fn merge(older: &TreeLayer, newer: &TreeLayer) -> TreeLayer {
        let mut data = Vec::with_capacity(older.data.len() + newer.data.len());
        let mut slots = Vec::with_capacity(older.slots.len() + newer.slots.len());
        let mut older_slots = older.slots.iter().peekable();
        for slot in &newer.slots {
            let key = slot.key(&newer.data);
            while let Some(old) = older_slots.next_if(|old| old.key(&older.data) < key) {
                slots.push(Slot::append_from(&mut data, *old, &older.data));
            }
            older_slots.next_if(|old| old.key(&older.data) == key);
            slots.push(Slot::append_from(&mut data, *slot, &newer.data));
        }
        slots.extend(older_slots.map(|old| Slot::append_from(&mut data, *old, &older.data)));
        TreeLayer { data: Arc::new(data), slots }
    }
}

/// Sorted writes of all trees between two seals.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    trees: [TreeLayer; Tree::COUNT],
}

impl Layer {
    pub(super) fn new(trees: [TreeLayer; Tree::COUNT]) -> Layer {
        Layer { trees }
    }

    pub(super) fn tree(&self, tree: Tree) -> &TreeLayer {
        match tree {
            Tree::Documents => &self.trees[0],
            Tree::Index => &self.trees[1],
            Tree::Meta => &self.trees[2],
        }
    }

    /// Number of keys written.
    pub(crate) fn entries(&self) -> usize {
        self.trees.iter().map(|tree| tree.slots.len()).sum()
    }

    /// Bytes held.
    pub(crate) fn data_bytes(&self) -> usize {
        self.trees.iter().map(|tree| tree.data.len()).sum()
    }

    /// What was written to the key: a value or a delete; `None` if nothing.
    pub(crate) fn get(&self, tree: Tree, full: &[u8]) -> Option<Option<&[u8]>> {
        self.tree(tree).get(full)
    }

    pub(crate) fn range(&self, tree: Tree, bounds: Bounds<'_>) -> LayerRange<'_> {
        self.tree(tree).range(bounds)
    }

    /// The writes to one tree in key order, as the engine takes them.
    pub(crate) fn writes(&self, tree: Tree) -> impl Iterator<Item = Write<'_>> + Clone {
        let layer = self.tree(tree);
        layer.slots.iter().map(move |slot| Write {
            tree,
            key: slot.key(&layer.data),
            value: slot.value(&layer.data),
        })
    }

    /// One layer of both, where the newer wins.
    pub(crate) fn merge(older: &Layer, newer: &Layer) -> Layer {
        Layer { trees: Tree::ALL.map(|tree| TreeLayer::merge(older.tree(tree), newer.tree(tree))) }
    }
}

/// What is left of a range of one tree of a layer; can be consumed from either end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerRange<'v> {
    data: &'v [u8],
    slots: &'v [Slot],
}

impl<'v> LayerRange<'v> {
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The next entry in walking direction: full key and value, or a delete.
    #[inline]
    pub(crate) fn head(&self, direction: Direction) -> Option<(&'v [u8], Option<&'v [u8]>)> {
        let slot = match direction {
            Direction::Forward => self.slots.first()?,
            Direction::Reverse => self.slots.last()?,
        };
        Some((slot.key(self.data), slot.value(self.data)))
    }

    /// Leaves the next entry behind.
    #[inline]
    pub(crate) fn advance(&mut self, direction: Direction) {
        let rest = match direction {
            Direction::Forward => self.slots.split_first().map(|(_, rest)| rest),
            Direction::Reverse => self.slots.split_last().map(|(_, rest)| rest),
        };
        self.slots = rest.unwrap_or_default();
    }
}
