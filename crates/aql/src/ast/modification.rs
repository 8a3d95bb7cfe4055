//! `UPDATE`, `REPLACE` and `UPSERT`.

use super::{DataSource, Expr};

/// The parts of `UPDATE` and `REPLACE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The key in the `key WITH document` form.
    pub key: Option<Expr>,
    /// The patch or new document.
    pub document: Expr,
    /// Where it is.
    pub collection: DataSource,
    /// An object literal.
    pub options: Option<Expr>,
}

/// The parts of `UPSERT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Upsert {
    /// How the document is looked up.
    pub search: UpsertSearch,
    /// Inserted when nothing is found.
    pub insert: Expr,
    /// Whether a found document is replaced instead of updated.
    pub replace: bool,
    /// The patch or new document; may use `OLD`.
    pub update: Expr,
    /// The collection.
    pub collection: DataSource,
    /// An object literal.
    pub options: Option<Expr>,
}

/// How `UPSERT` looks a document up.
#[derive(Clone, Debug, PartialEq)]
pub enum UpsertSearch {
    /// An object literal or bind parameter.
    Example(Expr),
    /// `FILTER condition`, over `CURRENT`.
    Filter(Expr),
}
