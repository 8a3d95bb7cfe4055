#![doc = include_str!("../README.md")]

mod background;
mod clearing;
mod commit_pipeline;
mod delta;
mod error;
mod follower;
mod journal;
mod keyspace;
mod locks;
mod manager;
mod merge;
mod options;
mod primitives;
mod snapshots;
mod transaction;
mod view;
mod write_set;

pub use error::{Error, Result};
pub use journal::{needs_log, stored_commit};
pub use keyspace::{MAX_KEY_BYTES, RESERVED_KEYSPACE};
pub use locks::{Interrupt, LockMode, OTHER_LOCKS};
pub use manager::TransactionManager;
pub use options::{CommitSeq, Durability, LockTimeouts, Metrics, Options, TransactionOptions};
pub use persea_kv::{Bounds, Direction, Engine, Tree};
pub use transaction::{Hold, Savepoint, Transaction};
pub use view::{Range, ReadView};
