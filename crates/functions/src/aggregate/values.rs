//! Aggregates that keep the values of a group: `UNIQUE`, `SORTED_UNIQUE`, `COUNT_DISTINCT`, `PUSH`.
//!
//! Kept values lie one after the other as VelocyPack in one buffer, since the rows they come from are gone
//! when the group is finished.

use bumpalo::Bump;
use hashbrown::HashTable;
use persea_order::{Value, compare, equal, hash};
use persea_vpack::{Builder, Slice};

use crate::{ArenaBuilder, Environment, Error};

/// All values, in order.
#[derive(Debug, Default)]
pub(super) struct PushedValues {
    scratch: Builder,
    bytes: Vec<u8>,
    len: usize,
}

impl PushedValues {
    pub(super) fn add(&mut self, value: Value<'_>) -> Result<(), Error> {
        append(&mut self.scratch, &mut self.bytes, value)?;
        self.len += 1;
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.len = 0;
    }

    pub(super) fn finish<'a>(&self, arena: &'a Bump, env: &'a Environment) -> Result<Value<'a>, Error> {
        let mut builder = ArenaBuilder::new(arena, env);
        builder.open_array();
        let mut offset = 0;
        for _ in 0..self.len {
            let slice = slice_at(&self.bytes, offset);
            offset += slice.byte_size();
            builder.add_slice(slice);
        }
        builder.close();
        builder.finish()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Distinct values in order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct DistinctValues {
    scratch: Builder,
    bytes: Vec<u8>,
    /// Hash and position in `bytes` of each distinct value.
    positions: HashTable<(u64, usize)>,
    in_order: Vec<usize>,
}

impl DistinctValues {
    pub(super) fn add(&mut self, value: Value<'_>) -> Result<(), Error> {
        let hash = hash(value);
        let bytes = &self.bytes;
        let known = self.positions.find(hash, |&(other_hash, position)| {
            other_hash == hash && equal(value, Value::from_slice(slice_at(bytes, position)))
        });
        if known.is_none() {
            let position = self.bytes.len();
            append(&mut self.scratch, &mut self.bytes, value)?;
            self.in_order.push(position);
            self.positions.insert_unique(hash, (hash, position), |&(hash, _)| hash);
        }
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.in_order.len()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.positions.clear();
        self.in_order.clear();
    }

    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        self.in_order.iter().map(|&position| Value::from_slice(slice_at(&self.bytes, position)))
    }

    pub(super) fn finish<'a>(&self, arena: &'a Bump, env: &'a Environment) -> Result<Value<'a>, Error> {
        build(arena, env, self.values())
    }

    pub(super) fn finish_sorted<'a>(
        &self,
        arena: &'a Bump,
        env: &'a Environment,
    ) -> Result<Value<'a>, Error> {
        let mut values: Vec<Value<'_>> = self.values().collect();
        values.sort_by(|left, right| compare(*left, *right));
        build(arena, env, values.into_iter())
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
            + self.in_order.capacity() * size_of::<usize>()
            + self.positions.capacity() * size_of::<(u64, usize)>()
    }
}

fn build<'a, 'v>(
    arena: &'a Bump,
    env: &'a Environment,
    values: impl Iterator<Item = Value<'v>>,
) -> Result<Value<'a>, Error> {
    let mut builder = ArenaBuilder::new(arena, env);
    builder.open_array();
    values.for_each(|value| builder.add(value));
    builder.close();
    builder.finish()
}

fn append(scratch: &mut Builder, bytes: &mut Vec<u8>, value: Value<'_>) -> Result<(), Error> {
    scratch.clear();
    value.write_to(scratch);
    bytes.extend_from_slice(scratch.as_slice()?.bytes());
    Ok(())
}

fn slice_at(bytes: &[u8], position: usize) -> Slice<'_> {
    Slice::trusted(bytes.get(position..).unwrap_or_default())
}
