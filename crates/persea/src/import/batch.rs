//! The documents of an import that wait to be written.

use persea_vpack::Slice;

/// Documents one behind the other.
#[derive(Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    /// Of each document where it stood in the input, and where it ends in `bytes`.
    entries: Vec<(u64, usize)>,
}

impl Batch {
    pub(super) fn push(&mut self, position: u64, document: Slice<'_>) {
        self.bytes.extend_from_slice(document.bytes());
        self.entries.push((position, self.bytes.len()));
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn byte_size(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets the documents and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// The documents from this one on.
    pub(super) fn documents(&self, first: usize) -> impl Iterator<Item = Slice<'_>> + Clone {
        let start =
            first.checked_sub(1).and_then(|before| self.entries.get(before)).map_or(0, |(_, end)| *end);
        self.entries.iter().skip(first).scan(start, |start, (_, end)| {
            let bytes = self.bytes.get(*start..*end)?;
            *start = *end;
            Some(Slice::trusted(bytes))
        })
    }

    /// Where the documents stood in the input.
    pub(super) fn positions(&self) -> impl Iterator<Item = u64> + '_ {
        self.entries.iter().map(|(position, _)| *position)
    }
}
