//! The errors that end a query while it runs.

/// A query could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody asked for the query to end, or it ran longer than it may.
    #[error("query killed")]
    Killed,
    /// The query holds more memory than it may.
    #[error("query would use more memory than allowed")]
    MemoryLimit,
    /// FOR was given something to iterate over that has no members.
    #[error(
        "collection or array expected as operand to FOR loop; you provided a value of type '{type_name}'"
    )]
    ArrayExpected {
        /// The AQL type of the value.
        type_name: &'static str,
    },
    /// A range has more members than may be laid out.
    #[error("number out of range")]
    NumberOutOfRange,
    /// An option or argument has a value the statement cannot work with.
    #[error("{0}")]
    BadParameter(String),
    /// An edge has a negative weight.
    #[error("negative edge weight found during weighted traversal, cannot continue")]
    NegativeEdgeWeight,
    /// The plan refers to a collection that is gone.
    #[error("collection or view not found: {0}")]
    CollectionNotFound(String),
    /// The query found at run time that it reads a collection which it may not.
    #[error("unregistered collection used in transaction: {0} [read]; name it in WITH or declare it")]
    CollectionNotDeclared(String),
    /// The plan refers to an index that is gone.
    #[error("index not found: {0}")]
    IndexNotFound(String),
    /// The query writes, but was given only a snapshot to read from.
    #[error("operation only allowed in a transaction that may write")]
    ReadOnly,
    /// The language has it, this executor does not.
    #[error("not implemented: {0}")]
    NotImplemented(String),
    /// A function ended the query, or a warning did because the query fails on warnings.
    #[error(transparent)]
    Function(#[from] persea_functions::Error),
    /// Reading or writing documents failed.
    #[error(transparent)]
    Collections(#[from] persea_collections::Error),
    /// A value could not be laid out as VelocyPack.
    #[error("cannot build a value: {0}")]
    Build(#[from] persea_vpack::Error),
    /// The plan breaks a rule of plans.
    #[error("internal error: {0}")]
    Internal(&'static str),
}

impl Error {
    /// ArangoDB's error number.
    pub fn code(&self) -> u32 {
        match self {
            Error::Killed => 1500,
            Error::MemoryLimit => 32,
            Error::ArrayExpected { .. } => 1563,
            Error::NumberOutOfRange => 1504,
            Error::BadParameter(_) => 10,
            Error::NegativeEdgeWeight => 1948,
            Error::CollectionNotFound(_) => 1203,
            Error::CollectionNotDeclared(_) => 1652,
            Error::IndexNotFound(_) => 1212,
            Error::ReadOnly => 1004,
            Error::NotImplemented(_) => 9,
            Error::Function(error) => error.code(),
            Error::Collections(error) => u32::from(error.error_num()),
            Error::Build(_) | Error::Internal(_) => 4,
        }
    }
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
