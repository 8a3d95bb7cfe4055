//! Where things lie in the store: the fixed keyspaces of the meta tree and the byte forms of their keys.
//!
//! | tree | keyspace | key | value |
//! | --- | --- | --- | --- |
//! | meta | 1 server | `tick` | end of the reserved numbers, 8 bytes |
//! | meta | 2 databases | database id | VelocyPack record |
//! | meta | 3 collections | database id, collection id | VelocyPack record |
//! | meta | 4 counts | collection id, stamp | count change, newest revision, last key value: 3 × 8 bytes |
//! | meta | 5 unfinished | keyspace, or number of a count | what is being made: empty for index entries, 1 for documents, 2 for a count |
//! | meta | 6 estimates | keyspace of the index | state of the selectivity estimator |
//! | documents | of the collection | local id | document |
//! | index | of the primary index | `_key` | local id |
//! | index | of an index | fields, local id | stored values (a unique index: fields → local id, stored values) |
//! | index | of an edge direction | vertex id, zero byte, local id | id of the opposite vertex |
//!
//! All numbers are big endian, so that byte order is numeric order.

pub(crate) const META_SERVER: u64 = 1;
pub(crate) const META_DATABASES: u64 = 2;
pub(crate) const META_COLLECTIONS: u64 = 3;
pub(crate) const META_COUNTS: u64 = 4;
pub(crate) const META_UNFINISHED: u64 = 5;
pub(crate) const META_ESTIMATES: u64 = 6;

/// Reads the first eight bytes as a number.
pub(crate) fn read_u64(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk::<8>().map(|chunk| u64::from_be_bytes(*chunk))
}

/// Two numbers as one key.
pub(crate) fn pair_key(first: u64, second: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&first.to_be_bytes());
    key[8..].copy_from_slice(&second.to_be_bytes());
    key
}

/// Longest field key of an index entry; what is longer is cut. A local id has to fit behind it.
pub(crate) const FIELD_KEY_BYTES_MAX: usize = persea_txn::MAX_KEY_BYTES - persea_index::LOCAL_ID_BYTES;
