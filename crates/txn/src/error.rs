//! What can go wrong in a transaction.

use std::time::Duration;

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
    /// The transaction was part of a circle of transactions that waited for each other, and was rolled back as a whole
    /// so that the others go on. Everything it is asked for later fails with this error too.
    #[error("deadlock detected: the transaction was rolled back")]
    Deadlock,
    /// A part of the transaction could not be committed earlier, and the rest was rolled back. Everything that it is
    /// asked for after that fails with this error.
    #[error("the transaction was rolled back when a part of it could not be committed: {0}")]
    PartFailed(Box<str>),
    /// A collection was not to be had within the transaction's lock timeout.
    #[error("timeout after {:.1} s waiting for the lock of collection {collection}", waited.as_secs_f32())]
    LockTimeout {
        /// Id of the collection, as given by the caller.
        collection: u64,
        /// How long the transaction has waited.
        waited: Duration,
    },
    /// A wait for a lock was ended by an [`Interrupt`](crate::Interrupt).
    #[error("the wait for a lock was interrupted")]
    Interrupted,
    /// Nobody may wait for locks any more; see [`TransactionManager::stop_waits`](crate::TransactionManager::stop_waits).
    #[error("the database is being closed: nothing waits for locks any more")]
    Stopping,
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
    /// Commits are refused at present, since the disk is full or refuses to work; nothing of this one was kept. They
    /// are taken again as soon as the cause is gone. Reads go on.
    #[error("the database is read-only at present: {0}")]
    ReadOnly(Box<str>),
    /// The snapshot has been outdated for longer than [`Options::snapshot_age_max`](crate::Options::snapshot_age_max)
    /// allows. It can't be read any more, so that the storage can use the space again that it has kept.
    #[error("the snapshot is too old: a newer one has been there for more than {} s", age_max.as_secs_f32())]
    SnapshotTooOld {
        /// How long a snapshot may be used after there is a newer one.
        age_max: Duration,
    },
    /// The commit is visible and in the operating system's hands, but it could not be made sure that it survives a
    /// power failure.
    #[error("the commit is visible, but could not be made durable: {0}")]
    SyncFailed(Box<str>),
    /// The log could not be opened, or is damaged.
    #[error(transparent)]
    Log(#[from] persea_wal::Error),
    /// The storage engine failed.
    #[error(transparent)]
    Storage(#[from] persea_kv::Error),
}

impl Error {
    /// The answer to every write when the database was opened for reading only.
    pub(crate) fn opened_read_only() -> Error {
        Error::ReadOnly("it was opened for reading only".into())
    }

    /// What a failed append to the log means for the commit.
    pub(crate) fn from_append(error: persea_wal::Error) -> Error {
        match error {
            persea_wal::Error::RecordTooLarge { limit, .. } => {
                Error::TransactionTooLarge { limit_bytes: limit }
            }
            error @ persea_wal::Error::CommitOrder { .. } => Error::Log(error),
            error => Error::ReadOnly(error.to_string().into()),
        }
    }

    /// What a failed sync of the log means for the commit.
    pub(crate) fn from_sync(error: persea_wal::Error) -> Error {
        Error::SyncFailed(error.to_string().into())
    }
}

/// Result of a transactional operation.
pub type Result<T> = std::result::Result<T, Error>;
