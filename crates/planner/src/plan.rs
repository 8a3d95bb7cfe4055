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

use std::sync::Arc;

use persea_vpack::VPackBuf;

use crate::catalog::CollectionMeta;

/// Number of a variable: index into [`Plan::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

impl VarId {
    /// The number as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a node, unique in the plan, stable under optimization; profile figures are kept by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A variable (register) of the plan.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its number.
    pub id: VarId,
    /// The user's name, or the number in decimal digits for temporaries.
    pub name: Arc<str>,
    /// Whether values come from documents of a collection.
    pub from_collection: bool,
    /// Whether the value is a whole stored document.
    pub full_document: bool,
    /// The value, when it is the same in every row and known at plan time.
    pub constant: Option<Arc<VPackBuf>>,
    /// Whether the value is a list known to be sorted in AQL order without duplicates, so that `IN` may search it
    /// by bisection.
    pub sorted_unique_list: bool,
}

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

/// How a query accesses a collection; ordered by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessMode {
    /// Only reads.
    Read,
    /// Reads and writes.
    Write,
    /// Writes, and no one else may write meanwhile.
    Exclusive,
}

/// One collection a plan uses.
#[derive(Clone, Debug)]
pub struct CollectionUse {
    /// The collection.
    pub collection: CollectionRef,
    /// Strongest access of any node.
    pub mode: AccessMode,
    /// What the catalog said about it.
    pub meta: Arc<CollectionMeta>,
}

/// A collection by number and name, cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CollectionRef {
    /// The collection's number in its database.
    pub id: u64,
    /// Its name when the plan was made.
    pub name: Arc<str>,
    /// Whether it is an edge collection.
    pub is_edge: bool,
}

/// Nodes in execution order; each consumes the rows of the one before.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The nodes, first executed first.
    pub nodes: Vec<Node>,
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

/// What a document-producing node does with each document.
///
/// Order of work for a document: bind `out` (needed only by `filter`), evaluate `filter`, drop the document unless
/// truthy, then fill the projection variables. `out` is live after the node exactly if `produces_document`.
#[derive(Clone, Debug)]
pub struct DocumentOutput {
    /// The document variable.
    pub out: VarId,
    /// Whether later nodes read the whole document. If not, only `projections` are produced (possibly none at all:
    /// then only the number of rows matters and the document need not even be read unless `filter` does).
    pub produces_document: bool,
    /// Attribute paths extracted into variables of their own.
    pub projections: Vec<Projection>,
    /// Condition evaluated on the document (reads `out` and variables bound before this node); only documents for
    /// which it is truthy are produced.
    pub filter: Option<Expr>,
    /// The attribute paths of `out` that `filter` reads; empty when it needs the whole document.
    pub filter_projections: Vec<AttributePath>,
    /// Upper bound of projections instead of reading whole documents.
    pub max_projections: usize,
    /// Whether document values should be taken from caches.
    pub use_cache: bool,
}

impl DocumentOutput {
    /// Produces whole documents in `out`, without filter.
    #[must_use]
    pub fn document(out: VarId) -> Self {
        Self {
            out,
            produces_document: true,
            projections: Vec::new(),
            filter: None,
            filter_projections: Vec::new(),
            max_projections: 5,
            use_cache: true,
        }
    }
}

/// A path of attribute names, outermost first, never empty.
pub type AttributePath = Vec<Arc<str>>;

/// One attribute path of a document in a variable of its own; null if missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// The attribute path.
    pub path: AttributePath,
    /// Where its value goes.
    pub out: VarId,
}

/// Full collection scan.
#[derive(Clone, Debug)]
pub struct EnumerateCollectionNode {
    /// The collection.
    pub collection: CollectionRef,
    /// Documents, projections, fused filter.
    pub output: DocumentOutput,
    /// Produce one document chosen at random instead of all.
    pub random: bool,
    /// Hint given by the user.
    pub hint: IndexHint,
    /// Whether the scan must see writes made earlier by the same query (UPSERT lookups).
    pub read_own_writes: bool,
    /// Only the number of documents matters: produce a single row whose `count_into` variable is the count.
    pub count_into: Option<VarId>,
}

/// The user's say on indexes of one FOR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexHint {
    /// Names of indexes to prefer, best first.
    pub names: Vec<Arc<str>>,
    /// Fail unless one of them can be used.
    pub forced: bool,
    /// Use no index at all.
    pub disabled: bool,
}

