//! The syntax tree of a query: what was written, by name, before any scope or collection is known.
//!
//! Variables, collections and functions are plain text here. A [`ExprKind::Name`] may turn out to be a
//! variable, a collection, a view or one of the pseudo-variables `CURRENT`, `NEW` and `OLD`: whoever
//! resolves scopes decides, because a variable may shadow each of them.

mod collect;
mod expression;
mod loops;
mod modification;
mod operator;
mod pattern;
mod statement;

use std::fmt;

pub use collect::{Assignment, Collect, CollectInto, Window};
pub use expression::{ArrayLimit, Expansion, Expr, ExprKind, ObjectKey, ObjectMember, Quantifier};
pub use loops::{Direction, ForLoop, GraphSubject, PathSearch, PathSearchKind, Prune, Traversal};
pub use modification::{Change, Upsert, UpsertSearch};
pub use operator::{BinaryOperator, UnaryOperator};
pub use pattern::Pattern;
pub use statement::{SortDirection, SortKey, Statement, StatementKind};

/// Where something starts in the query text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// Bytes from the start of the text.
    pub offset: u32,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in bytes, counted from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A name with its place: a variable, attribute or function.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name without its quotes.
    pub text: String,
    /// Where it stands.
    pub position: Position,
}

impl PartialEq for Name {
    /// Names are equal by text: two trees are the same wherever their parts stood in the text.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Name {
    /// A name at a place.
    pub fn new(text: impl Into<String>, position: Position) -> Self {
        Self { text: text.into(), position }
    }
}

/// A whole query: the collections of a leading `WITH` and the statements.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRoot {
    /// Collections announced by `WITH a, b`.
    pub with: Vec<DataSource>,
    /// The statements.
    pub body: Block,
}

/// The statements of a query or subquery, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Never empty in a parsed query; the last one ends the block (`RETURN`), or a modification stands among them.
    pub statements: Vec<Statement>,
}

/// A collection (or view) named where nothing else may stand.
#[derive(Clone, Debug, PartialEq)]
pub enum DataSource {
    /// By name.
    Name(Name),
    /// A bind parameter; the text is its key in the bind values: `@name` when written `@@name`, and `name` when
    /// written `@name` (possible in `WITH` and among edge collections).
    Parameter(Name),
}

impl DataSource {
    /// Where it stands.
    pub fn position(&self) -> Position {
        match self {
            Self::Name(name) | Self::Parameter(name) => name.position,
        }
    }
}
