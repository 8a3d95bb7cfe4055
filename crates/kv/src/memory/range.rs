//! Walking a copy-on-write tree in either direction, without allocation per step.

use std::ops::Bound;

use smallvec::SmallVec;

use super::cow_tree::{Child, Entry, Node, child_position, entries_before};
use crate::Result;
use crate::store::{Bounds, Direction};

/// Depth that is kept inline; a tree this deep has more than 16^6 entries.
const DEPTH_INLINE: usize = 6;

/// Entries of one tree within bounds, in one direction.
#[derive(Debug)]
pub(super) struct TreeRange<'s> {
    /// Branches above the current leaf, with the position of the child that was taken.
    path: SmallVec<[(&'s [Child], usize); DEPTH_INLINE]>,
    leaf: &'s [Entry],
    /// Forward: entries of the leaf before the next one. Reverse: the next one is just below this position.
    position: usize,
    /// Where the walk ends: the upper bound forward, the lower bound in reverse.
    end: Bound<SmallVec<[u8; 64]>>,
    direction: Direction,
}

impl<'s> TreeRange<'s> {
    pub(super) fn new(root: &'s Node, bounds: Bounds<'_>, direction: Direction) -> TreeRange<'s> {
        let (start, end) = match direction {
            Direction::Forward => bounds,
            Direction::Reverse => (bounds.1, bounds.0),
        };
        let end = match end {
            Bound::Included(key) => Bound::Included(SmallVec::from_slice(key)),
            Bound::Excluded(key) => Bound::Excluded(SmallVec::from_slice(key)),
            Bound::Unbounded => Bound::Unbounded,
        };
        let mut range = TreeRange { path: SmallVec::new(), leaf: &[], position: 0, end, direction };
        range.descend(root, &start);
        range
    }

    /// Goes down to the leaf where the walk begins.
    fn descend(&mut self, mut node: &'s Node, start: &Bound<&[u8]>) {
        loop {
            match node {
                Node::Branch(children) => {
                    let position = match (start, self.direction) {
                        (Bound::Included(key) | Bound::Excluded(key), _) => child_position(children, key),
                        (Bound::Unbounded, Direction::Forward) => 0,
                        (Bound::Unbounded, Direction::Reverse) => children.len().saturating_sub(1),
                    };
                    self.path.push((children, position));
                    let Some(child) = children.get(position) else { return };
                    node = child.node();
                }
                Node::Leaf(entries) => {
                    self.leaf = entries;
                    self.position = match (self.direction, start) {
                        (Direction::Forward, start) => entries_before(entries, start, 0),
                        // In reverse the position is one past the first entry to yield, so inclusion swaps.
                        (Direction::Reverse, Bound::Included(key)) => {
                            entries_before(entries, &Bound::Excluded(key), 0)
                        }
                        (Direction::Reverse, Bound::Excluded(key)) => {
                            entries_before(entries, &Bound::Included(key), 0)
                        }
                        (Direction::Reverse, Bound::Unbounded) => entries.len(),
                    };
                    return;
                }
            }
        }
    }

    /// Moves to the neighbouring leaf in walking direction; false at the end of the tree.
    #[cold]
    fn next_leaf(&mut self) -> bool {
        while let Some((children, position)) = self.path.pop() {
            let next = match self.direction {
                Direction::Forward => Some(position + 1),
                Direction::Reverse => position.checked_sub(1),
            };
            let Some((next, child)) = next.and_then(|next| Some((next, children.get(next)?))) else {
                continue;
            };
            self.path.push((children, next));
            self.descend(child.node(), &Bound::Unbounded);
            return true;
        }
        false
    }

    fn is_within(&self, key: &[u8]) -> bool {
        match (&self.end, self.direction) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(end), Direction::Forward) => key <= end.as_slice(),
            (Bound::Excluded(end), Direction::Forward) => key < end.as_slice(),
            (Bound::Included(end), Direction::Reverse) => key >= end.as_slice(),
            (Bound::Excluded(end), Direction::Reverse) => key > end.as_slice(),
        }
    }
}

impl<'s> Iterator for TreeRange<'s> {
    type Item = (&'s [u8], &'s [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let leaf = loop {
            let at = match self.direction {
                Direction::Forward => Some(self.position),
                Direction::Reverse => self.position.checked_sub(1),
            };
            if let Some((at, entry)) = at.and_then(|at| Some((at, self.leaf.get(at)?))) {
                self.position = match self.direction {
                    Direction::Forward => at + 1,
                    Direction::Reverse => at,
                };
                break entry;
            }
            if !self.next_leaf() {
                return None;
            }
        };
        let (key, value) = leaf.parts();
        if self.is_within(key) {
            return Some((key, value));
        }
        // Past the end: stay there.
        self.leaf = &[];
        self.path.clear();
        None
    }
}

/// Range of a [`MemorySnapshot`](super::MemorySnapshot).
#[derive(Debug)]
pub struct MemoryRange<'s> {
    entries: Option<TreeRange<'s>>,
}

impl<'s> MemoryRange<'s> {
    pub(super) fn new(entries: TreeRange<'s>) -> MemoryRange<'s> {
        MemoryRange { entries: Some(entries) }
    }

    pub(super) fn empty() -> MemoryRange<'s> {
        MemoryRange { entries: None }
    }
}

impl<'s> Iterator for MemoryRange<'s> {
    type Item = Result<(&'s [u8], &'s [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.entries.as_mut()?.next().map(Ok)
    }
}
