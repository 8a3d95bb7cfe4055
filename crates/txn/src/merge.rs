//! Merges what lies over the engine's data with the engine's own range, newest write first.

use std::cmp::Ordering;

use persea_kv::Direction;
use smallvec::SmallVec;

use crate::Result;
use crate::delta::{DeltaRange, Written};
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

/// Entries of a range in which overlays cover the engine's data; keys are full keys.
pub struct MergedRange<'v> {
    /// Newest first, so that the first of several equal keys is the one that counts.
    overlays: Overlays<'v>,
    /// The next key of any overlay with what the newest of them says about it.
    overlay_head: Option<(&'v [u8], Written<'v>)>,
    main: persea_kv::Range<'v>,
    /// The next entry of the engine, once it was fetched.
    main_head: Option<Head<'v>>,
    is_main_started: bool,
    direction: Direction,
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
            main,
            main_head: None,
            is_main_started: false,
            direction,
        };
        range.find_overlay_head();
        range
    }

    fn advance_main(&mut self) -> Result<()> {
        self.main_head = self.main.next().transpose()?;
        Ok(())
    }

    #[inline]
    fn order(&self, left: &[u8], right: &[u8]) -> Ordering {
        match self.direction {
            Direction::Forward => left.cmp(right),
            Direction::Reverse => right.cmp(left),
        }
    }

    fn find_overlay_head(&mut self) {
        let mut best: Option<(&'v [u8], Written<'v>)> = None;
        for overlay in &self.overlays {
            let Some(head) = overlay.head(self.direction) else { continue };
            if best.is_none_or(|best| self.order(head.0, best.0).is_lt()) {
                best = Some(head);
            }
        }
        self.overlay_head = best;
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
        if !self.is_main_started {
            self.is_main_started = true;
            self.advance_main()?;
        }
        loop {
            let Some((key, value)) = self.overlay_head else {
                let head = self.main_head;
                if head.is_some() {
                    self.advance_main()?;
                }
                return Ok(head);
            };
            if let Some(head) = self.main_head {
                match self.order(head.0, key) {
                    Ordering::Less => {
                        self.advance_main()?;
                        return Ok(Some(head));
                    }
                    Ordering::Equal => self.advance_main()?,
                    Ordering::Greater => {}
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
