//! How one index entry lies in a key-value store.
//!
//! | index | key | value |
//! | --- | --- | --- |
//! | not unique | field key, local id (8 bytes, big endian) | stored values |
//! | unique | field key | local id (8 bytes, big endian), stored values |
//! | edge, one keyspace a direction | vertex id, `00`, local id | opposite vertex id |
//!
//! The field key is the sort keys of the fields one after the other, cut when longer than the limit: to the limit
//! less 16 bytes, which then hold a hash of the whole key. Stored values are a VelocyPack array, or nothing when
//! the index has none.

use persea_vpack::Slice;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Bytes of a local id at the end of a key or at the start of a value.
pub const LOCAL_ID_BYTES: usize = 8;

/// Bytes of the hash that ends a cut key.
pub(crate) const CUT_HASH_BYTES: usize = 16;

/// Ends a vertex id in an edge key; vertex ids hold no control characters.
const VERTEX_END: u8 = 0;

/// Cuts a field key that is longer than `limit` bytes and tells it apart from others with the same start by a hash.
///
/// A field key has `limit` bytes exactly when it was cut. Keys of just that length are treated the same, so that
/// the length alone tells.
pub fn cut_key(key: &mut Vec<u8>, limit: usize) {
    if key.len() < limit {
        return;
    }
    let hash = xxh3_128(key);
    key.truncate(limit.saturating_sub(CUT_HASH_BYTES));
    key.extend_from_slice(&hash.to_be_bytes());
}

/// True for a field key (without local id) that was cut: it no longer tells the value, only a likely candidate.
pub fn is_cut(field_key: &[u8], limit: usize) -> bool {
    field_key.len() >= limit
}

/// Appends a local id to the field key of an index that is not unique, or to an edge key.
pub fn append_local_id(key: &mut Vec<u8>, local_id: u64) {
    key.extend_from_slice(&local_id.to_be_bytes());
}

/// The field key and the local id of an entry whose key ends in one; `None` for keys that are too short.
pub fn split_key(key: &[u8]) -> Option<(&[u8], u64)> {
    let (field_key, local_id) = key.split_last_chunk::<LOCAL_ID_BYTES>()?;
    Some((field_key, u64::from_be_bytes(*local_id)))
}

/// The parts of an entry's key and of its value, for an index with or without unique keys; `stored` is empty when the
/// index has no stored values. The local id, as big endian bytes, ends the key of the one and begins the value of the
/// other.
pub fn entry_parts<'a>(
    is_unique: bool,
    field_key: &'a [u8],
    local_id: &'a [u8; LOCAL_ID_BYTES],
    stored: &'a [u8],
) -> ([&'a [u8]; 2], [&'a [u8]; 2]) {
    if is_unique { ([field_key, &[]], [local_id, stored]) } else { ([field_key, local_id], [&[], stored]) }
}

/// The local id and the stored values of a unique index's entry.
pub fn split_unique_value(value: &[u8]) -> Option<(u64, Slice<'_>)> {
    let (local_id, stored) = value.split_first_chunk::<LOCAL_ID_BYTES>()?;
    Some((u64::from_be_bytes(*local_id), stored_slice(stored)))
}

/// Stored values as an array; [`Slice::none`] when the index has none.
pub fn stored_slice(stored: &[u8]) -> Slice<'_> {
    Slice::trusted(stored)
}

/// Writes the start of all edge keys of `vertex` over `out`; with a local id behind it, it is an edge's key.
pub fn write_edge_prefix(vertex: &str, limit: usize, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(vertex.as_bytes());
    out.push(VERTEX_END);
    cut_key(out, limit);
}

/// The hash of a field key that the selectivity estimator counts.
pub fn key_hash(field_key: &[u8]) -> u64 {
    xxh3_64(field_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_are_cut_to_the_limit_and_stay_apart() {
        const LIMIT: usize = 64;
        let long = |last: u8| {
            let mut key = vec![7; 100];
            key.push(last);
            cut_key(&mut key, LIMIT);
            key
        };
        assert_eq!(long(1).len(), LIMIT);
        assert_ne!(long(1), long(2));
        assert_eq!(long(1), long(1));
        assert!(is_cut(&long(1), LIMIT));
        let mut short = vec![7; LIMIT - 1];
        cut_key(&mut short, LIMIT);
        assert_eq!(short, vec![7; LIMIT - 1]);
        assert!(!is_cut(&short, LIMIT));
    }

    #[test]
    fn parts_come_back() {
        let mut key = vec![1, 2, 3];
        append_local_id(&mut key, 0x0102);
        assert_eq!(split_key(&key), Some((&[1u8, 2, 3][..], 0x0102)));
        assert_eq!(split_key(&[1; 7]), None);
        let id = 5u64.to_be_bytes();
        let (key, value) = entry_parts(true, &[1, 2], &id, &[0x01]);
        assert_eq!(key.concat(), [1, 2]);
        let value = value.concat();
        let (local_id, stored) = split_unique_value(&value).unwrap();
        assert_eq!((local_id, stored.is_array()), (5, true));
        let (_, value) = entry_parts(true, &[1, 2], &id, &[]);
        assert!(split_unique_value(&value.concat()).unwrap().1.is_none());
        let (key, value) = entry_parts(false, &[1, 2], &id, &[0x01]);
        assert_eq!(split_key(&key.concat()), Some((&[1u8, 2][..], 5)));
        assert!(stored_slice(&value.concat()).is_array());
    }

    #[test]
    fn a_vertex_is_no_prefix_of_another() {
        let prefix = |vertex: &str| {
            let mut out = Vec::new();
            write_edge_prefix(vertex, 1000, &mut out);
            out
        };
        assert!(!prefix("a/12").starts_with(&prefix("a/1")));
        assert_eq!(prefix("a/1"), b"a/1\0");
    }
}
