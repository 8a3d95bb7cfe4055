//! What can be wrong with a query that was parsed.

/// A query that can't be planned. [`Error::number`] is ArangoDB's error number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A structural error the grammar does not exclude.
    #[error("{0}")]
    Structure(String),
    /// A collection (or anything that could only be one) that doesn't exist.
    #[error("collection or view not found: {0}")]
    CollectionNotFound(String),
    /// A number outside of what a clause accepts.
    #[error("number out of range: {0}")]
    NumberOutOfRange(String),
    /// A variable declared twice.
    #[error("variable '{0}' is assigned multiple times")]
    VariableRedeclared(String),
    /// A variable that is not visible here.
    #[error("unknown variable '{0}'")]
    VariableUnknown(String),
    /// Too deep or too large.
    #[error("too much nesting or too many objects")]
    TooMuchNesting,
    /// More collections than a query may use.
    #[error("too many collections/shards")]
    TooManyCollections,
    /// A function that doesn't exist.
    #[error("usage of unknown function '{0}()'")]
    FunctionUnknown(String),
    /// Too few or too many arguments.
    #[error(
        "invalid number of arguments for function '{name}()', expected number of arguments: minimum: {min}, maximum: {max}"
    )]
    ArgumentCount {
        /// The function.
        name: String,
        /// Least number of arguments.
        min: usize,
        /// Greatest number of arguments.
        max: usize,
    },
    /// An argument that has to be a collection.
    #[error("invalid argument type in call to function '{0}()'")]
    ArgumentType(String),
    /// Bind values that are no object.
    #[error("invalid structure of bind parameters")]
    BindParametersInvalid,
    /// A bind parameter without value.
    #[error("no value specified for declared bind parameter '{0}'")]
    BindParameterMissing(String),
    /// A bind value without parameter.
    #[error("bind parameter '{0}' was not declared in the query")]
    BindParameterUndeclared(String),
    /// A bind value of the wrong type.
    #[error("bind parameter '{0}' has an invalid value or type")]
    BindParameterType(String),
    /// A collection in place of a value.
    #[error("collection '{0}' used as expression operand")]
    CollectionInExpression(String),
    /// An aggregate that is none.
    #[error("invalid aggregate expression: {0}")]
    InvalidAggregate(String),
    /// OPTIONS that depend on run time values.
    #[error("query options must be readable at query compile time")]
    OptionsNotConstant,
    /// A forced index hint that can't be followed.
    #[error("could not use forced index hint: {0}")]
    ForcedIndexHint(String),
    /// A read of what was modified before.
    #[error("access after data-modification by {0}")]
    AccessAfterModification(String),
    /// WINDOW behind a modification.
    #[error("window operation after data-modification")]
    WindowAfterModification,
    /// A user-defined function that doesn't exist.
    #[error("user function '{0}()' not found")]
    UserFunctionNotFound(String),
    /// A graph that doesn't exist.
    #[error("graph '{0}' not found")]
    GraphNotFound(String),
    /// A document collection in place of an edge collection.
    #[error("collection type invalid: '{0}' is not an edge collection")]
    CollectionType(String),
    /// A value a clause doesn't accept.
    #[error("{0}")]
    BadParameter(String),
    /// Something AQL has and this planner hasn't.
    #[error("not implemented: {0}")]
    NotImplemented(String),
    /// A warning, when warnings count as errors.
    #[error("{message}")]
    Warning {
        /// Number of the warning.
        number: u32,
        /// Its message.
        message: String,
    },
}

impl Error {
    /// ArangoDB's error number.
    #[must_use]
    pub fn number(&self) -> u32 {
        match self {
            Self::Structure(_) => 1501,
            Self::CollectionNotFound(_) => 1203,
            Self::NumberOutOfRange(_) => 1504,
            Self::VariableRedeclared(_) => 1511,
            Self::VariableUnknown(_) => 1512,
            Self::TooManyCollections => 1522,
            Self::TooMuchNesting => 1524,
            Self::FunctionUnknown(_) => 1540,
            Self::ArgumentCount { .. } => 1541,
            Self::ArgumentType(_) => 1542,
            Self::BindParametersInvalid => 1550,
            Self::BindParameterMissing(_) => 1551,
            Self::BindParameterUndeclared(_) => 1552,
            Self::BindParameterType(_) => 1553,
            Self::CollectionInExpression(_) => 1568,
            Self::InvalidAggregate(_) => 1574,
            Self::OptionsNotConstant => 1575,
            Self::ForcedIndexHint(_) => 1577,
            Self::AccessAfterModification(_) => 1579,
            Self::UserFunctionNotFound(_) => 1582,
            Self::WindowAfterModification => 1595,
            Self::GraphNotFound(_) => 1924,
            Self::CollectionType(_) => 1218,
            Self::BadParameter(_) => 10,
            Self::NotImplemented(_) => 9,
            Self::Warning { number, .. } => *number,
        }
    }

    /// The stage of the query ArangoDB names in messages: `… (while parsing)`.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        match self {
            Self::ForcedIndexHint(_) => "optimizing plan",
            Self::AccessAfterModification(_) | Self::WindowAfterModification | Self::CollectionType(_) => {
                "instantiating plan"
            }
            Self::Warning { .. } => "optimizing ast",
            _ => "parsing",
        }
    }
}
