//! Nodes, and pipelines of them.

use super::{
    CalculationNode, CollectNode, EnumerateCollectionNode, EnumerateListNode, EnumeratePathsNode,
    HashJoinNode, IndexNode, InsertNode, LimitNode, RemoveNode, ShortestPathNode, SortNode, SubqueryNode,
    TraversalNode, UpdateNode, UpsertNode, VarId, WindowNode,
};
use crate::flow;

/// Number of a node, unique in the plan, stable under optimization; profile figures are kept by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Nodes in execution order; each consumes the rows of the one before.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The nodes, first executed first.
    pub nodes: Vec<Node>,
}

impl Pipeline {
    /// Whether it writes documents.
    #[must_use]
    pub fn modifies(&self) -> bool {
        self.nodes.iter().any(|node| node.kind.modifies())
    }
}

/// One step of a pipeline.
#[derive(Clone, Debug)]
pub struct Node {
    /// Number of the node.
    pub id: NodeId,
    /// What it does.
    pub kind: NodeKind,
    /// Estimated cost of this node and all before it.
    pub estimated_cost: f64,
    /// Estimated number of rows it produces in all.
    pub estimated_items: f64,
    /// Variables that later nodes of the same pipeline read, ascending. A variable that is live but produced by no
    /// earlier node of this pipeline comes from the row of the surrounding query.
    pub live_after: Vec<VarId>,
}

/// The kinds of nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NodeKind {
    /// One empty row (in a subquery: the surrounding row).
    Singleton,
    /// Full scan of a collection, once for each input row.
    EnumerateCollection(EnumerateCollectionNode),
    /// Index scan or lookup, once for each input row.
    Index(IndexNode),
    /// One row for each member of an array (or range).
    EnumerateList(EnumerateListNode),
    /// Computes an expression into a variable.
    Calculation(CalculationNode),
    /// Keeps rows whose variable is truthy.
    Filter {
        /// The variable tested.
        input: VarId,
    },
    /// Skips and limits rows.
    Limit(LimitNode),
    /// Sorts all rows.
    Sort(SortNode),
    /// Groups rows; only its own outputs are visible afterwards.
    Collect(CollectNode),
    /// Sliding window aggregation; earlier variables stay visible.
    Window(WindowNode),
    /// Emits the value of a variable as result of the pipeline.
    Return {
        /// The variable returned.
        input: VarId,
    },
    /// Drops all rows and never asks for any.
    NoResults,
    /// Runs a nested pipeline for each row and binds its results as an array.
    Subquery(SubqueryNode),
    /// Inserts documents.
    Insert(InsertNode),
    /// Updates documents partially.
    Update(UpdateNode),
    /// Replaces documents.
    Replace(UpdateNode),
    /// Removes documents.
    Remove(RemoveNode),
    /// Updates or replaces a document found before, or inserts one.
    Upsert(UpsertNode),
    /// Graph traversal.
    Traversal(Box<TraversalNode>),
    /// One shortest path, a row for each vertex on it.
    ShortestPath(Box<ShortestPathNode>),
    /// Several paths between two vertices, a row for each path.
    EnumeratePaths(Box<EnumeratePathsNode>),
    /// Equality join with a hash table built once from an independent inner pipeline.
    HashJoin(Box<HashJoinNode>),
}

impl NodeKind {
    /// Whether it writes documents, or holds a pipeline that does.
    #[must_use]
    pub fn modifies(&self) -> bool {
        match self {
            Self::Insert(_) | Self::Update(_) | Self::Replace(_) | Self::Remove(_) | Self::Upsert(_) => true,
            _ => flow::nested(self).is_some_and(Pipeline::modifies),
        }
    }

    /// Calls `f` with every variable that it reads directly, not through expressions nor in nested pipelines.
    pub fn for_each_input(&self, f: &mut dyn FnMut(VarId)) {
        flow::for_each_input(self, f);
    }
}
