#![doc = include_str!("../README.md")]

mod definition;
mod edge;
mod entry;
mod error;
mod extract;
mod field_path;
mod key_range;
mod kind;
mod name;
mod selectivity;

pub use definition::{EDGE_ID, IndexDefinition, PRIMARY_ID, STORED_VALUES_MAX};
pub use edge::EdgeEnds;
pub use entry::{
    LOCAL_ID_BYTES, append_local_id, cut_key, entry_parts, is_cut, key_hash, split_key, split_unique_value,
    stored_slice, write_edge_prefix,
};
pub use error::Error;
pub use extract::{ENTRIES_MAX, EntryBuffers};
pub use field_path::FieldPath;
pub use key_range::{KeyRange, RangeEnd};
pub use kind::{IndexKind, TypeName};
pub use name::NAME_BYTES_MAX;
pub use persea_order::DecodedKey;
pub use selectivity::SelectivityEstimator;
