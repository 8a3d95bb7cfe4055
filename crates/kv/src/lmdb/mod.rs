//! The LMDB engine: one environment with three named databases in a folder of its own.
//!
//! Each write is brought to the disk in an order that keeps the file consistent, unless told otherwise ([`WriteSync`]).
//! Readers are wait-free and read straight from the memory map.

mod address_space;
mod compact;
mod data_file;
mod disk_space;
mod environment;
mod folder_lock;
mod lock_file;
mod meta_pages;
mod options;
mod page_check;
mod reader_gate;
mod regular_file;
mod snapshot;
mod store;

pub use compact::{Compacted, compact};
pub use options::{Options, ReadAhead, WriteSync};
pub use page_check::{PageProblem, PageReport, TreePages, check_pages};
pub use snapshot::{LmdbRange, LmdbSnapshot};
pub use store::LmdbStore;

use heed::types::Bytes;

use crate::{Error, Tree};

/// One named database: bytes to bytes in byte order.
type Database = heed::Database<'static, Bytes, Bytes>;
/// The environment; its read transactions may move between threads.
type Environment = heed::Env<heed::WithoutTls>;

/// The handles of the three named databases.
#[derive(Clone, Copy)]
struct Databases([Database; Tree::COUNT]);

impl Databases {
    #[inline]
    fn of(&self, tree: Tree) -> &Database {
        match tree {
            Tree::Documents => &self.0[0],
            Tree::Index => &self.0[1],
            Tree::Meta => &self.0[2],
        }
    }
}

/// Translates the library's errors that need no more context.
fn engine_error(error: heed::Error) -> Error {
    use heed::MdbError;
    match error {
        heed::Error::Io(error) => Error::Io(error),
        heed::Error::Mdb(
            error @ (MdbError::Corrupted
            | MdbError::PageNotFound
            | MdbError::Invalid
            | MdbError::VersionMismatch
            | MdbError::Incompatible),
        ) => Error::Corrupted(error.to_string()),
        other => Error::Engine(other.to_string()),
    }
}
