//! The options of a traversal.

use crate::{Decision, Error};

/// In which order a traversal visits paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As deep as possible first.
    #[default]
    DepthFirst,
    /// All paths of one depth before the next depth.
    BreadthFirst,
    /// By increasing sum of the weights of the edges.
    Weighted,
}

/// Whether a vertex may be visited more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UniqueVertices {
    /// As often as there are paths.
    #[default]
    None,
    /// At most once on each path.
    Path,
    /// At most once in the whole traversal; not with [`Order::DepthFirst`].
    Global,
}

/// Whether an edge may be used more than once on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UniqueEdges {
    /// As often as the path gets there; cycles end at the maximum depth only.
    None,
    /// At most once on each path.
    #[default]
    Path,
}

/// How a [`crate::Traversal`] runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraversalOptions {
    /// The smallest number of edges of an emitted path.
    pub min_depth: usize,
    /// The largest number of edges of a path.
    pub max_depth: usize,
    /// In which order paths are visited.
    pub order: Order,
    /// Whether vertices may repeat.
    pub unique_vertices: UniqueVertices,
    /// Whether edges may repeat.
    pub unique_edges: UniqueEdges,
}

impl Default for TraversalOptions {
    fn default() -> Self {
        TraversalOptions {
            min_depth: 1,
            max_depth: 1,
            order: Order::default(),
            unique_vertices: UniqueVertices::default(),
            unique_edges: UniqueEdges::default(),
        }
    }
}

impl TraversalOptions {
    /// Checks that the options make sense together.
    ///
    /// # Errors
    /// [`Error::DepthRange`] and [`Error::GlobalUniquenessNeedsOrder`].
    pub fn validate(&self) -> Result<(), Error> {
        if self.min_depth > self.max_depth {
            return Err(Error::DepthRange { min: self.min_depth, max: self.max_depth });
        }
        if self.unique_vertices == UniqueVertices::Global && self.order == Order::DepthFirst {
            return Err(Error::GlobalUniquenessNeedsOrder);
        }
        Ok(())
    }

    /// Whether a path of this depth grows, and whether it is emitted.
    pub(crate) fn judge(&self, decision: Decision, depth: usize) -> (bool, bool) {
        let grows = depth < self.max_depth && matches!(decision, Decision::Keep | Decision::Pass);
        let is_result = depth >= self.min_depth && matches!(decision, Decision::Keep | Decision::Prune);
        (grows, is_result)
    }
}
