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

    pub(super) fn documents(&self) -> impl Iterator<Item = Slice<'_>> + Clone {
        self.entries.iter().scan(0, |start, (_, end)| {
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
