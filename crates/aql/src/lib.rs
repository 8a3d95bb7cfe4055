#![doc = include_str!("../README.md")]

mod error;
mod lexer;
mod nodes;
mod parser;
mod print;
mod token;
mod visit;

pub mod ast;

pub use ast::{Block, Expr, ExprKind, Position, QueryRoot, Statement, StatementKind};
pub use error::{ParseError, ParseWarning};
pub use nodes::{AstNode, AstValue, to_ast_nodes};
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
/// What takes knowledge of scopes, collections, functions or bind values is not checked.
///
/// # Errors
/// The text isn't a query: see [`ParseError`].
pub fn parse(text: &str) -> Result<Query, ParseError> {
    parser::parse(text)
}
