//! Merges the sealed layers of a transaction with the range of its snapshot, newest write first.

use std::cmp::Ordering;

use persea_kv::Direction;
use smallvec::SmallVec;

use crate::Result;
use crate::write_set::LayerRange;

type Head<'v> = (&'v [u8], &'v [u8]);

/// Entries of a range in which layers overlay the snapshot; keys are full keys.
pub struct MergedRange<'v> {
    /// Newest first, so that the first of several equal keys is the one that counts.
    layers: SmallVec<[LayerRange<'v>; 4]>,
    snapshot: persea_kv::Range<'v>,
    /// The next entry of the snapshot, once it was fetched.
    snapshot_head: Option<Head<'v>>,
    is_snapshot_started: bool,
    direction: Direction,
}

impl<'v> MergedRange<'v> {
    /// `layers` are in order of writing, newest first, and not empty.
    pub(crate) fn new(
        layers: SmallVec<[LayerRange<'v>; 4]>,
        snapshot: persea_kv::Range<'v>,
        direction: Direction,
    ) -> MergedRange<'v> {
        MergedRange { layers, snapshot, snapshot_head: None, is_snapshot_started: false, direction }
    }

    fn advance_snapshot(&mut self) -> Result<()> {
        self.is_snapshot_started = true;
        self.snapshot_head = self.snapshot.next().transpose()?;
        Ok(())
    }

    fn comes_first(&self, left: &[u8], right: &[u8]) -> Ordering {
        match self.direction {
            Direction::Forward => left.cmp(right),
            Direction::Reverse => right.cmp(left),
        }
    }

    /// The next key of any layer with what the newest of them says about it.
    fn layer_head(&self) -> Option<(&'v [u8], Option<&'v [u8]>)> {
        let mut best: Option<(&'v [u8], Option<&'v [u8]>)> = None;
        for layer in &self.layers {
            let Some(head) = layer.head(self.direction) else { continue };
            if best.is_none_or(|best| self.comes_first(head.0, best.0).is_lt()) {
                best = Some(head);
            }
        }
        best
    }

    fn advance_layers_past(&mut self, key: &[u8]) {
        for layer in &mut self.layers {
            if layer.head(self.direction).is_some_and(|head| head.0 == key) {
                layer.advance(self.direction);
            }
        }
    }

    fn step(&mut self) -> Result<Option<Head<'v>>> {
        if !self.is_snapshot_started {
            self.advance_snapshot()?;
        }
        loop {
            let Some((key, value)) = self.layer_head() else {
                let head = self.snapshot_head;
                if head.is_some() {
                    self.advance_snapshot()?;
                }
                return Ok(head);
            };
            if let Some(head) = self.snapshot_head {
                match self.comes_first(head.0, key) {
                    Ordering::Less => {
                        self.advance_snapshot()?;
                        return Ok(Some(head));
                    }
                    Ordering::Equal => self.advance_snapshot()?,
                    Ordering::Greater => {}
                }
            }
            self.advance_layers_past(key);
            if let Some(value) = value {
                return Ok(Some((key, value)));
            }
        }
    }
}

impl<'v> Iterator for MergedRange<'v> {
    type Item = Result<Head<'v>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}