/// Index scan: the union of the documents found by `accesses`, each document once.
#[derive(Clone, Debug)]
pub struct IndexNode {
    /// The collection.
    pub collection: CollectionRef,
    /// Documents, projections, fused filter.
    pub output: DocumentOutput,
    /// Lookups to perform, at least one. They are performed in this order.
    pub accesses: Vec<IndexAccess>,
    /// Whether a document may be found more than once (several accesses, array indexes), so that the executor has to
    /// remember those already produced for the current input row.
    pub needs_dedup: bool,
    /// Direction of the scan.
    pub ascending: bool,
    /// Whether later nodes rely on the index order.
    pub sorted: bool,
    /// Whether projections and filter can be computed from the index entry (key and stored values) alone; then
    /// documents need not be read.
    pub covering: bool,
    /// Stop after this many documents for each input row (0: no limit).
    pub limit: usize,
    /// The condition the accesses were made from, for display.
    pub condition: Vec<Vec<Expr>>,
    /// Conditions that hold for every document the accesses find, so that filters for them can go.
    pub covered: Vec<Expr>,
    /// Whether the scan must see writes made earlier by the same query (UPSERT lookups).
    pub read_own_writes: bool,
    /// Hint given by the user.
    pub hint: IndexHint,
    /// Only the number of entries matters: produce a single row whose `count_into` variable is the count.
    pub count_into: Option<VarId>,
}

/// Which part of an index to read. Everything inclusive of AQL order: entries whose first fields equal `terms` and
/// whose next field lies within the bounds. Without terms and bounds it is the whole index.
///
/// Values are evaluated for each input row. A primary index access has one term for `_key` or `_id`, an edge index
/// access one for `_from` or `_to` (see [`IndexAccess::field`]); values that are no strings there find nothing.
#[derive(Clone, Debug)]
pub struct IndexAccess {
    /// Number of the index in its collection.
    pub index: u64,
    /// Its name.
    pub name: Arc<str>,
    /// Its kind.
    pub kind: IndexKind,
    /// For the primary index `_key` or `_id`, for edge indexes `_from` or `_to`; otherwise the first index field.
    pub field: Arc<str>,
    /// Equality terms for a prefix of the index fields.
    pub terms: Vec<KeyTerm>,
    /// Lower bound of the field after the terms.
    pub lower: Option<KeyBound>,
    /// Upper bound of the field after the terms.
    pub upper: Option<KeyBound>,
}

/// Kinds of indexes the planner tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// `_key` and `_id`.
    Primary,
    /// `_from` and `_to`.
    Edge,
    /// Sorted index on attribute paths.
    Persistent,
    /// Any other: never chosen for a condition.
    Other,
}

impl IndexKind {
    /// ArangoDB's type name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Edge => "edge",
            Self::Persistent => "persistent",
            Self::Other => "other",
        }
    }
}

/// Equality condition for one index field.
#[derive(Clone, Debug)]
pub enum KeyTerm {
    /// The field equals the value.
    Equal(Expr),
    /// The field equals a member of the array; anything but an array finds nothing. The executor removes duplicate
    /// members and visits them in index order.
    In(Expr),
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct KeyBound {
    /// The bound.
    pub value: Expr,
    /// Whether the bound itself belongs to the range.
    pub inclusive: bool,
}

/// Iteration over an array.
#[derive(Clone, Debug)]
pub struct EnumerateListNode {
    /// The array (a run time value of another type fails the query with 1563).
    pub input: VarId,
    /// The member.
    pub out: VarId,
    /// Condition evaluated for each member; reads `out` and variables bound before.
    pub filter: Option<Expr>,
}

/// Computation of one value.
#[derive(Clone, Debug)]
pub struct CalculationNode {
    /// What to compute.
    pub expr: Expr,
    /// Where the value goes.
    pub out: VarId,
}

/// LIMIT.
#[derive(Clone, Debug)]
pub struct LimitNode {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to produce (`u64::MAX` for no limit).
    pub count: u64,
    /// Whether the rows behind the limit are to be counted for `stats.fullCount` (all input rows are consumed).
    pub full_count: bool,
}

/// One sort criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The value compared.
    pub var: VarId,
    /// Ascending or descending.
    pub ascending: bool,
}

