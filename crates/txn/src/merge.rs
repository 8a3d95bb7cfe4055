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

/// Bytes of a key that decide most comparisons.
const DIGEST_BYTES: usize = size_of::<u64>();

/// The first bytes of a key behind the keyspace, which all keys of the range have in common. What is missing counts as
/// zero, so that digests are never in another order than their keys.
#[inline]
fn digest(full: &[u8]) -> u64 {
    let own = full.get(PREFIX_BYTES..).unwrap_or_default();
    match own.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            own.iter().fold(0, |digest, byte| digest << 8 | u64::from(*byte))
                << (8 * (DIGEST_BYTES - own.len())).min(63)
        }
    }
}

/// A key with its digest.
#[derive(Clone, Copy)]
struct Key<'v> {
    digest: u64,
    full: &'v [u8],
}

impl<'v> Key<'v> {
    #[inline]
    fn new(full: &'v [u8]) -> Key<'v> {
        Key { digest: digest(full), full }
    }

    /// The order of two keys of the same keyspace.
    #[inline]
    fn cmp(&self, other: &Key<'_>) -> Ordering {
        self.digest.cmp(&other.digest).then_with(|| {
            let are_short =
                self.full.len() == PREFIX_BYTES + DIGEST_BYTES && self.full.len() == other.full.len();
            if are_short { Ordering::Equal } else { self.full.cmp(other.full) }
        })
    }
}

/// An overlay and where it is.
struct Cursor<'v> {
    overlay: Overlay<'v>,
    head: Option<(Key<'v>, Written<'v>)>,
}

impl<'v> Cursor<'v> {
    #[inline]
    fn new(overlay: Overlay<'v>, direction: Direction) -> Cursor<'v> {
        let head = overlay.head(direction).map(|(key, written)| (Key::new(key), written));
        Cursor { overlay, head }
    }

    #[inline]
    fn advance(&mut self, direction: Direction) {
        self.overlay.advance(direction);
        self.head = self.overlay.head(direction).map(|(key, written)| (Key::new(key), written));
    }
}

/// Entries of a range of one keyspace in which overlays cover the engine's data; keys are full keys.
///
/// Most entries are the engine's own and come before the next key of the overlays, which eight bytes of the key usually
/// tell. These are handed on as they are; all others take the long way.
pub struct MergedRange<'v> {
    /// Newest first, so that the first of several equal keys is the one that counts.
    overlays: SmallVec<[Cursor<'v>; 4]>,
    /// Which of them has the next key of all, the newest of several; none is left behind the last one.
    nearest: usize,
    /// Keys of the engine with a digest before this one come before the next key of the overlays.
    overlay_digest: u64,
    main: persea_kv::Range<'v>,
    /// The next entry of the engine, if it was fetched and has to wait for an overlay.
    main_head: Option<Head<'v>>,
    is_main_over: bool,
    direction: Direction,
}

impl<'v> MergedRange<'v> {
    pub(crate) fn new(
        overlays: Overlays<'v>,
        main: persea_kv::Range<'v>,
        direction: Direction,
    ) -> MergedRange<'v> {
        let mut range = MergedRange {
            overlays: overlays.into_iter().map(|overlay| Cursor::new(overlay, direction)).collect(),
            nearest: 0,
            overlay_digest: 0,
            main,
            main_head: None,
            is_main_over: false,
            direction,
        };
        range.find_nearest();
        range
    }

    #[inline]
    fn directed(&self, order: Ordering) -> Ordering {
        match self.direction {
            Direction::Forward => order,
            Direction::Reverse => order.reverse(),
        }
    }

    /// Whether eight bytes tell that a key comes before the next key of the overlays.
    #[inline]
    fn is_clearly_before_overlays(&self, key: &[u8]) -> bool {
        match self.direction {
            Direction::Forward => digest(key) < self.overlay_digest,
            Direction::Reverse => digest(key) > self.overlay_digest,
        }
    }

    fn find_nearest(&mut self) {
        // By reference: copies of what was just written wait until the processor has it in one piece.
        let mut nearest: Option<(usize, &Key<'v>)> = None;
        for (position, cursor) in self.overlays.iter().enumerate() {
            let Some((key, _)) = &cursor.head else { continue };
            if nearest.is_none_or(|(_, best)| self.directed(key.cmp(best)).is_lt()) {
                nearest = Some((position, key));
            }
        }
        let end = match self.direction {
            Direction::Forward => u64::MAX,
            Direction::Reverse => u64::MIN,
        };
        (self.nearest, self.overlay_digest) =
            nearest.map_or((usize::MAX, end), |(position, key)| (position, key.digest));
    }

    /// Leaves a key behind in all overlays that are at it.
    fn advance_overlays_past(&mut self, key: Key<'v>) {
        let direction = self.direction;
        // Newer ones are not at it, or one of them would be the nearest.
        for cursor in self.overlays.iter_mut().skip(self.nearest) {
            if cursor.head.as_ref().is_some_and(|(head, _)| head.cmp(&key).is_eq()) {
                cursor.advance(direction);
            }
        }
        self.find_nearest();
    }

    /// The next entry when it isn't clear that it is the engine's: `main_head`, if there is one, against the overlays.
    #[inline(never)]
    fn next_with_overlays(&mut self) -> Option<Result<Head<'v>>> {
        loop {
            let nearest = self.overlays.get(self.nearest).and_then(|cursor| cursor.head.as_ref());
            let Some(&(key, value)) = nearest else { return self.main_head.take().map(Ok) };
            if let Some(main) = self.main_head {
                match self.directed(Key::new(main.0).cmp(&key)) {
                    Ordering::Less => return self.main_head.take().map(Ok),
                    Ordering::Equal => self.main_head = None,
                    Ordering::Greater => {}
                }
            }
            self.advance_overlays_past(key);
            if let Some(value) = value {
                return Some(Ok((key.full, value)));
            }
            if self.main_head.is_none() && !self.is_main_over {
                match self.main.next() {
                    Some(Ok(head)) => self.main_head = Some(head),
                    Some(Err(error)) => return Some(Err(error.into())),
                    None => self.is_main_over = true,
                }
            }
        }
    }
}

impl<'v> Iterator for MergedRange<'v> {
    type Item = Result<Head<'v>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.main_head.is_none() && !self.is_main_over {
            match self.main.next() {
                Some(Ok(head)) if self.is_clearly_before_overlays(head.0) => return Some(Ok(head)),
                Some(Ok(head)) => self.main_head = Some(head),
                Some(Err(error)) => return Some(Err(error.into())),
                None => self.is_main_over = true,
            }
        }
        self.next_with_overlays()
    }
}
