//! The list of nodes as explain shows it: subqueries spliced into their surroundings where the plan asks for it.

use crate::plan::{Node, NodeKind, Pipeline, Plan, SubqueryNode, VarId};

/// A row of explain output.
pub(super) struct Row<'a> {
    pub(super) id: u32,
    pub(super) cost: f64,
    pub(super) items: f64,
    pub(super) dependency: Option<u32>,
    pub(super) kind: RowKind<'a>,
}

/// What a row shows.
pub(super) enum RowKind<'a> {
    /// A node of the plan.
    Node(&'a Node),
    /// A spliced subquery begins.
    SubqueryStart(&'a SubqueryNode),
    /// A spliced subquery ends; with the variable it returns.
    SubqueryEnd(&'a SubqueryNode, Option<VarId>),
}

/// All rows of a plan in the order of execution.
pub(super) fn rows(plan: &Plan) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    add_pipeline(&plan.root, plan.spliced, &mut rows);
    rows
}

/// The rows of a nested plan.
pub(super) fn pipeline_rows(pipeline: &Pipeline, spliced: bool) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    add_pipeline(pipeline, spliced, &mut rows);
    rows
}

fn add_pipeline<'a>(pipeline: &'a Pipeline, spliced: bool, rows: &mut Vec<Row<'a>>) {
    for node in &pipeline.nodes {
        match &node.kind {
            NodeKind::Subquery(subquery) if spliced => add_subquery(node, subquery, rows),
            _ => push(rows, node.id.0, node.estimated_cost, node.estimated_items, RowKind::Node(node)),
        }
    }
}

fn push<'a>(rows: &mut Vec<Row<'a>>, id: u32, cost: f64, items: f64, kind: RowKind<'a>) {
    let dependency = rows.last().map(|row| row.id);
    rows.push(Row { id, cost, items, dependency, kind });
}

/// A subquery's own Singleton and Return become its begin and end.
fn add_subquery<'a>(node: &'a Node, subquery: &'a SubqueryNode, rows: &mut Vec<Row<'a>>) {
    let (outer_cost, outer_items) = rows.last().map_or((0.0, 1.0), |row| (row.cost, row.items));
    let first = rows.len();
    let start = subquery.pipeline.nodes.first().map_or(node.id.0, |node| node.id.0);
    push(rows, start, outer_cost, outer_items, RowKind::SubqueryStart(subquery));
    let inner = pipeline_rows(&subquery.pipeline, true);
    let mut returned = None;
    for row in inner {
        match row.kind {
            RowKind::Node(Node { kind: NodeKind::Singleton, .. }) => {}
            RowKind::Node(Node { kind: NodeKind::Return { input }, .. }) => returned = Some(*input),
            kind => push(rows, row.id, outer_cost + outer_items * row.cost, outer_items * row.items, kind),
        }
    }
    debug_assert!(rows.len() > first);
    push(
        rows,
        node.id.0,
        node.estimated_cost,
        node.estimated_items,
        RowKind::SubqueryEnd(subquery, returned),
    );
}

/// The type name of a node, as in explain output: `EnumerateCollectionNode` and so on.
#[must_use]
pub fn node_type_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Singleton => "SingletonNode",
        NodeKind::EnumerateCollection(_) => "EnumerateCollectionNode",
        NodeKind::Index(_) => "IndexNode",
        NodeKind::EnumerateList(_) => "EnumerateListNode",
        NodeKind::Calculation(_) => "CalculationNode",
        NodeKind::Filter { .. } => "FilterNode",
        NodeKind::Limit(_) => "LimitNode",
        NodeKind::Sort(_) => "SortNode",
        NodeKind::Collect(_) => "CollectNode",
        NodeKind::Window(_) => "WindowNode",
        NodeKind::Return { .. } => "ReturnNode",
        NodeKind::NoResults => "NoResultsNode",
        NodeKind::Subquery(_) => "SubqueryNode",
        NodeKind::Insert(_) => "InsertNode",
        NodeKind::Update(_) => "UpdateNode",
        NodeKind::Replace(_) => "ReplaceNode",
        NodeKind::Remove(_) => "RemoveNode",
        NodeKind::Upsert(_) => "UpsertNode",
        NodeKind::Traversal(_) => "TraversalNode",
        NodeKind::ShortestPath(_) => "ShortestPathNode",
        NodeKind::EnumeratePaths(_) => "EnumeratePathsNode",
        NodeKind::HashJoin(_) => "HashJoinNode",
    }
}

/// The type name of a row.
pub(super) fn row_type_name(kind: &RowKind<'_>) -> &'static str {
    match kind {
        RowKind::Node(node) => node_type_name(&node.kind),
        RowKind::SubqueryStart(_) => "SubqueryStartNode",
        RowKind::SubqueryEnd(..) => "SubqueryEndNode",
    }
}
