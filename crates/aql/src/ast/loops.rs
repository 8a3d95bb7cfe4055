//! Loops over lists and collections, traversals and path searches.

use super::{DataSource, Expr, Name, Pattern};

/// `FOR target IN source [SEARCH condition] [OPTIONS {...}]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForLoop {
    /// The loop variable or its parts.
    pub target: Pattern,
    /// A [`ExprKind::Name`](super::ExprKind::Name) or [`ExprKind::DataSourceParameter`](super::ExprKind::DataSourceParameter) may mean a collection.
    pub source: Expr,
    /// Only views may be searched.
    pub search: Option<Expr>,
    /// An object literal.
    pub options: Option<Expr>,
}

/// A traversal loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    /// Vertex, edge, path variable; one to three.
    pub variables: Vec<Name>,
    /// `min..max`, one number, or left out (1).
    pub depth: Option<Expr>,
    /// The direction for everything without its own.
    pub direction: Direction,
    /// Id or document the traversal starts at.
    pub start: Expr,
    /// The graph or edge collections.
    pub graph: GraphSubject,
    /// `PRUNE [variable =] condition`.
    pub prune: Option<Prune>,
    /// An object literal.
    pub options: Option<Expr>,
}

/// `PRUNE [variable =] condition`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prune {
    /// The variable that keeps the condition's value.
    pub variable: Option<Name>,
    /// True stops going deeper.
    pub condition: Expr,
}

/// A path search loop.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSearch {
    /// Which search.
    pub kind: PathSearchKind,
    /// `vertex[, edge]` for the shortest path, the path variable for the others.
    pub variables: Vec<Name>,
    /// `min..max`, only with [`PathSearchKind::KPaths`].
    pub depth: Option<Expr>,
    /// The direction for everything without its own.
    pub direction: Direction,
    /// Where paths start.
    pub start: Expr,
    /// Where paths end.
    pub target: Expr,
    /// The graph or edge collections.
    pub graph: GraphSubject,
    /// An object literal.
    pub options: Option<Expr>,
}

/// The path searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSearchKind {
    /// `SHORTEST_PATH`
    ShortestPath,
    /// `ALL_SHORTEST_PATHS`
    AllShortestPaths,
    /// `K_SHORTEST_PATHS`
    KShortestPaths,
    /// `K_PATHS`
    KPaths,
}

impl PathSearchKind {
    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::ShortestPath => "SHORTEST_PATH",
            Self::AllShortestPaths => "ALL_SHORTEST_PATHS",
            Self::KShortestPaths => "K_SHORTEST_PATHS",
            Self::KPaths => "K_PATHS",
        }
    }
}

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From `_from` to `_to`.
    Outbound,
    /// From `_to` to `_from`.
    Inbound,
    /// Both ways.
    Any,
}

impl Direction {
    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Outbound => "OUTBOUND",
            Self::Inbound => "INBOUND",
            Self::Any => "ANY",
        }
    }
}

/// What a traversal or path search walks on.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphSubject {
    /// `GRAPH "name"` or `GRAPH name` (a [`ExprKind::String`](super::ExprKind::String)) or `GRAPH @name` (a [`ExprKind::Parameter`](super::ExprKind::Parameter)).
    Graph(Expr),
    /// Edge collections, each with its own direction if it has one.
    EdgeCollections(Vec<(Option<Direction>, DataSource)>),
}
