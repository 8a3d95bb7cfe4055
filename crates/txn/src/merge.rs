//! Merges what lies over the engine's data with the engine's own range, newest write first.

use std::cmp::Ordering;

use persea_kv::Direction;
use smallvec::SmallVec;

use crate::Result;
use crate::delta::{DeltaRange, Written};
use crate::keyspace::PREFIX_BYTES;
use crate::write_set::LayerRange;

type Head<'v> = (&'v [u8], &'v [u8]);

/// A range of something that lies over the engine's data.
pub(crate) enum Overlay<'v> {
    /// Writes of the transaction itself.
    Layer(LayerRange<'v>),
    /// Commits that the engine does not have yet.
    Delta(DeltaRange<'v>),
}

impl<'v> Overlay<'v> {
    #[inline]
    fn head(&self, direction: Direction) -> Option<(&'v [u8], Written<'v>)> {
        match self {
            Overlay::Layer(layer) => layer.head(direction),
            Overlay::Delta(delta) => delta.head(),
        }
    }

    #[inline]
    fn advance(&mut self, direction: Direction) {
        match self {
            Overlay::Layer(layer) => layer.advance(direction),
            Overlay::Delta(delta) => delta.advance(),
        }
    }
}

/// Overlays of a range, newest first, none of them empty.
pub(crate) type Overlays<'v> = SmallVec<[Overlay<'v>; 4]>;

/// Entries of a range of one keyspace in which overlays cover the engine's data; keys are full keys.
pub struct MergedRange<'v> {
    /// Newest first, so that the first of several equal keys is the one that counts.
    overlays: Overlays<'v>,
    /// The next key of any overlay with what the newest of them says about it.
    overlay_head: Option<(&'v [u8], Written<'v>)>,
    /// What decides most comparisons with that key.
    overlay_digest: Option<u64>,
    main: persea_kv::Range<'v>,
    /// The next entry of the engine, if it was fetched and has to wait for an overlay.
    main_head: Option<Head<'v>>,
    is_main_over: bool,
    direction: Direction,
}

/// The first bytes of a key behind the keyspace, which all keys of the range have in common.
#[inline]
fn digest(full: &[u8]) -> Option<u64> {
    full.get(PREFIX_BYTES..)?.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

impl<'v> MergedRange<'v> {
    pub(crate) fn new(
        overlays: Overlays<'v>,
        main: persea_kv::Range<'v>,
        direction: Direction,
    ) -> MergedRange<'v> {
        let mut range = MergedRange {
            overlays,
            overlay_head: None,
            overlay_digest: None,
            main,
            main_head: None,
            is_main_over: false,
            direction,
        };
        range.find_overlay_head();
        range
    }

    #[inline]
    fn next_of_main(&mut self) -> Result<Option<Head<'v>>> {
        if let Some(head) = self.main_head.take() {
            return Ok(Some(head));
        }
        if self.is_main_over {
            return Ok(None);
        }
        let head = self.main.next().transpose()?;
        self.is_main_over = head.is_none();
        Ok(head)
    }

    #[inline]
    fn directed(&self, order: Ordering) -> Ordering {
        match self.direction {
            Direction::Forward => order,
            Direction::Reverse => order.reverse(),
        }
    }

    /// How a key of the engine relates to the next key of the overlays.
    #[inline]
    fn order_to_overlay(&self, key: &[u8], overlay_key: &[u8]) -> Ordering {
        let order = match (digest(key), self.overlay_digest) {
            (Some(left), Some(right)) if left != right => left.cmp(&right),
            _ => key.cmp(overlay_key),
        };
        self.directed(order)
    }

    fn find_overlay_head(&mut self) {
        let mut best: Option<(&'v [u8], Written<'v>)> = None;
        for overlay in &self.overlays {
            let Some(head) = overlay.head(self.direction) else { continue };
            if best.is_none_or(|best| self.directed(head.0.cmp(best.0)).is_lt()) {
                best = Some(head);
            }
        }
        self.overlay_head = best;
        self.overlay_digest = best.and_then(|(key, _)| digest(key));
    }

    fn advance_overlays_past(&mut self, key: &[u8]) {
        let direction = self.direction;
        for overlay in &mut self.overlays {
            if overlay.head(direction).is_some_and(|head| head.0 == key) {
                overlay.advance(direction);
            }
        }
        self.find_overlay_head();
    }

    #[inline]
    fn step(&mut self) -> Result<Option<Head<'v>>> {
        loop {
            let main = self.next_of_main()?;
            let Some((key, value)) = self.overlay_head else { return Ok(main) };
            if let Some(main) = main {
                match self.order_to_overlay(main.0, key) {
                    Ordering::Less => return Ok(Some(main)),
                    Ordering::Equal => {}
                    Ordering::Greater => self.main_head = Some(main),
                }
            }
            self.advance_overlays_past(key);
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
