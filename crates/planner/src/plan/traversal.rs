//! Graph traversals.

use std::sync::Arc;

use super::{Expr, GraphSource, PathParts, VarId};

/// Order of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraversalOrder {
    /// Depth first.
    Dfs,
    /// Breadth first.
    Bfs,
    /// By increasing weight.
    Weighted,
}

impl TraversalOrder {
    /// ArangoDB's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dfs => "dfs",
            Self::Bfs => "bfs",
            Self::Weighted => "weighted",
        }
    }
}

/// Uniqueness of vertices or edges in a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// No check.
    None,
    /// Once on a path.
    Path,
    /// Once in the traversal.
    Global,
}

impl Uniqueness {
    /// ArangoDB's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Path => "path",
            Self::Global => "global",
        }
    }
}

/// Options of a traversal.
#[derive(Clone, Debug)]
pub struct TraversalOptions {
    /// Order of visits.
    pub order: TraversalOrder,
    /// Uniqueness of vertices.
    pub unique_vertices: Uniqueness,
    /// Uniqueness of edges.
    pub unique_edges: Uniqueness,
    /// Only these edge collections, if any are given.
    pub edge_collections: Vec<Arc<str>>,
    /// Only these vertex collections, if any are given.
    pub vertex_collections: Vec<Arc<str>>,
    /// Edge attribute with the weight.
    pub weight_attribute: Option<Arc<str>>,
    /// Weight of edges without one.
    pub default_weight: f64,
    /// Threads to use.
    pub parallelism: u64,
    /// Upper bound of projections.
    pub max_projections: usize,
    /// Whether caches may be used.
    pub use_cache: bool,
}

/// A condition on an element of the path that the traversal checks itself, so that whole branches can be cut.
#[derive(Clone, Debug)]
pub struct PathCondition {
    /// The position on the path the condition is about.
    pub depth: PathDepth,
    /// Whether it is about the edge (else the vertex) at that position.
    pub on_edge: bool,
    /// The variable that stands for the edge or vertex in `condition`.
    pub element: VarId,
    /// The condition. Paths too short to have the element are not concerned.
    pub condition: Expr,
}

/// Position on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathDepth {
    /// The element at this index: edge `n` leads from vertex `n` to vertex `n + 1`.
    At(u64),
    /// Every element.
    Every,
}

/// PRUNE.
#[derive(Clone, Debug)]
pub struct Prune {
    /// The condition; truthy stops the path from growing.
    pub condition: Expr,
    /// Stands for the current vertex in `condition`, if used.
    pub vertex: Option<VarId>,
    /// Stands for the edge that led there (null at the start), if used.
    pub edge: Option<VarId>,
    /// Stands for the path, if used.
    pub path: Option<VarId>,
    /// Variable that receives the value of the condition for the produced row.
    pub out: Option<VarId>,
}

/// Graph traversal: one row for each path found.
#[derive(Clone, Debug)]
pub struct TraversalNode {
    /// The start vertex: an id string or an object with `_id`.
    pub start: Expr,
    /// Least number of edges.
    pub min_depth: u64,
    /// Greatest number of edges.
    pub max_depth: u64,
    /// Where to go.
    pub graph: GraphSource,
    /// The last vertex of the path.
    pub vertex_out: Option<VarId>,
    /// The last edge of the path.
    pub edge_out: Option<VarId>,
    /// The path `{vertices, edges, weights}`.
    pub path_out: Option<VarId>,
    /// Which parts of the path value are read.
    pub path_parts: PathParts,
    /// PRUNE.
    pub prune: Option<Prune>,
    /// Conditions pushed into the traversal.
    pub conditions: Vec<PathCondition>,
    /// Options.
    pub options: TraversalOptions,
}
