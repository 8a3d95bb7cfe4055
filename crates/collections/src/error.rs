//! What can go wrong with databases, collections and documents, with the public error number of each case.

use persea_txn::OTHER_LOCKS;

/// Result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed operation on a database, collection or document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two transactions wrote the same document or unique value; the operation may be tried again.
    #[error("write-write conflict: {0}")]
    WriteConflict(String),
    /// The definition of a collection changed while a transaction used it; the transaction may be tried again.
    #[error("write-write conflict: {0}")]
    DefinitionChanged(String),
    /// The stored revision is not the one the caller expected.
    #[error("conflict, _rev values do not match")]
    RevisionMismatch {
        /// Full document id.
        id: String,
        /// Document key.
        key: String,
        /// The stored revision.
        rev: String,
    },
    /// No document has this key.
    #[error("document not found")]
    DocumentNotFound,
    /// No collection has this name or id.
    #[error("collection or view not found: {0}")]
    CollectionNotFound(String),
    /// The name is taken.
    #[error("duplicate name: {0}")]
    DuplicateName(String),
    /// The name breaks the naming rules.
    #[error("illegal name: {0}")]
    IllegalName(String),
    /// A document identifier is not of the form `collection/key`.
    #[error("illegal document identifier")]
    DocumentHandleBad,
    /// A unique index (or the primary index) already holds this value.
    #[error(
        "unique constraint violated - in index {index} of type {kind} over '{fields}'; conflicting key: {key}"
    )]
    UniqueConstraint {
        /// Name of the violated index.
        index: String,
        /// Type of the violated index.
        kind: String,
        /// Indexed attribute paths, joined by comma and space.
        fields: String,
        /// Key of the document that holds the value.
        key: String,
    },
    /// No index has this id or name.
    #[error("index not found")]
    IndexNotFound,
    /// A document identifier names another collection than the one addressed.
    #[error("cross collection request not allowed")]
    CrossCollection,
    /// An index identifier is malformed.
    #[error("illegal index identifier")]
    IndexHandleBad,
    /// The operation needs a collection of the other type.
    #[error("collection type invalid: {0}")]
    CollectionTypeInvalid(String),
    /// `_key` is not a string or breaks the key rules.
    #[error("illegal document key")]
    IllegalKey,
    /// `_key` was given although the collection only takes generated keys.
    #[error("unexpected document key")]
    UnexpectedKey,
    /// The key generator has no keys left.
    #[error("out of keys")]
    OutOfKeys,
    /// A document has to be addressed, and no `_key` was given.
    #[error("missing document key")]
    KeyMissing,
    /// A document has to be an object.
    #[error("invalid document type")]
    DocumentTypeInvalid,
    /// The document is larger than the format can hold.
    #[error("document too large")]
    DocumentTooLarge,
    /// No database has this name.
    #[error("database not found")]
    DatabaseNotFound(String),
    /// The database name breaks the naming rules.
    #[error("database name invalid")]
    DatabaseNameInvalid(String),
    /// `keyOptions` are wrong.
    #[error("invalid key generator: {0}")]
    InvalidKeyGenerator(String),
    /// `_from` or `_to` of an edge is missing or malformed.
    #[error("edge attribute missing or invalid: '_from' and '_to' must be of the form 'collection/key'")]
    InvalidEdgeAttribute,
    /// The operation is refused whoever asks.
    #[error("forbidden: {0}")]
    Forbidden(String),
    /// An argument is wrong.
    #[error("bad parameter: {0}")]
    BadParameter(String),
    /// A limit was reached.
    #[error("resource limit exceeded: {0}")]
    ResourceLimit(String),
    /// A schema definition is unusable.
    #[error("invalid schema: {0}")]
    SchemaInvalid(String),
    /// Known, but this version cannot do it.
    #[error("not implemented: {0}")]
    NotImplemented(String),
    /// A rule of named graphs is broken.
    #[error(transparent)]
    Graph(#[from] crate::graph::GraphError),
    /// The transaction was part of a deadlock and was rolled back so that the others go on.
    #[error("deadlock detected")]
    Deadlock,
    /// A lock was not to be had in time.
    #[error("{0}")]
    LockTimeout(String),
    /// A wait for a lock was ended from outside.
    #[error("the operation was interrupted while it waited for a lock")]
    Interrupted,
    /// The store is being closed, and nothing waits for locks any more.
    #[error("the server is shutting down")]
    Stopping,
    /// Writes are refused at present: the disk is full or refuses to work.
    #[error("{0}")]
    ReadOnly(String),
    /// The snapshot has been outdated for longer than allowed; the transaction or query has to begin anew.
    #[error("{0}")]
    SnapshotTooOld(String),
    /// A part of the transaction could not be committed earlier, and the rest was rolled back.
    #[error("{0}")]
    PartFailed(String),
    /// The storage below failed.
    #[error("storage: {0}")]
    Storage(persea_txn::Error),
    /// Stored bytes do not make sense.
    #[error("stored data is damaged: {0}")]
    Corrupt(String),
    /// VelocyPack could not be built or read.
    #[error("VelocyPack: {0}")]
    VPack(#[from] persea_vpack::Error),
}

/// Whether everybody sees what a commit has written: what could not be synced is visible all the same.
pub(crate) fn is_visible<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().map_or_else(Error::is_committed, |_| true)
}

impl From<persea_txn::Error> for Error {
    fn from(error: persea_txn::Error) -> Self {
        match error {
            persea_txn::Error::Conflict { key, .. } => {
                // Keys of documents are text; those of unique indexes are not.
                let key = std::str::from_utf8(&key).ok().filter(|key| crate::keys::is_valid_key(key));
                Self::WriteConflict(match key {
                    Some(key) => format!("key '{key}' is held or was changed by another transaction"),
                    None => "a unique value is held or was changed by another transaction".to_owned(),
                })
            }
            persea_txn::Error::Deadlock => Self::Deadlock,
            persea_txn::Error::Interrupted => Self::Interrupted,
            persea_txn::Error::Stopping => Self::Stopping,
            persea_txn::Error::ReadOnly(_) => Self::ReadOnly(error.to_string()),
            persea_txn::Error::SnapshotTooOld { .. } => Self::SnapshotTooOld(error.to_string()),
            persea_txn::Error::PartFailed(_) => Self::PartFailed(error.to_string()),
            persea_txn::Error::LockTimeout { collection, waited } if collection >= OTHER_LOCKS => {
                let (collection, seconds) = (collection - OTHER_LOCKS, waited.as_secs_f32());
                Self::LockTimeout(format!(
                    "timeout after {seconds} s waiting for another change of collection {collection}"
                ))
            }
            persea_txn::Error::LockTimeout { .. } => Self::LockTimeout(error.to_string()),
            persea_txn::Error::TransactionTooLarge { .. } => Self::ResourceLimit(error.to_string()),
            persea_txn::Error::ValueTooLong { .. } => Self::DocumentTooLarge,
            other => Self::Storage(other),
        }
    }
}

impl From<persea_index::Error> for Error {
    fn from(error: persea_index::Error) -> Self {
        match error {
            persea_index::Error::NotImplemented { .. } => Self::NotImplemented(error.to_string()),
            persea_index::Error::IllegalName(detail) => Self::IllegalName(detail),
            persea_index::Error::TooManyEntries { .. } => Self::ResourceLimit(error.to_string()),
            persea_index::Error::Damaged(what) => Self::Corrupt(what.to_owned()),
            persea_index::Error::VPack(error) => Self::VPack(error),
            other => Self::BadParameter(other.to_string()),
        }
    }
}
