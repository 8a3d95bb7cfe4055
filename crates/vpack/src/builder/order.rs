//! Keys of an object in the order of their bytes.

use std::cmp::Ordering;

use super::encode::Key;
use crate::container::key;

/// Objects up to this many keys are sorted by insertion.
const INSERTION_SORT_MAX: usize = 16;
/// Orders of fewer keys are not remembered; sorting them costs as little as looking them up.
const REMEMBERED_MIN: usize = 2;
/// Orders of more keys are not remembered.
pub(super) const REMEMBERED_MAX: usize = 48;
/// How many orders are remembered; a power of two.
const SLOTS: usize = 32;

/// Orders that keys were found to have, since most objects have the same keys as one not long before.
///
/// A remembered order is tried first. Whether it fits takes one comparison a key, always with the same outcome,
/// where sorting takes many that the processor cannot foresee.
#[derive(Debug, Clone, Default)]
pub(super) struct Orders {
    /// Empty until a second object is sorted.
    slots: Vec<Order>,
    any_sorted: bool,
}

/// The keys of an object by their position, sorted.
#[derive(Debug, Clone, Copy)]
struct Order {
    count: u8,
    positions: [u8; REMEMBERED_MAX],
}

/// The outcome of sorting keys that are all different, or not.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sorted {
    /// The keys are sorted now.
    InPlace,
    /// The keys are as they were; the remembered order sorts them.
    By(usize),
    /// The keys are sorted now, equal ones by position, and the one at this offset occurs twice.
    Duplicate { offset: usize },
}

impl Orders {
    /// Sorts the keys of an object that starts at the first byte of `object`.
    #[inline]
    pub(super) fn sort(&mut self, keys: &mut [Key], object: &[u8]) -> Sorted {
        if !(REMEMBERED_MIN..=REMEMBERED_MAX).contains(&keys.len()) {
            return in_place(keys, object);
        }
        let slot = slot(keys);
        // Two kinds of objects may share a slot, so there are two places for each.
        for slot in [slot, slot ^ 1] {
            if self.slots.get(slot).is_some_and(|order| order.fits(keys, object)) {
                return Sorted::By(slot);
            }
        }
        self.learn(slot, keys, object)
    }

    /// A remembered order.
    #[inline]
    pub(super) fn get(&self, order: usize, count: usize) -> &[u8] {
        self.slots.get(order).and_then(|order| order.positions.get(..count)).unwrap_or(&[])
    }

    #[cold]
    fn learn(&mut self, slot: usize, keys: &mut [Key], object: &[u8]) -> Sorted {
        if !self.any_sorted {
            self.any_sorted = true;
            return in_place(keys, object);
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Order { count: 0, positions: [0; REMEMBERED_MAX] });
        }
        let mut unsorted = [0; REMEMBERED_MAX];
        unsorted.iter_mut().zip(&*keys).for_each(|(offset, key)| *offset = key.offset);
        let sorted = in_place(keys, object);
        if self.slots.get(slot).is_some_and(|order| order.count != 0) && slot ^ 1 < self.slots.len() {
            self.slots.swap(slot, slot ^ 1);
        }
        if let (Sorted::InPlace, Some(order)) = (sorted, self.slots.get_mut(slot)) {
            order.count = keys.len() as u8;
            // Keys come in ascending order of their offsets.
            let unsorted = unsorted.get(..keys.len()).unwrap_or(&[]);
            for (position, key) in order.positions.iter_mut().zip(&*keys) {
                *position = unsorted.partition_point(|&offset| offset < key.offset) as u8;
            }
        }
        sorted
    }
}

impl Order {
    /// Whether these keys, taken in this order, ascend.
    #[inline]
    fn fits(&self, keys: &[Key], object: &[u8]) -> bool {
        if usize::from(self.count) != keys.len() {
            return false;
        }
        let positions = self.positions.get(..keys.len()).unwrap_or(&[]);
        let mut sorted = positions.iter().filter_map(|&position| keys.get(usize::from(position)));
        let Some(mut previous) = sorted.next() else { return false };
        // As neighbours differ, no position occurs twice, and none is missing.
        sorted.all(|key| {
            let ascends = previous.prefix < key.prefix || order(previous, key, object).is_lt();
            previous = key;
            ascends
        })
    }
}

#[inline]
fn slot(keys: &[Key]) -> usize {
    let (first, last) = (keys.first().map_or(0, |key| key.prefix), keys.last().map_or(0, |key| key.prefix));
    let mixed = (first ^ last.rotate_left(29) ^ keys.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - SLOTS.trailing_zeros())) as usize
}

#[inline]
fn order(a: &Key, b: &Key, object: &[u8]) -> Ordering {
    match a.prefix.cmp(&b.prefix) {
        Ordering::Equal => text_at(object, a.offset).cmp(text_at(object, b.offset)),
        unequal => unequal,
    }
}

fn in_place(keys: &mut [Key], object: &[u8]) -> Sorted {
    let duplicate = if keys.len() <= INSERTION_SORT_MAX {
        let mut duplicate = None;
        for position in 1..keys.len() {
            duplicate = insert_sorted(keys, position, object).or(duplicate);
        }
        duplicate
    } else {
        keys.sort_unstable_by(|a, b| order(a, b, object).then(a.offset.cmp(&b.offset)));
        keys.array_windows().find(|[a, b]| order(a, b, object).is_eq()).map(|&[_, second]| second.offset)
    };
    duplicate.map_or(Sorted::InPlace, |offset| Sorted::Duplicate { offset })
}

/// Moves the key at `position` down into the sorted ones before it; gives its offset back when it is among them.
#[inline]
fn insert_sorted(keys: &mut [Key], position: usize, object: &[u8]) -> Option<usize> {
    let (sorted, rest) = keys.split_at_mut_checked(position)?;
    let inserted = *rest.first()?;
    let mut duplicate = None;
    let mut target = position;
    for before in sorted.iter().rev() {
        match order(before, &inserted, object) {
            Ordering::Greater => target -= 1,
            Ordering::Equal => {
                duplicate = Some(inserted.offset);
                break;
            }
            Ordering::Less => break,
        }
    }
    if target < position {
        keys.get_mut(target..=position)?.rotate_right(1);
    }
    duplicate
}

/// The key at an offset of an object.
#[inline]
pub(super) fn text_at(object: &[u8], offset: usize) -> &[u8] {
    object.get(offset..).and_then(key).map_or(&[], |(text, _)| text)
}
