//! The comments of traversals and path searches.

use super::super::expression_text::{text, variable, write_value};
use crate::plan::{
    EnumeratePathsNode, Expr, GraphSource, PathParts, PathsKind, Plan, ShortestPathNode, TraversalNode, VarId,
};

pub(super) fn traversal_comment(plan: &Plan, node: &TraversalNode) -> String {
    let parts = path_label(node.path_parts);
    let outs =
        outs(plan, [(node.vertex_out, "vertex"), (node.edge_out, "edge"), (node.path_out, parts.as_str())]);
    format!(
        "FOR {outs} IN {}..{}  /* min..maxPathDepth */ {} {} /* startnode */  {} /* order: {} */",
        node.min_depth,
        node.max_depth,
        node.graph.direction.keyword(),
        vertex(plan, &node.start),
        graph(&node.graph),
        node.options.order.as_str()
    )
}

pub(super) fn shortest_path_comment(plan: &Plan, node: &ShortestPathNode) -> String {
    let outs = outs(plan, [(node.vertex_out, "vertex"), (node.edge_out, "edge"), (None, "")]);
    format!(
        "FOR {outs} IN {} SHORTEST_PATH {} /* startnode */ TO {} /* targetnode */ {}",
        node.graph.direction.keyword(),
        vertex(plan, &node.start),
        vertex(plan, &node.target),
        graph(&node.graph)
    )
}

pub(super) fn enumerate_paths_comment(plan: &Plan, node: &EnumeratePathsNode) -> String {
    let outs = outs(plan, [(node.path_out, "path"), (None, ""), (None, "")]);
    let keyword = match node.kind {
        PathsKind::KShortestPaths => "K_SHORTEST_PATHS",
        PathsKind::KPaths => "K_PATHS",
        PathsKind::AllShortestPaths => "ALL_SHORTEST_PATHS",
    };
    format!(
        "FOR {outs} IN {} {keyword} {} /* startnode */ TO {} /* targetnode */ {}",
        node.graph.direction.keyword(),
        vertex(plan, &node.start),
        vertex(plan, &node.target),
        graph(&node.graph)
    )
}

fn outs(plan: &Plan, outs: [(Option<VarId>, &str); 3]) -> String {
    let shown: Vec<String> = outs
        .iter()
        .filter_map(|(out, label)| out.map(|var| format!("{}  /* {label} */", variable(plan, var))))
        .collect();
    if shown.is_empty() { "  /* nothing */".to_owned() } else { shown.join(", ") }
}

fn vertex(plan: &Plan, expr: &Expr) -> String {
    match expr {
        Expr::Const(value) => match value.as_slice().as_str() {
            Some(id) => format!("'{id}'"),
            None => {
                let mut out = String::new();
                write_value(&mut out, value.as_slice());
                out
            }
        },
        other => text(plan, other),
    }
}

fn graph(graph: &GraphSource) -> String {
    match &graph.name {
        Some(name) => format!("GRAPH '{name}'"),
        None => {
            let edges: Vec<String> = graph
                .edges
                .iter()
                .map(|(edge, direction)| {
                    if *direction == graph.direction {
                        edge.name.to_string()
                    } else {
                        format!("{} {}", direction.keyword(), edge.name)
                    }
                })
                .collect();
            edges.join(", ")
        }
    }
}

fn path_label(parts: PathParts) -> String {
    let names: Vec<&str> = [(parts.vertices, "vertices"), (parts.edges, "edges")]
        .into_iter()
        .filter_map(|(used, name)| used.then_some(name))
        .collect();
    format!("paths: {}", names.join(", "))
}
