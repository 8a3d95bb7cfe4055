//! AQL: lexer, parser, syntax tree and printer

mod error;
mod lexer;
mod parser;
mod token;
mod visit;

pub mod ast;

pub use ast::{Block, Expr, ExprKind, Position, QueryRoot, Statement, StatementKind};
pub use error::{ParseError, ParseWarning};
pub use parser::MAX_NESTING;

/// A parsed query.
#[derive(Clone, Debug)]
pub struct Query {
    /// The syntax tree.
    pub root: QueryRoot,
    /// Names of the bind parameters used, each once, in order of appearance; collection parameters start with `@`
    /// (as in the bind values).
    pub bind_parameters: Vec<String>,
    /// Names that can only be collections (of `WITH`, modifications and edge collections), each once, in order.
    pub collections: Vec<String>,
    /// Whether a statement writes.
    pub is_modification: bool,
    /// Warnings, in order of appearance.
    pub warnings: Vec<ParseWarning>,
}

/// Parses a query.
///
/// # Errors
/// The text isn't a query: see [`ParseError`].
pub fn parse(text: &str) -> Result<Query, ParseError> {
    parser::parse(text)
}
