//! Checksum of a collection: independent of the order of documents, equal for copies.

use persea_kv::Direction;
use persea_vpack::Slice;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::collection::Collection;
use crate::error::Result;
use crate::read::View;

impl Collection {
    /// Exclusive or of a hash of each document's key, and of its revision and other attributes when asked for.
    /// `_id` is left out, so that copies under other names match. Zero when empty.
    ///
    /// # Errors
    /// Storage errors.
    pub fn checksum(&self, with_revisions: bool, with_data: bool) -> Result<u64> {
        let view = View::latest(&self.shared)?;
        let mut checksum = 0;
        for row in view.scan(self, Direction::Forward)? {
            let (_, document) = row?;
            checksum ^= document_hash(document, with_revisions, with_data);
        }
        Ok(checksum)
    }
}

fn document_hash(document: Slice<'_>, with_revisions: bool, with_data: bool) -> u64 {
    let mut hash = 1;
    for (name, value) in document.object_iter() {
        let is_wanted = match name {
            "_key" => true,
            "_id" => false,
            "_rev" => with_revisions,
            _ => with_data,
        };
        if is_wanted {
            // Attributes add up, so that their order does not matter.
            let seed = xxh3_64_with_seed(name.as_bytes(), 0);
            hash = u64::wrapping_add(hash, value_hash(value, seed));
        }
    }
    hash
}

fn value_hash(value: Slice<'_>, seed: u64) -> u64 {
    let hash = persea_order::hash(persea_order::Value::from_slice(value));
    xxh3_64_with_seed(&hash.to_be_bytes(), seed)
}
