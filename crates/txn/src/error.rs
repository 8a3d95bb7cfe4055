//! What can go wrong in a transaction.

use crate::MAX_KEY_BYTES;

/// Failure of a transaction or of its manager.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another transaction holds the key, or changed it after this one's snapshot: abort and retry.
    #[error("write-write conflict: the key is locked or was changed by another transaction")]
    Conflict {
        /// Keyspace of the key in conflict.
        keyspace: u64,
        /// The key in conflict.
        key: Box<[u8]>,
    },
    /// The key is longer than [`MAX_KEY_BYTES`].
    #[error("a key of {key_bytes} bytes exceeds the limit of {MAX_KEY_BYTES} bytes")]
    KeyTooLong {
        /// Length of the offending key.
        key_bytes: usize,
    },
    /// The value is longer than an engine can hold.
    #[error("a value of {value_bytes} bytes exceeds the limit of {} bytes", persea_kv::MAX_VALUE_BYTES)]
    ValueTooLong {
        /// Length of the offending value.
        value_bytes: usize,
    },
    /// The keyspace [`RESERVED_KEYSPACE`](crate::RESERVED_KEYSPACE) belongs to this crate.
    #[error("keyspace {0} is reserved")]
    KeyspaceReserved(u64),
    /// The transaction wrote more than [`Options::transaction_bytes_max`](crate::Options::transaction_bytes_max), or than
    /// the lower limit of its own.
    #[error("the transaction exceeds its limit of {limit_bytes} bytes of writes")]
    TransactionTooLarge {
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// The savepoint is of another transaction, or a rollback to an earlier savepoint has discarded it.
    #[error("the savepoint is not part of this transaction any more")]
    SavepointInvalid,
    /// An earlier sync failed. What the disk holds is not known since, so no commit can be promised to survive a power
    /// failure until the database was opened again.
    #[error(
        "an earlier sync of the storage failed ({0}); no commit is certain to be durable until a restart"
    )]
    SyncFailed(Box<str>),
    /// The storage engine failed.
    #[error(transparent)]
    Storage(#[from] persea_kv::Error),
}

/// Result of a transactional operation.
pub type Result<T> = std::result::Result<T, Error>;