/// SORT.
#[derive(Clone, Debug)]
pub struct SortNode {
    /// Criteria, most significant first.
    pub keys: Vec<SortKey>,
    /// Only the first so many rows in order are needed (the Limit node itself follows).
    pub limit: Option<usize>,
    /// Whether equal rows must keep their input order.
    pub stable: bool,
}

/// How to group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectMethod {
    /// Hash table; output order undefined.
    Hash,
    /// Input arrives sorted by the group values; output keeps that order.
    Sorted,
    /// Distinct values in order of first occurrence.
    Distinct,
    /// No group values, only a count of all rows.
    Count,
}

impl CollectMethod {
    /// ArangoDB's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Sorted => "sorted",
            Self::Distinct => "distinct",
            Self::Count => "count",
        }
    }
}

/// COLLECT, COLLECT WITH COUNT INTO and RETURN DISTINCT.
///
/// Without `groups` exactly one row is produced, also for empty input.
#[derive(Clone, Debug)]
pub struct CollectNode {
    /// How to group.
    pub method: CollectMethod,
    /// Group values.
    pub groups: Vec<CollectGroup>,
    /// Aggregates of each group.
    pub aggregates: Vec<Aggregate>,
    /// Collected members of each group.
    pub into: Option<CollectInto>,
    /// Method asked for by OPTIONS.
    pub requested_method: Option<CollectMethod>,
    /// Whether the method is final.
    pub specialized: bool,
    /// Whether it stands for RETURN DISTINCT.
    pub is_distinct: bool,
    /// Whether OPTIONS forbid the use of an index.
    pub disable_index: bool,
    /// Whether the user asked for any order (`SORT null` behind it).
    pub unsorted: bool,
    /// Variables from outside the loops of this query level (LETs before the first FOR, the row of the surrounding
    /// query) that later nodes read: the same in all rows, taken over from any row of the group, null if there is none
    /// and the variable was computed in this pipeline.
    pub carried: Vec<VarId>,
}

/// One group value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectGroup {
    /// The group's value.
    pub out: VarId,
    /// The value of each row.
    pub input: VarId,
}

/// One aggregate.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The result.
    pub out: VarId,
    /// Canonical upper-case function name, aliases resolved as ArangoDB shows them (`LENGTH`, `MIN`, `AVG`, …).
    pub function: Arc<str>,
    /// The argument; none counts rows.
    pub input: Option<VarId>,
}

/// INTO of COLLECT.
#[derive(Clone, Debug)]
pub struct CollectInto {
    /// The array of members.
    pub out: VarId,
    /// What each member is.
    pub content: CollectContent,
}

/// Members of INTO.
#[derive(Clone, Debug)]
pub enum CollectContent {
    /// The value of a variable.
    Value(VarId),
    /// An object of variables, in this order.
    Variables(Vec<(Arc<str>, VarId)>),
}

/// WINDOW.
#[derive(Clone, Debug)]
pub struct WindowNode {
    /// The value the bounds are relative to; none for row based windows. The input is sorted by it.
    pub range: Option<VarId>,
    /// Bounds of the window.
    pub bounds: WindowBounds,
    /// Aggregates of each row's window.
    pub aggregates: Vec<Aggregate>,
}

/// Bounds of a window.
#[derive(Clone, Debug)]
pub enum WindowBounds {
    /// Number of rows; `None` is unbounded.
    Rows {
        /// Rows before the current one.
        preceding: Option<u64>,
        /// Rows after the current one.
        following: Option<u64>,
    },
    /// Distance in value.
    Range {
        /// Distance below the current value.
        preceding: f64,
        /// Distance above the current value.
        following: f64,
    },
    /// ISO 8601 durations, applied to time stamps in milliseconds.
    Duration {
        /// Duration before.
        preceding: Arc<str>,
        /// Duration after.
        following: Arc<str>,
    },
}

/// Subquery.
#[derive(Clone, Debug)]
pub struct SubqueryNode {
    /// The nested pipeline; its Singleton passes the current row in.
    pub pipeline: Pipeline,
    /// The array of results (empty when the pipeline ends in a modification).
    pub out: VarId,
    /// Variables of the surrounding row the pipeline reads, ascending.
    pub captures: Vec<VarId>,
    /// Whether it captures nothing and is deterministic without writes: one run serves all rows.
    pub is_const: bool,
    /// Run only for rows where this is truthy; others get null. (Subqueries in branches of `?:`, `&&` and `||`.)
    pub guard: Option<Expr>,
    /// UPSERT lookup: rows must pass from here to the Upsert node one at a time, since the lookup of a row has to see
    /// the write of the row before.
    pub row_at_a_time: bool,
    /// Only whether there is any result, or the number of results, matters: results may be any value (the executor
    /// may skip building them).
    pub only_count: bool,
}

