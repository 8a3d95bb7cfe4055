//! Finds the place of a key faster than the list can: the beginnings of all keys, in sorted blocks.
//!
//! Only the writer has it, so it is changed in place and needs no atomics. A search of the list visits a node for each
//! comparison, each in a cache line of its own; here a block's keys lie side by side, and a key's node is visited only
//! where its beginning doesn't decide.

use std::cmp::Ordering;

/// Most entries of a block.
const BLOCK_ENTRIES: usize = 128;
const BEGINNING_WORDS: usize = 4;
const BEGINNING_BYTES: usize = BEGINNING_WORDS * size_of::<u64>();

/// The first bytes of a key, so that beginnings order as keys do, but for those that are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Beginning([u64; BEGINNING_WORDS]);

impl Beginning {
    #[inline]
    fn of(key: &[u8]) -> Beginning {
        let mut bytes = [0; BEGINNING_BYTES];
        match key.first_chunk::<BEGINNING_BYTES>() {
            Some(first) => bytes = *first,
            None => bytes.iter_mut().zip(key).for_each(|(to, from)| *to = *from),
        }
        let mut words = [0; BEGINNING_WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_be_bytes(*bytes);
        }
        Beginning(words)
    }
}

#[derive(Debug)]
struct Block<N> {
    beginnings: Vec<Beginning>,
    nodes: Vec<N>,
}

impl<N> Block<N> {
    fn new() -> Block<N> {
        Block { beginnings: Vec::with_capacity(BLOCK_ENTRIES), nodes: Vec::with_capacity(BLOCK_ENTRIES) }
    }
}

/// Nodes by their keys.
#[derive(Debug)]
pub(super) struct Directory<N> {
    blocks: Vec<Block<N>>,
    /// The beginning of each block's first key.
    firsts: Vec<Beginning>,
    /// Where the last key was put: the next of a sorted batch is close.
    last: Place,
}

/// Where a key is or belongs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    block: usize,
    index: usize,
}

/// A node with a key.
pub(super) trait Keyed: Copy {
    fn key(&self) -> &[u8];
}

impl<N: Keyed> Directory<N> {
    pub(super) fn new() -> Directory<N> {
        Directory { blocks: Vec::new(), firsts: Vec::new(), last: Place::default() }
    }

    /// Bytes of memory taken.
    pub(super) fn allocated_bytes(&self) -> usize {
        let block_bytes = BLOCK_ENTRIES * (BEGINNING_BYTES + size_of::<N>()) + size_of::<Block<N>>();
        self.blocks.len() * (block_bytes + BEGINNING_BYTES)
    }

    /// The node of a key, or else where it belongs and which node comes before it, if any does.
    #[inline]
    pub(super) fn find(&mut self, key: &[u8]) -> Result<N, (Place, Option<N>)> {
        let beginning = Beginning::of(key);
        if let Some(found) = self.find_near(beginning, key) {
            return found;
        }
        let Some(block) = self.block_of(beginning, key) else { return Err((Place::default(), None)) };
        let Some(entries) = self.blocks.get(block) else { return Err((Place::default(), None)) };
        let is_before = |at: usize| entries.order(at, beginning, key) == Ordering::Less;
        let place = Place { block, index: partition(entries.nodes.len(), is_before) };
        self.last = place;
        match entries.nodes.get(place.index) {
            Some(node) if entries.order(place.index, beginning, key) == Ordering::Equal => Ok(*node),
            Some(_) | None => Err((place, self.before(place))),
        }
    }

    /// As [`find`](Directory::find), if the key belongs right behind the last one that was put.
    #[inline]
    fn find_near(&self, beginning: Beginning, key: &[u8]) -> Option<Result<N, (Place, Option<N>)>> {
        let Place { block, index } = self.last;
        let entries = self.blocks.get(block)?;
        let last = *entries.nodes.get(index)?;
        match entries.order(index, beginning, key) {
            Ordering::Equal => return Some(Ok(last)),
            Ordering::Greater => return None,
            Ordering::Less => {}
        }
        let is_right_behind = match entries.nodes.get(index + 1) {
            Some(_) => entries.order(index + 1, beginning, key) == Ordering::Greater,
            None => self
                .blocks
                .get(block + 1)
                .is_none_or(|next| next.order(0, beginning, key) == Ordering::Greater),
        };
        is_right_behind.then_some(Err((Place { block, index: index + 1 }, Some(last))))
    }

    /// The last block whose first key is not behind `key`, or the first.
    #[inline]
    fn block_of(&self, beginning: Beginning, key: &[u8]) -> Option<usize> {
        let is_not_behind = |block: usize| match self.firsts.get(block).map(|first| first.cmp(&beginning)) {
            Some(Ordering::Equal) => self
                .blocks
                .get(block)
                .is_some_and(|entries| entries.order(0, beginning, key) != Ordering::Greater),
            order => order == Some(Ordering::Less),
        };
        let n_not_behind = partition(self.firsts.len(), is_not_behind);
        (!self.blocks.is_empty()).then(|| n_not_behind.saturating_sub(1))
    }

