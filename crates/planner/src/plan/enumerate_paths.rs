//! K_SHORTEST_PATHS, K_PATHS and ALL_SHORTEST_PATHS.

use std::sync::Arc;

use super::{Expr, GraphSource, PathParts, VarId};

/// Kinds of path enumerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathsKind {
    /// K_SHORTEST_PATHS: by increasing length or weight.
    KShortestPaths,
    /// K_PATHS: all simple paths within a depth range.
    KPaths,
    /// ALL_SHORTEST_PATHS.
    AllShortestPaths,
}

impl PathsKind {
    /// ArangoDB's name in explain output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::KShortestPaths => "KShortestPaths",
            Self::KPaths => "KPaths",
            Self::AllShortestPaths => "AllShortestPaths",
        }
    }
}

/// K_SHORTEST_PATHS, K_PATHS, ALL_SHORTEST_PATHS.
#[derive(Clone, Debug)]
pub struct EnumeratePathsNode {
    /// Which kind.
    pub kind: PathsKind,
    /// The start vertex.
    pub start: Expr,
    /// The target vertex.
    pub target: Expr,
    /// Least number of edges (K_PATHS).
    pub min_depth: u64,
    /// Greatest number of edges (K_PATHS).
    pub max_depth: u64,
    /// Where to go.
    pub graph: GraphSource,
    /// The path; none if not read.
    pub path_out: Option<VarId>,
    /// Which parts of the path value are read.
    pub path_parts: PathParts,
    /// Edge attribute with the weight.
    pub weight_attribute: Option<Arc<str>>,
    /// Weight of edges without one.
    pub default_weight: f64,
}
