//! Memory that is handed out piece by piece and given back all at once.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Every piece begins at a multiple of this.
pub(super) const ALIGNMENT: usize = 8;

const FIRST_CHUNK_BYTES: usize = 4 << 10;
const CHUNK_BYTES_MAX: usize = 1 << 20;

type Word = MaybeUninit<u64>;

/// Chunks that never move and live as long as the arena.
#[derive(Debug, Default)]
pub(super) struct Arena {
    /// Made by `Box::into_raw`, so that no reference to them ever claims to be the only one.
    chunks: Vec<NonNull<[Word]>>,
    /// Place of the next piece in the last chunk.
    next: usize,
    allocated_bytes: usize,
}

// SAFETY: the arena owns its chunks like a `Vec` of boxes would; the pointers are used by `Drop` and `allocate` only.
unsafe impl Send for Arena {}

impl Arena {
    /// Bytes of all chunks.
    pub(super) fn allocated_bytes(&self) -> usize {
        self.allocated_bytes
    }

    /// Uninitialised memory of that many bytes, aligned to [`ALIGNMENT`], valid until the arena is dropped.
    pub(super) fn allocate(&mut self, n_bytes: usize) -> NonNull<u8> {
        let n_words = n_bytes.div_ceil(ALIGNMENT);
        let has_room = self.chunks.last().is_some_and(|chunk| self.next + n_words <= chunk.len());
        if !has_room {
            self.add_chunk(n_words);
        }
        // A chunk was added if there was none.
        let Some(chunk) = self.chunks.last() else { return NonNull::<u64>::dangling().cast() };
        let first = chunk.cast::<u64>();
        // SAFETY: a chunk with room for `n_words` behind `next` was found or added above.
        let piece = unsafe { first.add(self.next) };
        self.next += n_words;
        piece.cast()
    }

    fn add_chunk(&mut self, n_words: usize) {
        let usual_bytes = (FIRST_CHUNK_BYTES << self.chunks.len().min(16)).min(CHUNK_BYTES_MAX);
        let n_words = n_words.max(usual_bytes / ALIGNMENT);
        let chunk: Box<[Word]> = Box::new_uninit_slice(n_words);
        self.allocated_bytes += n_words * ALIGNMENT;
        // SAFETY: pointers made from boxes are not null.
        self.chunks.push(unsafe { NonNull::new_unchecked(Box::into_raw(chunk)) });
        self.next = 0;
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for chunk in self.chunks.drain(..) {
            // SAFETY: each pointer came from `Box::into_raw` and is given back once.
            drop(unsafe { Box::from_raw(chunk.as_ptr()) });
        }
    }
}
