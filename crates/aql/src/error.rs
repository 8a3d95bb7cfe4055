//! What can be wrong with the text of a query.

use crate::ast::Position;

/// A query text that can't be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct ParseError {
    /// ArangoDB's error number: 1501 (syntax), 1502 (empty), 1504 (number out of range), 1510 (variable name),
    /// 1512 (unknown variable) or 1524 (too much nesting).
    pub error_num: u32,
    /// The full message, with the place when there is one.
    pub message: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in bytes, counted from 1.
    pub column: u32,
}

/// Something odd that doesn't stop the query, such as a number literal outside the range of a double.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseWarning {
    /// ArangoDB's error number.
    pub code: u32,
    /// What is odd.
    pub message: String,
    /// Where.
    pub position: Position,
}