    fn node(&self, place: Place) -> Option<N> {
        self.blocks.get(place.block)?.nodes.get(place.index).copied()
    }

    fn before(&self, place: Place) -> Option<N> {
        match place.index.checked_sub(1) {
            Some(index) => self.node(Place { index, ..place }),
            None => self.blocks.get(place.block.checked_sub(1)?)?.nodes.last().copied(),
        }
    }

    /// Adds a node whose key belongs to `place`, which is what [`find`](Directory::find) returned just now.
    pub(super) fn insert(&mut self, place: Place, node: N) {
        let Place { mut block, mut index } = place;
        if self.blocks.get(block).is_none_or(|entries| entries.nodes.len() == BLOCK_ENTRIES) {
            (block, index) = self.make_room(block, index);
        }
        let beginning = Beginning::of(node.key());
        if let Some(entries) = self.blocks.get_mut(block) {
            entries.beginnings.insert(index, beginning);
            entries.nodes.insert(index, node);
        }
        if index == 0
            && let Some(first) = self.firsts.get_mut(block)
        {
            *first = beginning;
        }
        self.last = Place { block, index };
    }

    /// Adds a block where a full one is, or none; returns where the place is then.
    fn make_room(&mut self, block: usize, index: usize) -> (usize, usize) {
        let mut added = Block::new();
        let Some(full) = self.blocks.get_mut(block) else {
            self.blocks.push(added);
            self.firsts.push(Beginning::default());
            return (self.blocks.len() - 1, 0);
        };
        // Ascending keys leave full blocks behind.
        let is_end = index == BLOCK_ENTRIES && block + 1 == self.firsts.len();
        let n_kept = if is_end { BLOCK_ENTRIES } else { BLOCK_ENTRIES / 2 };
        added.beginnings.extend(full.beginnings.drain(n_kept..));
        added.nodes.extend(full.nodes.drain(n_kept..));
        // Where nothing was moved, the key that is about to be put will be the first.
        let first = added.beginnings.first().copied().unwrap_or_default();
        self.firsts.insert(block + 1, first);
        self.blocks.insert(block + 1, added);
        if is_end || index > n_kept { (block + 1, index - n_kept) } else { (block, index) }
    }
}

impl<N: Keyed> Block<N> {
    /// How the entry compares with a key.
    #[inline]
    fn order(&self, at: usize, beginning: Beginning, key: &[u8]) -> Ordering {
        let Some(own) = self.beginnings.get(at) else { return Ordering::Greater };
        own.cmp(&beginning).then_with(|| match self.nodes.get(at) {
            Some(node) => node.key().cmp(key),
            None => Ordering::Greater,
        })
    }
}

/// How many of the first `len` numbers, from 0, come before a point: those and no others satisfy `is_before`.
#[inline]
fn partition(len: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    impl Keyed for &'static [u8] {
        fn key(&self) -> &[u8] {
            self
        }
    }

    fn check(keys: impl Iterator<Item = Vec<u8>>) {
        let mut directory = Directory::new();
        let mut model = BTreeMap::new();
        for key in keys {
            let expected = model.range(..key.clone()).next_back().map(|(_, node)| *node);
            let node: &'static [u8] = key.clone().leak();
            match directory.find(&key) {
                Ok(found) => assert_eq!(Some(&found), model.get(&key)),
                Err((place, before)) => {
                    assert_eq!(before, expected);
                    assert_eq!(model.insert(key, node), None);
                    directory.insert(place, node);
                }
            }
        }
        assert!(directory.blocks.iter().all(|block| (1..=BLOCK_ENTRIES).contains(&block.nodes.len())));
        let nodes = directory.blocks.iter().flat_map(|block| &block.nodes);
        assert!(nodes.eq(model.values()));
        // Half full in the mean at the least, but for the first and the last.
        assert!(directory.blocks.len() <= 2 + 2 * model.len() / BLOCK_ENTRIES);
    }

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    #[test]
    fn keys_in_any_order() {
        check((0..5_000_u32).map(|number| number.to_be_bytes().to_vec()));
        check((0..5_000_u32).rev().map(|number| number.to_be_bytes().to_vec()));
        let mut state = 1;
        check((0..20_000).map(|_| (random(&mut state) % 9_000).to_be_bytes().to_vec()));
        // A run in the middle of others, upwards and downwards.
        let others = (0..1_000_u32).map(|number| (number * 10_000).to_be_bytes().to_vec());
        check(others.clone().chain((5_000_001..5_005_000_u32).map(|number| number.to_be_bytes().to_vec())));
        check(others.chain((5_000_001..5_005_000_u32).rev().map(|number| number.to_be_bytes().to_vec())));
    }

    #[test]
    fn keys_whose_beginnings_do_not_decide() {
        let mut state = 2;
        check((0..20_000).map(|_| {
            let same = random(&mut state) as usize % 40;
            let mut key = vec![7; same];
            key.extend((0..random(&mut state) % 5).map(|_| random(&mut state) as u8 % 3));
            // The beginning of a short key is filled up with zeros.
            key.resize(key.len() + random(&mut state) as usize % 3, 0);
            key
        }));
    }
}
