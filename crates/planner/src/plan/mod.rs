//! The execution plan: what the optimizer rewrites and the executor runs.
//!
//! A [`Plan`] knows neither the query text nor its syntax tree. It is a [`Pipeline`]: nodes in execution order,
//! each taking the rows of the node before it. The first node is always [`NodeKind::Singleton`] (one row without
//! own variables; inside a subquery, the row of the surrounding query), the last one is a [`NodeKind::Return`] or a
//! data modification. Subqueries, hash join build sides and similar nest another pipeline.
//!
//! Variables are registers. [`VarId`]s are unique in the whole plan, subqueries included, and index
//! [`Plan::variables`]. Each node carries [`Node::live_after`]: the variables an executor has to keep for the nodes
//! behind it in the same pipeline; every other register may be dropped.

mod calculation;
mod collect;
mod collection;
mod document_output;
mod enumerate_collection;
mod enumerate_list;
mod enumerate_paths;
mod expr;
mod graph_source;
mod hash_join;
mod index;
mod limit;
mod modification;
mod node;
mod shortest_path;
mod sort;
mod subquery;
mod traversal;
mod variable;
mod window;

use std::sync::Arc;

use crate::catalog::CollectionMeta;

pub use calculation::CalculationNode;
pub use collect::{Aggregate, CollectContent, CollectGroup, CollectInto, CollectMethod, CollectNode};
pub use collection::{AccessMode, CollectionRef, CollectionUse};
pub use document_output::{AttributePath, DocumentOutput, Projection};
pub use enumerate_collection::EnumerateCollectionNode;
pub use enumerate_list::EnumerateListNode;
pub use enumerate_paths::{EnumeratePathsNode, PathsKind};
pub use expr::{ArrayQuantifier, Expr, ObjectKey, ObjectMember, Quantifier};
pub use graph_source::{GraphSource, PathParts};
pub use hash_join::HashJoinNode;
pub use index::{IndexAccess, IndexHint, IndexKind, IndexNode, KeyBound, KeyTerm};
pub use limit::LimitNode;
pub use modification::{InsertNode, ModificationOptions, OverwriteMode, RemoveNode, UpdateNode, UpsertNode};
pub use node::{Node, NodeId, NodeKind, Pipeline};
pub use persea_aql::ast::{BinaryOperator, Direction, UnaryOperator};
pub use shortest_path::ShortestPathNode;
pub use sort::{SortKey, SortNode};
pub use subquery::SubqueryNode;
pub use traversal::{
    PathCondition, PathDepth, Prune, TraversalNode, TraversalOptions, TraversalOrder, Uniqueness,
};
pub use variable::{VarId, Variable};
pub use window::{WindowBounds, WindowNode};

/// A complete, executable plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the database it runs on.
    pub database: Arc<str>,
    /// The main pipeline.
    pub root: Pipeline,
    /// All variables, indexed by [`VarId`].
    pub variables: Vec<Variable>,
    /// The collections used, each once, with the strongest access.
    pub collections: Vec<CollectionUse>,
    /// Names of the optimizer rules that changed the plan, in the order of application.
    pub rules: Vec<&'static str>,
    /// Whether any node writes.
    pub is_modification: bool,
    /// Whether equal queries may share a cached result: no writes, no warnings, only cacheable functions.
    pub cacheable: bool,
    /// Whether subqueries are shown spliced into the outer node list.
    pub spliced: bool,
    /// The next free node number.
    pub next_node: u32,
}

impl Plan {
    /// The variable with this number.
    #[must_use]
    pub fn variable(&self, id: VarId) -> Option<&Variable> {
        self.variables.get(id.index())
    }

    /// Estimated cost of the whole plan: that of its last node.
    #[must_use]
    pub fn estimated_cost(&self) -> f64 {
        self.root.nodes.last().map_or(0.0, |node| node.estimated_cost)
    }

    /// What the catalog said about a collection of the plan.
    #[must_use]
    pub fn collection(&self, collection: &CollectionRef) -> Option<&Arc<CollectionMeta>> {
        self.collections.iter().find(|used| used.collection.id == collection.id).map(|used| &used.meta)
    }

    /// A new temporary variable.
    pub fn new_variable(&mut self) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(Variable {
            id,
            name: Arc::from(id.0.to_string()),
            from_collection: false,
            full_document: false,
            constant: None,
            sorted_unique_list: false,
        });
        id
    }

    /// A new node, not yet in any pipeline.
    pub fn new_node(&mut self, kind: NodeKind) -> Node {
        let id = NodeId(self.next_node);
        self.next_node = self.next_node.saturating_add(1);
        Node { id, kind, estimated_cost: 0.0, estimated_items: 0.0, live_after: Vec::new() }
    }

    /// A new Calculation of `expr` into a new temporary variable, and that variable.
    pub fn new_calculation(&mut self, expr: Expr) -> (Node, VarId) {
        let out = self.new_variable();
        if let (Expr::Const(value), Some(variable)) = (&expr, self.variables.last_mut()) {
            variable.constant = Some(Arc::clone(value));
        }
        (self.new_node(NodeKind::Calculation(CalculationNode { expr, out })), out)
    }

    /// Estimated number of result rows: that of the last node.
    #[must_use]
    pub fn estimated_items(&self) -> f64 {
        self.root.nodes.last().map_or(0.0, |node| node.estimated_items)
    }
}