/// Options of data modification statements.
#[derive(Clone, Debug)]
pub struct ModificationOptions {
    /// Skip rows that fail.
    pub ignore_errors: bool,
    /// Skip rows whose document is missing (set with `ignore_errors` semantics for removals inside UPSERT-like plans).
    pub ignore_document_not_found: bool,
    /// Commit to disk before answering; none takes the collection's setting.
    pub wait_for_sync: Option<bool>,
    /// What INSERT does when the key exists.
    pub overwrite_mode: OverwriteMode,
    /// Keep attributes updated to null.
    pub keep_null: bool,
    /// Merge object attributes instead of replacing them.
    pub merge_objects: bool,
    /// Ignore `_rev` in the input.
    pub ignore_revs: bool,
    /// Lock out other writers.
    pub exclusive: bool,
    /// Write only if this attribute grows.
    pub version_attribute: Option<Arc<str>>,
    /// Put new entries into index caches.
    pub refill_index_caches: bool,
    /// UPSERT lookups see the writes of earlier rows.
    pub read_own_writes: bool,
}

impl Default for ModificationOptions {
    fn default() -> Self {
        Self {
            ignore_errors: false,
            ignore_document_not_found: false,
            wait_for_sync: None,
            overwrite_mode: OverwriteMode::Conflict,
            keep_null: true,
            merge_objects: true,
            ignore_revs: true,
            exclusive: false,
            version_attribute: None,
            refill_index_caches: false,
            read_own_writes: true,
        }
    }
}

/// What INSERT does when the key exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteMode {
    /// Fail with 1210.
    Conflict,
    /// Do nothing.
    Ignore,
    /// Replace the document.
    Replace,
    /// Update the document.
    Update,
}

impl OverwriteMode {
    /// ArangoDB's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Ignore => "ignore",
            Self::Replace => "replace",
            Self::Update => "update",
        }
    }
}

/// INSERT.
#[derive(Clone, Debug)]
pub struct InsertNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The document.
    pub input: VarId,
    /// The previous document (overwrite modes), null if there was none.
    pub out_old: Option<VarId>,
    /// The stored document.
    pub out_new: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// UPDATE and REPLACE.
#[derive(Clone, Debug)]
pub struct UpdateNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The new attributes.
    pub input_doc: VarId,
    /// The key (string or object with `_key`); without it the document's own `_key` counts.
    pub input_key: Option<VarId>,
    /// The previous document.
    pub out_old: Option<VarId>,
    /// The stored document.
    pub out_new: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// REMOVE.
#[derive(Clone, Debug)]
pub struct RemoveNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The key (string or object with `_key`).
    pub input: VarId,
    /// The removed document.
    pub out_old: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// UPSERT. The lookup is a [`SubqueryNode`] with `row_at_a_time` before it.
#[derive(Clone, Debug)]
pub struct UpsertNode {
    /// The collection.
    pub collection: CollectionRef,
    /// The document found, or null; also what OLD refers to.
    pub input_doc: VarId,
    /// The document to insert if none was found.
    pub insert: VarId,
    /// The new attributes if one was found.
    pub update: VarId,
    /// Replace instead of update.
    pub is_replace: bool,
    /// The stored document.
    pub out_new: Option<VarId>,
    /// Options.
    pub options: ModificationOptions,
}

/// Direction of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From `_from` to `_to`.
    Outbound,
    /// From `_to` to `_from`.
    Inbound,
    /// Both.
    Any,
}

impl Direction {
    /// The AQL keyword.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outbound => "OUTBOUND",
            Self::Inbound => "INBOUND",
            Self::Any => "ANY",
        }
    }
}

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

/// Equality join. The build pipeline reads no variable of the outer row and is run once for the whole query, also when
/// the join stands in a subquery that runs many times; its rows are kept in a hash table by the build keys. Each input row is joined with all build rows whose keys are equal (AQL equality).
#[derive(Clone, Debug)]
pub struct HashJoinNode {
    /// Produces the inner rows; it has no Return node: its last node's live variables are the row.
    pub build: Pipeline,
    /// Keys of inner rows; read variables of `build` only.
    pub build_keys: Vec<Expr>,
    /// Keys of input rows, in the same order.
    pub probe_keys: Vec<Expr>,
    /// Variables of the build rows that are produced, ascending.
    pub outs: Vec<VarId>,
}

