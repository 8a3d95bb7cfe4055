//! What can be wrong with the options of a search.

/// A search was asked for something it cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Globally unique vertices depend on the order of visits, which only breadth first and weighted search define.
    #[error("uniqueVertices: \"global\" is only supported together with the orders \"bfs\" and \"weighted\"")]
    GlobalUniquenessNeedsOrder,
    /// The minimum depth is greater than the maximum depth.
    #[error("the minimum depth {min} is greater than the maximum depth {max}")]
    DepthRange {
        /// The minimum depth asked for.
        min: usize,
        /// The maximum depth asked for.
        max: usize,
    },
}
