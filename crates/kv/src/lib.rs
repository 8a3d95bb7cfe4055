#![doc = include_str!("../README.md")]

mod engine;
mod error;
mod lmdb;
mod memory;
mod store;
mod version;

pub use engine::{Engine, Range, Snapshot};
pub use error::{Error, Result};
pub use lmdb::{
    Compacted, LmdbRange, LmdbSnapshot, LmdbStore, Options, PageProblem, PageReport, ReadAhead, TreePages,
    WriteSync, check_pages, compact,
};
pub use memory::{MemoryRange, MemorySnapshot, MemoryStore};
pub use store::{
    Bounds, Direction, MAX_KEY_BYTES, MAX_VALUE_BYTES, Stats, Store, StoreSnapshot, Tree, Write,
};
pub use version::storage_version;
