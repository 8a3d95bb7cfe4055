//! Buffers that document writes use again and again, so that a write allocates next to nothing.

use persea_vpack::{Builder, Slice};

use super::index_entries::EntryMaker;

/// Reusable buffers of one transaction.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Builds the stored form of a document.
    pub(super) builder: Builder,
    /// Bytes of the document before the write.
    pub(super) old: Vec<u8>,
    /// Key of the document.
    pub(super) key: String,
    /// Full identifier of the document.
    pub(super) id: String,
    /// Index entries of the document before the write.
    pub(crate) old_entries: EntryList,
    /// Index entries of the document after the write.
    pub(crate) new_entries: EntryList,
    /// Makes index entries.
    pub(crate) maker: EntryMaker,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            builder: Builder::new().with_attribute_translation(true),
            old: Vec::new(),
            key: String::new(),
            id: String::new(),
            old_entries: EntryList::default(),
            new_entries: EntryList::default(),
            maker: EntryMaker::default(),
        }
    }
}

impl Scratch {
    /// The document before the write.
    pub(super) fn old_document(&self) -> Slice<'_> {
        Slice::trusted(&self.old)
    }

    /// Copies the document before the write.
    pub(super) fn set_old(&mut self, bytes: &[u8]) {
        self.old.clear();
        self.old.extend_from_slice(bytes);
    }
}

/// Index entries in one buffer: which index, key, value.
#[derive(Debug)]
pub(crate) struct EntryList {
    bytes: Vec<u8>,
    bytes_max: usize,
    entries: Vec<EntrySpan>,
    is_too_long: bool,
}

/// Positions in the buffer have 32 bits.
const BYTES_MAX: usize = u32::MAX as usize;

impl Default for EntryList {
    fn default() -> Self {
        Self { bytes: Vec::new(), bytes_max: BYTES_MAX, entries: Vec::new(), is_too_long: false }
    }
}

#[derive(Debug, Clone, Copy)]
struct EntrySpan {
    keyspace: u64,
    index: u32,
    start: u32,
    value: u32,
    end: u32,
}

/// One entry of an [`EntryList`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) keyspace: u64,
    /// Position of the index in the collection's list.
    pub(crate) index: usize,
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
}

impl EntryList {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.is_too_long = false;
    }

    /// Whether an entry did not find room.
    pub(crate) fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// Bytes of keys and values.
    pub(crate) fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Adds an entry whose key and value are the concatenated parts, unless the list would become too long: then it
    /// [is too long](Self::is_too_long) until it is cleared.
    pub(crate) fn push(&mut self, keyspace: u64, index: usize, key: &[&[u8]], value: &[&[u8]]) {
        let n_bytes: usize = key.iter().chain(value).map(|part| part.len()).sum();
        if self.bytes.len() + n_bytes > self.bytes_max {
            self.is_too_long = true;
            return;
        }
        let start = self.bytes.len() as u32;
        key.iter().for_each(|part| self.bytes.extend_from_slice(part));
        let middle = self.bytes.len() as u32;
        value.iter().for_each(|part| self.bytes.extend_from_slice(part));
        let end = self.bytes.len() as u32;
        self.entries.push(EntrySpan { keyspace, index: index as u32, start, value: middle, end });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().map(|span| {
            let part = |from: u32, to: u32| self.bytes.get(from as usize..to as usize).unwrap_or_default();
            Entry {
                keyspace: span.keyspace,
                index: span.index as usize,
                key: part(span.start, span.value),
                value: part(span.value, span.end),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_without_room_is_left_out_and_told_of() {
        let mut list = EntryList { bytes_max: 5, ..EntryList::default() };
        list.push(1, 0, &[b"ab"], &[b"c"]);
        assert!(!list.is_too_long());
        list.push(1, 0, &[b"d"], &[b"ef"]);
        assert!(list.is_too_long());
        assert_eq!(list.iter().map(|entry| entry.key).collect::<Vec<_>>(), [b"ab"]);
        list.clear();
        list.push(1, 0, &[b"ab"], &[b"cde"]);
        assert!(!list.is_too_long());
        assert_eq!(list.iter().map(|entry| entry.value).collect::<Vec<_>>(), [b"cde"]);
    }
}
