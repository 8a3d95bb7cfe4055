//! A B+ tree of byte keys whose nodes are shared between versions and copied when written.
//!
//! Cloning a tree clones one pointer. A write copies the nodes on its path that another version still holds, and
//! changes the others in place. Leaves hold 16 to 64 entries (fewer only after deletes), so depth stays tiny.

use std::ops::Bound;
use std::sync::Arc;

use super::range::TreeRange;
use crate::store::{Bounds, Direction};

/// Most entries of a leaf, and most children of a branch.
const NODE_ITEMS_MAX: usize = 64;
/// Two neighbours that together hold no more than this are merged after a delete.
const NODE_ITEMS_MERGE: usize = 40;

/// Key and value in one allocation that all versions share.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    bytes: Arc<[u8]>,
    key_len: usize,
}

impl Entry {
    fn new(key: &[u8], value: &[u8]) -> Entry {
        let mut bytes = Vec::with_capacity(key.len() + value.len());
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(value);
        Entry { bytes: bytes.into(), key_len: key.len() }
    }

    pub(super) fn parts(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.key_len)
    }

    pub(super) fn key(&self) -> &[u8] {
        self.parts().0
    }
}

/// A child of a branch with the smallest key that may lie below it.
#[derive(Clone, Debug)]
pub(super) struct Child {
    separator: Arc<[u8]>,
    node: Arc<Node>,
}

impl Child {
    pub(super) fn node(&self) -> &Node {
        &self.node
    }
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(Vec<Entry>),
    Branch(Vec<Child>),
}

impl Node {
    fn n_items(&self) -> usize {
        match self {
            Node::Leaf(entries) => entries.len(),
            Node::Branch(children) => children.len(),
        }
    }
}

/// Index of the child below which `key` belongs. The first child takes every key below the second's separator.
pub(super) fn child_position(children: &[Child], key: &[u8]) -> usize {
    children.partition_point(|child| *child.separator <= *key).saturating_sub(1)
}

/// One version of an ordered map of byte keys.
#[derive(Clone, Debug)]
pub(super) struct CowTree {
    root: Arc<Node>,
    n_entries: u64,
    data_bytes: u64,
}

impl Default for CowTree {
    fn default() -> CowTree {
        CowTree { root: Arc::new(Node::Leaf(Vec::new())), n_entries: 0, data_bytes: 0 }
    }
}

impl CowTree {
    pub(super) fn entries(&self) -> u64 {
        self.n_entries
    }

    pub(super) fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Branch(children) => node = children.get(child_position(children, key))?.node(),
                Node::Leaf(entries) => {
                    let position = entries.binary_search_by(|entry| entry.key().cmp(key)).ok()?;
                    return entries.get(position).map(|entry| entry.parts().1);
                }
            }
        }
    }

    pub(super) fn range(&self, bounds: Bounds<'_>, direction: Direction) -> TreeRange<'_> {
        TreeRange::new(&self.root, bounds, direction)
    }

    pub(super) fn insert(&mut self, key: &[u8], value: &[u8]) {
        let entry = Entry::new(key, value);
        self.data_bytes += entry.bytes.len() as u64;
        let outcome = insert_below(Arc::make_mut(&mut self.root), entry);
        match outcome.replaced_bytes {
            Some(replaced_bytes) => self.data_bytes -= replaced_bytes as u64,
            None => self.n_entries += 1,
        }
        if let Some(right) = outcome.split {
            let left = Child { separator: Arc::from(&[][..]), node: self.root.clone() };
            self.root = Arc::new(Node::Branch(vec![left, right]));
        }
    }

    pub(super) fn remove(&mut self, key: &[u8]) -> bool {
        if self.get(key).is_none() {
            return false;
        }
        let removed_bytes = remove_below(Arc::make_mut(&mut self.root), key);
        self.data_bytes -= removed_bytes as u64;
        self.n_entries -= 1;
        self.shrink_root();
        true
    }

    fn shrink_root(&mut self) {
        loop {
            let only_child = match &*self.root {
                Node::Branch(children) => match children.as_slice() {
                    [] => Arc::new(Node::Leaf(Vec::new())),
                    [only] => only.node.clone(),
                    _ => return,
                },
                Node::Leaf(_) => return,
            };
            self.root = only_child;
        }
    }
}

struct InsertOutcome {
    /// Bytes of the entry that had the same key.
    replaced_bytes: Option<usize>,
    /// The new right neighbour if the node was split.
    split: Option<Child>,
}

