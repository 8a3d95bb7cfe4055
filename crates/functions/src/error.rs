//! The errors that abort a query from inside a function, each with its ArangoDB error number.

use thiserror::Error as ThisError;

/// An error that ends the query. What only spoils one value is a warning instead (see
/// [`Warnings`](crate::Warnings)).
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The function is known but this build cannot run it here.
    #[error("function '{function}()' is not implemented: {reason}")]
    NotImplemented {
        /// Upper-case name of the function.
        function: &'static str,
        /// What is missing.
        reason: &'static str,
    },
    /// The function only means something in a query, and there is none.
    #[error("function '{0}()' cannot be called outside of a query")]
    OutsideOfQuery(&'static str),
    /// An argument has a legal type but a value that nothing can be done with.
    #[error("{0}")]
    BadParameter(String),
    /// An argument has a type that the function refuses to go on with.
    #[error("invalid argument type in call to function '{0}()'")]
    ArgumentType(&'static str),
    /// A dynamic call passed too few or too many arguments.
    #[error(
        "invalid number of arguments for function '{function}()', expected number of arguments: \
         minimum: {min}, maximum: {max}"
    )]
    ArgumentCount {
        /// Upper-case name of the function.
        function: &'static str,
        /// Fewest arguments.
        min: usize,
        /// Most arguments; `usize::MAX` where there is no bound.
        max: usize,
    },
    /// A dynamic call named a function that does not exist.
    #[error("usage of unknown function '{0}()'")]
    UnknownFunction(String),
    /// A dynamic call named a user-defined function that does not exist.
    #[error("user function '{0}()' not found")]
    UserFunctionNotFound(String),
    /// A dynamic call named a function that must be called by its name.
    #[error("disallowed dynamic call to '{0}'")]
    DisallowedDynamicCall(&'static str),
    /// A range has too many members to be laid out in memory.
    #[error("number out of range")]
    OutOfRange,
    /// A vector search without a vector index to answer it.
    #[error("failed vector search: {0}() needs a vector index on one of its arguments")]
    VectorSearch(&'static str),
    /// A place is searched in a collection without a geo index.
    #[error("no suitable geo index found for geo restriction on '{0}'")]
    GeoIndexMissing(String),
    /// Words are searched in a collection without a fulltext index.
    #[error("no suitable fulltext index found for fulltext query on '{0}'")]
    FulltextIndexMissing(String),
    /// `FAIL` was called.
    #[error("FAIL({0}) called")]
    Fail(String),
    /// `ASSERT` saw a falsy condition; the text is the query's own.
    #[error("{0}")]
    Assert(String),
    /// A collection is not there.
    #[error("collection or view not found: {0}")]
    CollectionNotFound(String),
    /// A result would be larger than a query may build.
    #[error("query would use more memory than allowed")]
    ResourceLimit,
    /// Somebody asked for the query to end, or it ran longer than it may.
    #[error("query killed")]
    Killed,
    /// The first warning of a query that asked to fail on warnings.
    #[error("{message}")]
    Warning {
        /// Number of the warning.
        code: u32,
        /// Its text.
        message: String,
    },
    /// Reading a document failed below.
    #[error("{message}")]
    Access {
        /// Error number that the layer below assigns.
        code: u32,
        /// Its text.
        message: String,
    },
    /// A value could not be laid out as VelocyPack.
    #[error("cannot build a value: {0}")]
    Build(#[from] persea_vpack::Error),
}

impl Error {
    /// The ArangoDB error number.
    pub fn code(&self) -> u32 {
        match self {
            Self::NotImplemented { .. } => 9,
            Self::BadParameter(_) | Self::OutsideOfQuery(_) => 10,
            Self::ResourceLimit => 32,
            Self::CollectionNotFound(_) => 1203,
            Self::Killed => 1500,
            Self::OutOfRange => 1504,
            Self::UnknownFunction(_) => 1540,
            Self::ArgumentCount { .. } => 1541,
            Self::ArgumentType(_) => 1542,
            Self::VectorSearch(_) => 1554,
            Self::Fail(_) => 1569,
            Self::GeoIndexMissing(_) => 1570,
            Self::FulltextIndexMissing(_) => 1571,
            Self::DisallowedDynamicCall(_) => 1578,
            Self::UserFunctionNotFound(_) => 1582,
            Self::Assert(_) => 1593,
            Self::Warning { code, .. } | Self::Access { code, .. } => *code,
            Self::Build(_) => 4,
        }
    }
}
