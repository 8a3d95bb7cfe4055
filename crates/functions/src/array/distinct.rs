//! A set of values with a number each, in order of first occurrence.

use bumpalo::collections::Vec as BumpVec;
use hashbrown::HashTable;
use persea_order::{Value, equal, hash};

use crate::Context;

/// Few values are compared one by one; a hash table starts where that gets slow.
const LINEAR_MAX: usize = 8;

pub(super) struct Entry<'a> {
    pub(super) value: Value<'a>,
    pub(super) count: usize,
}

pub(super) struct DistinctValues<'a> {
    entries: BumpVec<'a, Entry<'a>>,
    positions: HashTable<(u64, usize)>,
}

impl<'a> DistinctValues<'a> {
    pub(super) fn new(ctx: &Context<'a>) -> Self {
        Self { entries: ctx.vec(), positions: HashTable::new() }
    }

    /// The entry of a value, made with count 0 if there is none.
    pub(super) fn entry(&mut self, value: Value<'a>) -> Option<&mut Entry<'a>> {
        let position = match self.position(value) {
            Some(position) => position,
            None => self.push(value),
        };
        self.entries.get_mut(position)
    }

    pub(super) fn find(&mut self, value: Value<'a>) -> Option<&mut Entry<'a>> {
        let position = self.position(value)?;
        self.entries.get_mut(position)
    }

    /// Adds a value; whether it was not there before.
    pub(super) fn insert(&mut self, value: Value<'a>) -> bool {
        let is_new = self.position(value).is_none();
        if is_new {
            self.push(value);
        }
        is_new
    }

    fn position(&self, value: Value<'a>) -> Option<usize> {
        if self.positions.is_empty() {
            return self.entries.iter().position(|entry| equal(entry.value, value));
        }
        let wanted = hash(value);
        let is_same = |&(hash, position): &(u64, usize)| {
            hash == wanted && self.entries.get(position).is_some_and(|entry| equal(entry.value, value))
        };
        self.positions.find(wanted, is_same).map(|&(_, position)| position)
    }

    fn push(&mut self, value: Value<'a>) -> usize {
        let position = self.entries.len();
        self.entries.push(Entry { value, count: 0 });
        if position == LINEAR_MAX {
            for at in 0..=position {
                self.index(at);
            }
        } else if position > LINEAR_MAX {
            self.index(position);
        }
        position
    }

    fn index(&mut self, position: usize) {
        if let Some(entry) = self.entries.get(position) {
            let hash = hash(entry.value);
            self.positions.insert_unique(hash, (hash, position), |&(hash, _)| hash);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Value<'a>> {
        self.entries.iter().map(|entry| entry.value)
    }
}