/// An expression over variables.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Expr {
    /// A value (literals, bind values, folded expressions).
    Const(Arc<VPackBuf>),
    /// The value of a variable.
    Var(VarId),
    /// `base.name`; null on non-objects and when missing.
    Attribute(Box<Expr>, Arc<str>),
    /// `base[index]`: element of an array (negative from the end) or attribute of an object.
    Index(Box<Expr>, Box<Expr>),
    /// Prefix operators.
    Unary(UnaryOp, Box<Expr>),
    /// Infix operators. `And` and `Or` evaluate the right side only if needed and yield an operand.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `left ALL|ANY|NONE|AT LEAST(n) op right`; `op` is a comparison, `In` or `NotIn`.
    ArrayCompare {
        /// How many members have to match.
        quantifier: Quantifier,
        /// The comparison of each member.
        op: BinaryOp,
        /// The array.
        left: Box<Expr>,
        /// What its members are compared with.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`; without `then` the condition's own value (`?:`).
    Ternary {
        /// The condition, evaluated once.
        condition: Box<Expr>,
        /// Value if truthy.
        then: Option<Box<Expr>>,
        /// Value if not.
        otherwise: Box<Expr>,
    },
    /// `from..to`, a lazy array of integers.
    Range(Box<Expr>, Box<Expr>),
    /// Array constructor.
    Array(Vec<Expr>),
    /// Object constructor; of equal keys the last one wins.
    Object(Vec<ObjectMember>),
    /// Call of a built-in function.
    Call {
        /// Canonical upper-case name.
        function: Arc<str>,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// Call of a user-defined function.
    UserCall {
        /// Name with its namespace, upper case.
        function: Arc<str>,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `source[* FILTER … LIMIT … RETURN …]`: filter, then limit, then map of an array; non-arrays give `[]`.
    Expansion {
        /// The array.
        source: Box<Expr>,
        /// How many levels of nested arrays are flattened first (`[*]`: 0, `[**]`: 1).
        flatten: u32,
        /// Stands for the member (CURRENT) in `filter` and `map`.
        current: VarId,
        /// Members to keep.
        filter: Option<Box<Expr>>,
        /// Offset and count.
        limit: Option<Box<(Expr, Expr)>>,
        /// Result for each member; the member itself if absent.
        map: Option<Box<Expr>>,
    },
    /// `source[? quantifier FILTER …]`: whether that many members match.
    QuestionMark {
        /// The array.
        source: Box<Expr>,
        /// How many levels of nested arrays are flattened first.
        flatten: u32,
        /// How many have to match.
        quantifier: ArrayQuantifier,
        /// Stands for the member (CURRENT) in `filter`.
        current: VarId,
        /// The condition; without it every member matches.
        filter: Option<Box<Expr>>,
    },
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+`: cast to number.
    Plus,
    /// `-`: negated number.
    Minus,
    /// `!`: negated truth.
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `IN`; false if the right side is no array
    In,
    /// `NOT IN`
    NotIn,
    /// `LIKE`
    Like,
    /// `NOT LIKE`
    NotLike,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
}

/// Quantifier of array comparisons.
#[derive(Clone, Debug)]
pub enum Quantifier {
    /// Every member.
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
    /// At least so many.
    AtLeast(Box<Expr>),
}

/// Quantifier of `[? …]`.
#[derive(Clone, Debug)]
pub enum ArrayQuantifier {
    /// At least one.
    Any,
    /// Every member.
    All,
    /// Not one.
    None,
    /// At least so many.
    AtLeast(Box<Expr>),
    /// Exactly so many (a number), or a count within (a range).
    Count(Box<Expr>),
    /// A count within both bounds, inclusive.
    Between(Box<Expr>, Box<Expr>),
}

/// Member of an object constructor.
#[derive(Clone, Debug)]
pub struct ObjectMember {
    /// The attribute name.
    pub key: ObjectKey,
    /// Its value.
    pub value: Expr,
}

/// Attribute name in an object constructor.
#[derive(Clone, Debug)]
pub enum ObjectKey {
    /// A fixed name.
    Name(Arc<str>),
    /// Computed and cast to a string.
    Computed(Expr),
}
