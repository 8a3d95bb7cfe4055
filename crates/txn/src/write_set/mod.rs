//! What a transaction has written: one mutable buffer on top of immutable, sorted layers.

mod buffer;
mod layer;

pub(crate) use buffer::{Buffer, BufferMark, RawBuffer};
pub(crate) use layer::{Layer, LayerRange};

use std::sync::Arc;

use persea_kv::{Tree, Write};

/// The sealed layers of a transaction, oldest first.
pub(crate) type Layers = Arc<[Arc<Layer>]>;

/// The writes of some transactions, tree by tree; within a tree in the order of the transactions.
pub(crate) fn writes_of<'g>(group: &'g [&'g Layers]) -> impl Iterator<Item = Write<'g>> + Clone {
    Tree::ALL.into_iter().flat_map(move |tree| {
        group.iter().flat_map(move |layers| layers.iter().flat_map(move |layer| layer.writes(tree)))
    })
}

/// Bytes of keys and values.
pub(crate) fn data_bytes(layers: &Layers) -> usize {
    layers.iter().map(|layer| layer.data_bytes()).sum()
}

/// Place of one written key and its value in the bytes they were appended to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    offset: usize,
    key_len: u32,
    /// [`TOMBSTONE`] marks a delete.
    value_len: u32,
}

const TOMBSTONE: u32 = u32::MAX;

impl Slot {
    /// The full key in `data`.
    #[inline]
    fn key(self, data: &[u8]) -> &[u8] {
        data.get(self.offset..self.offset + self.key_len as usize).unwrap_or_default()
    }

    /// The value in `data`; `None` if the key was deleted.
    #[inline]
    fn value(self, data: &[u8]) -> Option<&[u8]> {
        if self.value_len == TOMBSTONE {
            return None;
        }
        let start = self.offset + self.key_len as usize;
        Some(data.get(start..start + self.value_len as usize).unwrap_or_default())
    }

    /// Appends key and value to `data`.
    fn append(data: &mut Vec<u8>, keyspace: u64, key: &[u8], value: Option<&[u8]>) -> Slot {
        let offset = data.len();
        data.extend_from_slice(&keyspace.to_be_bytes());
        data.extend_from_slice(key);
        // Lengths were checked against limits far below 2^32 (keys) and just below it (values) by the transaction.
        let key_len = (data.len() - offset) as u32;
        let value_len = value.map_or(TOMBSTONE, |value| value.len() as u32);
        data.extend_from_slice(value.unwrap_or_default());
        Slot { offset, key_len, value_len }
    }

    /// Appends an entry of other bytes to `data`.
    fn append_from(data: &mut Vec<u8>, slot: Slot, source: &[u8]) -> Slot {
        let offset = data.len();
        data.extend_from_slice(slot.key(source));
        data.extend_from_slice(slot.value(source).unwrap_or_default());
        Slot { offset, ..slot }
    }
}
