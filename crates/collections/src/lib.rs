#![doc = include_str!("../README.md")]

mod bulk;
mod change_capture;
mod change_lock;
mod checksum;
mod collection;
mod counts;
mod database;
mod databases;
mod definition;
mod error;
mod error_number;
mod estimates;
mod figures;
pub mod graph;
mod index;
mod index_build;
mod index_fill;
mod key_generator;
pub mod keys;
mod keyspaces;
pub mod names;
mod properties;
mod read;
mod rename;
mod replacement;
mod revision;
mod shared;
mod system_collections;
mod ticks;
mod truncate;
mod unfinished;
mod verify;
mod write;

pub use bulk::InsertTally;
pub use change_lock::ChangeOptions;
pub use collection::Collection;
pub use database::Database;
pub use databases::{Databases, Options};
pub use error::{Error, Result};
pub use index::Index;
pub use key_generator::{KEY_GENERATORS, KeyGenerator, KeyGeneratorKind, KeyOptions};
pub use properties::{CollectionKind, CollectionOptions, PropertyChanges};
pub use read::{DocumentScan, EdgeDirection, EdgeScan, IndexBounds, IndexEntry, IndexScan, LocalId, View};
pub use replacement::Replacement;
pub use revision::{HybridClock, Revision, RevisionText};
pub use verify::{Problem, Report};
pub use write::{OverwriteMode, Savepoint, Selector, Transaction, WriteOptions, WriteOutcome};

pub use persea_index::{FieldPath, IndexDefinition, IndexKind};
pub use persea_kv::{Direction, storage_version};
pub use persea_txn::{
    Error as StorageError, Interrupt, LockMode, LockTimeouts, TransactionManager, TransactionOptions,
    needs_log, stored_commit,
};