fn insert_below(node: &mut Node, entry: Entry) -> InsertOutcome {
    match node {
        Node::Leaf(entries) => insert_into_leaf(entries, entry),
        Node::Branch(children) => {
            let position = child_position(children, entry.key());
            let Some(child) = children.get_mut(position) else {
                return InsertOutcome { replaced_bytes: None, split: None };
            };
            let mut outcome = insert_below(Arc::make_mut(&mut child.node), entry);
            if let Some(right) = outcome.split.take() {
                children.insert(position + 1, right);
                outcome.split = split_branch(children, position + 1);
            }
            outcome
        }
    }
}

fn insert_into_leaf(entries: &mut Vec<Entry>, entry: Entry) -> InsertOutcome {
    match entries.binary_search_by(|other| other.key().cmp(entry.key())) {
        Ok(position) => {
            let replaced_bytes =
                entries.get_mut(position).map(|other| std::mem::replace(other, entry).bytes.len());
            InsertOutcome { replaced_bytes, split: None }
        }
        Err(position) => {
            entries.insert(position, entry);
            InsertOutcome { replaced_bytes: None, split: split_leaf(entries, position) }
        }
    }
}

/// Where to cut an overfull node; appends leave the left one almost full.
fn split_position(n_items: usize, inserted_at: usize) -> usize {
    if inserted_at + 1 == n_items { n_items - NODE_ITEMS_MAX / 8 } else { n_items / 2 }
}

fn split_leaf(entries: &mut Vec<Entry>, inserted_at: usize) -> Option<Child> {
    if entries.len() <= NODE_ITEMS_MAX {
        return None;
    }
    let mut right = Vec::with_capacity(NODE_ITEMS_MAX + 1);
    right.extend(entries.drain(split_position(entries.len(), inserted_at)..));
    let separator = right.first()?.key().into();
    Some(Child { separator, node: Arc::new(Node::Leaf(right)) })
}

fn split_branch(children: &mut Vec<Child>, inserted_at: usize) -> Option<Child> {
    if children.len() <= NODE_ITEMS_MAX {
        return None;
    }
    let mut right = Vec::with_capacity(NODE_ITEMS_MAX + 1);
    right.extend(children.drain(split_position(children.len(), inserted_at)..));
    let separator = right.first()?.separator.clone();
    Some(Child { separator, node: Arc::new(Node::Branch(right)) })
}

/// Removes a key that exists; returns the bytes of its entry.
fn remove_below(node: &mut Node, key: &[u8]) -> usize {
    match node {
        Node::Leaf(entries) => match entries.binary_search_by(|entry| entry.key().cmp(key)) {
            Ok(position) => entries.remove(position).bytes.len(),
            Err(_) => 0,
        },
        Node::Branch(children) => {
            let position = child_position(children, key);
            let Some(child) = children.get_mut(position) else { return 0 };
            let removed_bytes = remove_below(Arc::make_mut(&mut child.node), key);
            if child.node.n_items() == 0 {
                children.remove(position);
            } else {
                merge_neighbours(children, position);
            }
            removed_bytes
        }
    }
}

/// Merges the child at `position` with its right or left neighbour when both are small.
fn merge_neighbours(children: &mut Vec<Child>, position: usize) {
    let fits = |left: usize| match (children.get(left), children.get(left + 1)) {
        (Some(left), Some(right)) => left.node.n_items() + right.node.n_items() <= NODE_ITEMS_MERGE,
        _ => false,
    };
    let left = if fits(position) {
        position
    } else if position > 0 && fits(position - 1) {
        position - 1
    } else {
        return;
    };
    let right = children.remove(left + 1);
    let Some(target) = children.get_mut(left) else { return };
    match (Arc::make_mut(&mut target.node), &*right.node) {
        (Node::Leaf(entries), Node::Leaf(more)) => entries.extend_from_slice(more),
        (Node::Branch(below), Node::Branch(more)) => {
            // A first child takes every key below the second's separator, so its own may be too high: once it is no
            // longer the first, the bound that the parent kept for the whole node is the right one.
            let first_moved = below.len();
            below.extend_from_slice(more);
            if let Some(child) = below.get_mut(first_moved) {
                child.separator = right.separator.clone();
            }
        }
        // All leaves have the same depth, so neighbours are of one kind; keep the node if that ever broke.
        (Node::Leaf(_), Node::Branch(_)) | (Node::Branch(_), Node::Leaf(_)) => {
            children.insert(left + 1, right);
        }
    }
}

/// Number of leading entries that lie before the position where a walk with this bound begins.
pub(super) fn entries_before(entries: &[Entry], bound: &Bound<&[u8]>, if_unbounded: usize) -> usize {
    match bound {
        Bound::Included(key) => entries.partition_point(|entry| entry.key() < *key),
        Bound::Excluded(key) => entries.partition_point(|entry| entry.key() <= *key),
        Bound::Unbounded => if_unbounded,
    }
}
