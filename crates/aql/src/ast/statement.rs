//! Statements.

use super::{
    Change, Collect, DataSource, Expr, ForLoop, PathSearch, Pattern, Position, Traversal, Upsert, Window,
};

/// One statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What the statement does.
    pub kind: StatementKind,
    /// Where its keyword stands.
    pub position: Position,
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The statements of AQL.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `FOR x IN ...` over a collection, view, list, range or subquery.
    For(ForLoop),
    /// `FOR v, e, p IN 1..2 OUTBOUND start ...`.
    Traversal(Traversal),
    /// `FOR ... IN OUTBOUND SHORTEST_PATH a TO b ...` and the other path searches.
    PathSearch(PathSearch),
    /// `FILTER condition`.
    Filter(Expr),
    /// `LET target = value`; a list of assignments becomes one statement each.
    Let {
        /// What receives the value.
        target: Pattern,
        /// The value.
        value: Expr,
    },
    /// `SORT a DESC, b`.
    Sort(Vec<SortKey>),
    /// `LIMIT offset, count`.
    Limit {
        /// Rows to skip.
        offset: Option<Expr>,
        /// Rows to let through; a literal `null` means all.
        count: Expr,
    },
    /// `RETURN [DISTINCT] value`.
    Return {
        /// Whether equal results are returned once.
        distinct: bool,
        /// The result of one row.
        value: Expr,
    },
    /// `COLLECT ...`.
    Collect(Collect),
    /// `WINDOW ...`.
    Window(Window),
    /// `INSERT document INTO collection`.
    Insert {
        /// The new document.
        document: Expr,
        /// Where it goes.
        into: DataSource,
        /// `OPTIONS`.
        options: Option<Expr>,
    },
    /// `UPDATE [key WITH] document IN collection`.
    Update(Change),
    /// `REPLACE [key WITH] document IN collection`.
    Replace(Change),
    /// `REMOVE key IN collection`.
    Remove {
        /// Key or document.
        key: Expr,
        /// Where it is.
        from: DataSource,
        /// `OPTIONS`.
        options: Option<Expr>,
    },
    /// `UPSERT ...`.
    Upsert(Upsert),
}

/// One `SORT` element.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// What is sorted by.
    pub value: Expr,
    /// Which way.
    pub direction: SortDirection,
}

/// Which way a `SORT` element sorts.
#[derive(Clone, Debug, PartialEq)]
pub enum SortDirection {
    /// `ASC`, also when nothing is written.
    Ascending,
    /// `DESC`
    Descending,
    /// `@name`, with the string `asc` or `desc` as value.
    Parameter(Expr),
}
