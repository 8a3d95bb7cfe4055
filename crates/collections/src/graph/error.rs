//! What can go wrong with named graphs.

/// A broken rule of named graphs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// No edge definition allows an edge between these vertices.
    #[error("invalid edge between {from} and {to}. Doesn't conform to any edge definition")]
    InvalidEdge {
        /// Source vertex id.
        from: String,
        /// Target vertex id.
        to: String,
    },
    /// An edge collection is used twice in one graph.
    #[error("multi use of edge collection in edge def: {0}")]
    CollectionMultiUse(String),
    /// Another graph uses the edge collection with a different definition.
    #[error("{0} edge collection already used in edge definition of another graph")]
    UsedInOtherGraph(String),
    /// A graph without a name.
    #[error("a graph name is required to create or drop a graph")]
    MissingName,
    /// An edge definition of a wrong form.
    #[error("malformed edge definition: {0}")]
    MalformedEdgeDefinition(String),
    /// No graph has this name.
    #[error("graph '{0}' not found")]
    NotFound(String),
    /// A graph has this name already.
    #[error("graph '{0}' already exists")]
    Duplicate(String),
    /// A vertex collection does not exist.
    #[error("vertex collection '{0}' does not exist")]
    VertexCollectionMissing(String),
    /// The collection is no orphan of the graph.
    #[error("collection is not in list of orphan collections")]
    NotInOrphans,
    /// The collection belongs to an edge definition already.
    #[error("collection '{0}' already used in edge definition")]
    UsedInEdgeDefinition(String),
    /// The edge collection is not part of the graph.
    #[error("edge collection '{0}' not used in graph")]
    EdgeCollectionNotUsed(String),
    /// The collection is an orphan of the graph already.
    #[error("collection '{0}' already used in orphans")]
    UsedInOrphans(String),
    /// A collection cannot be dropped while a graph uses it.
    #[error(
        "must not drop collection while part of graph: collection '{collection}' is {role} inside graph '{graph}'"
    )]
    MustNotDrop {
        /// The collection.
        collection: String,
        /// What the graph uses it as.
        role: &'static str,
        /// The graph.
        graph: String,
    },
    /// The list of orphan collections is of a wrong form.
    #[error("malformed orphan list: an array of collection names is expected")]
    MalformedOrphans,
    /// An edge definition names a document collection as its edge collection.
    #[error("collection '{0}' in an edge definition is a document collection")]
    EdgeDefinitionIsDocument(String),
    /// An edge points into a collection outside the graph.
    #[error("referenced {attribute} collection '{collection}' is not part of the graph")]
    ReferencedCollectionNotInGraph {
        /// `_from` or `_to`.
        attribute: &'static str,
        /// The collection.
        collection: String,
    },
    /// The addressed vertex collection is not part of the graph.
    #[error("collection '{0}' is not part of the graph")]
    CollectionNotInGraph(String),
    /// A stored graph definition is damaged.
    #[error("graph data is damaged: {0}")]
    Damaged(String),
}

impl GraphError {
    /// The public error number.
    pub fn error_num(&self) -> u16 {
        match self {
            Self::InvalidEdge { .. } => 1906,
            Self::CollectionMultiUse(_) => 1920,
            Self::UsedInOtherGraph(_) => 1921,
            Self::MissingName => 1922,
            Self::MalformedEdgeDefinition(_) => 1923,
            Self::NotFound(_) => 1924,
            Self::Duplicate(_) => 1925,
            Self::VertexCollectionMissing(_) => 1926,
            Self::NotInOrphans => 1928,
            Self::UsedInEdgeDefinition(_) => 1929,
            Self::EdgeCollectionNotUsed(_) => 1930,
            Self::UsedInOrphans(_) => 1938,
            Self::Damaged(_) => 1941,
            Self::MustNotDrop { .. } => 1942,
            Self::MalformedOrphans => 1943,
            Self::EdgeDefinitionIsDocument(_) => 1944,
            Self::ReferencedCollectionNotInGraph { .. } => 1947,
            Self::CollectionNotInGraph(_) => 1949,
        }
    }
}
