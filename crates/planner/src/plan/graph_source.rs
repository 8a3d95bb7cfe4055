//! What traversals and path searches walk on, and which parts of a path they make.

use std::sync::Arc;

use persea_aql::ast::Direction;

use super::CollectionRef;

/// The part of a graph a path statement runs on.
#[derive(Clone, Debug)]
pub struct GraphSource {
    /// Name of a named graph.
    pub name: Option<Arc<str>>,
    /// Edge collections, each with its direction.
    pub edges: Vec<(CollectionRef, Direction)>,
    /// Vertex collections: those of the named graph, else those of WITH (more may be reached).
    pub vertices: Vec<CollectionRef>,
    /// The direction of the statement.
    pub direction: Direction,
}

/// Parts of a path value that are read afterwards; others may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathParts {
    /// `vertices`.
    pub vertices: bool,
    /// `edges`.
    pub edges: bool,
    /// `weights` or `weight`.
    pub weights: bool,
}

impl PathParts {
    /// Everything.
    pub const ALL: Self = Self { vertices: true, edges: true, weights: true };
}
