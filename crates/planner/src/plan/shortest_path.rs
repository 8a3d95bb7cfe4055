//! SHORTEST_PATH.

use std::sync::Arc;

use super::{Expr, GraphSource, VarId};

/// SHORTEST_PATH.
#[derive(Clone, Debug)]
pub struct ShortestPathNode {
    /// The start vertex.
    pub start: Expr,
    /// The target vertex.
    pub target: Expr,
    /// Where to go.
    pub graph: GraphSource,
    /// The vertex of each step.
    pub vertex_out: Option<VarId>,
    /// The edge that led there, null at the start.
    pub edge_out: Option<VarId>,
    /// Edge attribute with the weight.
    pub weight_attribute: Option<Arc<str>>,
    /// Weight of edges without one.
    pub default_weight: f64,
}
