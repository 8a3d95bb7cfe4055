//! Tells quickly that a key was not written: a Bloom filter with all bits of a key in one word.

use std::sync::atomic::{AtomicU64, Ordering};

use persea_kv::Tree;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bits that a key sets.
const N_PROBES: u32 = 4;

/// Stands for a key of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHash(u64);

impl KeyHash {
    #[inline]
    pub(crate) fn new(tree: Tree, full: &[u8]) -> KeyHash {
        KeyHash(xxh3_64_with_seed(full, tree.ordinal() as u64))
    }

    fn bits(self) -> u64 {
        (0..N_PROBES).fold(0, |bits, probe| bits | 1 << (self.0 >> (probe * 6) & 63))
    }
}

/// One writer adds keys while readers ask.
#[derive(Debug)]
pub(super) struct Filter {
    words: Box<[AtomicU64]>,
}

impl Filter {
    /// A filter for about so many keys, at ten to twenty bits each.
    pub(super) fn new(n_keys: usize) -> Filter {
        let n_words = (n_keys * 10).div_ceil(64).next_power_of_two();
        Filter { words: (0..n_words).map(|_| AtomicU64::new(0)).collect() }
    }

    #[inline]
    fn word(&self, hash: KeyHash) -> Option<&AtomicU64> {
        // The number of words is a power of two; the low bits of the hash choose the bits within the word.
        self.words.get((hash.0 >> 32) as usize & (self.words.len() - 1))
    }

    pub(super) fn add(&self, hash: KeyHash) {
        if let Some(word) = self.word(hash) {
            // Only one thread adds, and an atomic exchange would wait for whatever it has written before.
            word.store(word.load(Ordering::Relaxed) | hash.bits(), Ordering::Release);
        }
    }

    /// False if the key was certainly not added.
    #[inline]
    pub(super) fn may_contain(&self, hash: KeyHash) -> bool {
        let bits = hash.bits();
        self.word(hash).is_none_or(|word| word.load(Ordering::Acquire) & bits == bits)
    }
}
