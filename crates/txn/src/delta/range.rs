//! Walking a range of a delta as of one snapshot.

use persea_kv::{Bounds, Direction};

use super::skip_list::{Node, SkipList, Written, prefetch_value};
use crate::CommitSeq;

/// The entries of a range that a snapshot sees, in one direction.
///
/// Its ends are nodes rather than keys: nodes that are added between them later hold nothing for this snapshot.
pub(crate) struct DeltaRange<'d> {
    next: Option<Node<'d>>,
    /// The node after the last one in walking direction; `None` if that is the end of the list.
    end: Option<Node<'d>>,
    head: Option<(&'d [u8], Written<'d>)>,
    seq: CommitSeq,
    direction: Direction,
}

impl<'d> DeltaRange<'d> {
    pub(super) fn new(
        list: &'d SkipList,
        bounds: Bounds<'_>,
        direction: Direction,
        seq: CommitSeq,
    ) -> DeltaRange<'d> {
        if list.n_keys() == 0 {
            return DeltaRange { next: None, end: None, head: None, seq, direction };
        }
        let (before, after) = list.around(bounds);
        let (next, end) = match direction {
            Direction::Forward => (before.next(), after),
            Direction::Reverse => (list.before(after), Some(before)),
        };
        let is_crossed = match (next, direction) {
            (Some(next), Direction::Forward) => {
                after.is_some_and(|after| next != after && next.key() > after.key())
            }
            (Some(next), Direction::Reverse) => next != before && next.key() < before.key(),
            (None, _) => true,
        };
        let mut range = DeltaRange { next: next.filter(|_| !is_crossed), end, head: None, seq, direction };
        range.advance();
        range
    }

    /// The next entry: full key, and value or delete.
    #[inline]
    pub(crate) fn head(&self) -> Option<(&'d [u8], Written<'d>)> {
        self.head
    }

    /// Leaves the next entry behind.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.head = None;
        while let Some(node) = self.next {
            if self.end == Some(node) {
                return;
            }
            self.next = match self.direction {
                Direction::Forward => node.next(),
                Direction::Reverse => node.previous(),
            };
            if let Some(next) = self.next {
                next.prefetch();
            }
            if let Some(written) = node.version_at(self.seq) {
                // The engine's entries up to this one are read before it is.
                if let Some(value) = written {
                    prefetch_value(value);
                }
                self.head = Some((node.key(), written));
                return;
            }
        }
    }
}
