//! Keyspaces: an eight-byte big-endian prefix that divides each tree into disjoint ranges.

use std::ops::Bound;

use persea_kv::Bounds;
use smallvec::SmallVec;

/// Bytes that the keyspace id takes in front of every key.
pub(crate) const PREFIX_BYTES: usize = size_of::<u64>();

/// Longest key in bytes, without the keyspace.
pub const MAX_KEY_BYTES: usize = persea_kv::MAX_KEY_BYTES - PREFIX_BYTES;

/// The keyspace that this crate keeps its own records in; it can be read but not written from outside.
pub const RESERVED_KEYSPACE: u64 = u64::MAX;

/// A key with its prefix; most fit inline.
pub(crate) type FullKey = SmallVec<[u8; 104]>;

#[inline]
pub(crate) fn full_key(keyspace: u64, key: &[u8]) -> FullKey {
    let mut full = FullKey::new();
    full.extend_from_slice(&keyspace.to_be_bytes());
    full.extend_from_slice(key);
    full
}

/// The key without its prefix.
#[inline]
pub(crate) fn strip(full: &[u8]) -> &[u8] {
    full.get(PREFIX_BYTES..).unwrap_or_default()
}

/// Bounds over full keys that stay within one keyspace.
#[derive(Debug)]
pub(crate) struct FullBounds {
    lower: Bound<FullKey>,
    upper: Bound<FullKey>,
}

impl FullBounds {
    pub(crate) fn new(keyspace: u64, bounds: Bounds<'_>) -> FullBounds {
        let lower = match bounds.0 {
            Bound::Included(key) => Bound::Included(full_key(keyspace, key)),
            Bound::Excluded(key) => Bound::Excluded(full_key(keyspace, key)),
            Bound::Unbounded => Bound::Included(full_key(keyspace, &[])),
        };
        let upper = match bounds.1 {
            Bound::Included(key) => Bound::Included(full_key(keyspace, key)),
            Bound::Excluded(key) => Bound::Excluded(full_key(keyspace, key)),
            Bound::Unbounded => match keyspace.checked_add(1) {
                Some(next) => Bound::Excluded(full_key(next, &[])),
                None => Bound::Unbounded,
            },
        };
        FullBounds { lower, upper }
    }

    /// All keys of a keyspace.
    pub(crate) fn whole(keyspace: u64) -> FullBounds {
        FullBounds::new(keyspace, (Bound::Unbounded, Bound::Unbounded))
    }

    pub(crate) fn borrow(&self) -> Bounds<'_> {
        (borrow_bound(&self.lower), borrow_bound(&self.upper))
    }
}

fn borrow_bound(bound: &Bound<FullKey>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}
