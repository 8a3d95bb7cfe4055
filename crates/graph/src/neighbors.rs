//! The traits through which searches see a graph.

use std::hash::Hash;

use crate::path::{Path, Visit};

/// A path of a graph.
pub type PathOf<G> = Path<<G as Neighbors>::Vertex, <G as Neighbors>::Edge>;

/// A directed multigraph, seen from one vertex at a time.
///
/// `&mut self` lets an implementation reuse buffers and count its reads.
pub trait Neighbors {
    /// Identifies a vertex.
    type Vertex: Copy + Eq + Hash;
    /// Identifies an edge; two parallel edges are different edges.
    type Edge: Copy + Eq + Hash;
    /// What reading the graph can fail with.
    type Error;

    /// Appends the edges that leave `vertex`, and the vertices they lead to.
    ///
    /// `depth` is the depth of `vertex` on the current path of a traversal, 0 in path searches.
    ///
    /// # Errors
    /// Whatever reading the graph fails with; the search stops there.
    fn neighbors(
        &mut self,
        vertex: Self::Vertex,
        depth: usize,
        out: &mut Vec<(Self::Edge, Self::Vertex)>,
    ) -> Result<(), Self::Error>;

    /// Appends the edges that lead to `vertex`, and the vertices they come from.
    ///
    /// Only searches with a target use it.
    ///
    /// # Errors
    /// Whatever reading the graph fails with; the search stops there.
    fn predecessors(
        &mut self,
        vertex: Self::Vertex,
        out: &mut Vec<(Self::Edge, Self::Vertex)>,
    ) -> Result<(), Self::Error>;

    /// The weight of an edge: finite and not negative. Every edge weighs 1 unless this is overridden.
    ///
    /// # Errors
    /// Whatever reading the graph fails with; a negative weight should be refused here.
    fn weight(&mut self, edge: Self::Edge) -> Result<f64, Self::Error> {
        let _ = edge;
        Ok(1.0)
    }
}

/// Replaces the contents of `out` by the edges at a vertex, for searches from both ends: those that leave it in a search
/// from the source, those that lead to it in one from the target.
pub(crate) fn expand<G: Neighbors>(
    graph: &mut G,
    vertex: G::Vertex,
    from_source: bool,
    out: &mut Vec<(G::Edge, G::Vertex)>,
) -> Result<(), G::Error> {
    out.clear();
    if from_source { graph.neighbors(vertex, 0, out) } else { graph.predecessors(vertex, out) }
}

/// What a traversal does with a path it has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Emit it when it is deep enough, and go on behind it.
    Keep,
    /// Emit it when it is deep enough, but go no deeper.
    Prune,
    /// Go on behind it, but do not emit it.
    Pass,
    /// Neither emit it nor go deeper.
    Discard,
}

/// Steers a traversal: sees every path before it is emitted.
pub trait Steer: Neighbors {
    /// Decides what becomes of the path that has just been reached, also at depth 0 and below the minimum depth.
    ///
    /// # Errors
    /// Whatever the decision fails with; the traversal stops there.
    fn decide(&mut self, visit: &Visit<'_, Self::Vertex, Self::Edge>) -> Result<Decision, Self::Error> {
        let _ = visit;
        Ok(Decision::Keep)
    }
}
