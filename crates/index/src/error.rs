//! What can be wrong with an index definition or with a document's entries.

/// Why a definition is refused, or why a document's entries could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The definition breaks a rule (error number 10).
    #[error("{0}")]
    BadParameter(String),
    /// The index type is known, but this system does not offer it yet (error number 9).
    #[error("index type '{type_name}' is not implemented")]
    NotImplemented {
        /// The type as it was asked for.
        type_name: String,
    },
    /// The index name is not a legal one (error number 1208).
    #[error("illegal name: {0}")]
    IllegalName(String),
    /// One document has the same key twice in a unique index that does not remove duplicates (error number 1210).
    #[error("unique constraint violated - a document has equal array members in index {index}")]
    DuplicateMember {
        /// Name of the index.
        index: String,
    },
    /// The product of a document's indexed arrays is larger than [`ENTRIES_MAX`](crate::ENTRIES_MAX) (error number 32).
    #[error("a document would have more than {} entries in index {index}", crate::ENTRIES_MAX)]
    TooManyEntries {
        /// Name of the index.
        index: String,
    },
    /// Stored bytes are not what this crate wrote (error number 4).
    #[error("damaged index data: {0}")]
    Damaged(&'static str),
    /// The answer about a definition could not be built.
    #[error(transparent)]
    VPack(#[from] persea_vpack::Error),
}

pub(crate) fn bad_parameter(message: impl Into<String>) -> Error {
    Error::BadParameter(message.into())
}
