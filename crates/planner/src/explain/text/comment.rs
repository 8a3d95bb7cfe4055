//! The comment column of the plan table: what each node does, as AQL would say it.

use std::fmt::Write;
use std::sync::Arc;

use super::super::expression_text::{expression_type, text, variable};
use super::super::nodes::{Row, RowKind, pipeline_rows};
use super::graph_comment::{enumerate_paths_comment, shortest_path_comment, traversal_comment};
use super::group_comment::{collect_comment, window_comment};
use crate::plan::{DocumentOutput, Expr, HashJoinNode, IndexNode, NodeKind, Plan, VarId};

pub(super) fn comment(plan: &Plan, row: &Row<'_>) -> String {
    match &row.kind {
        RowKind::Node(node) => node_comment(plan, &node.kind),
        RowKind::SubqueryStart(subquery) => {
            format!("LET {} = ( /* subquery begin */", variable(plan, subquery.out))
        }
        RowKind::SubqueryEnd(_, returned) => format!(
            "RETURN  {} ) /* subquery end */",
            returned.map_or_else(String::new, |var| variable(plan, var))
        ),
    }
}

fn node_comment(plan: &Plan, kind: &NodeKind) -> String {
    let name = |var: VarId| variable(plan, var);
    match kind {
        NodeKind::Singleton => "ROOT".into(),
        NodeKind::EnumerateCollection(scan) => {
            let mut notes = String::from("full collection scan");
            if scan.random {
                notes.push_str(", random order");
            }
            notes.push_str(&projections(&scan.output));
            if scan.count_into.is_some() {
                notes.push_str(", with count optimization");
            } else if scans_only(&scan.output) {
                notes.push_str(", scan only");
            }
            format!(
                "FOR {} IN {}   /* {notes}  */{}",
                name(scan.output.out),
                scan.collection.name,
                pruning(plan, scan.output.filter.as_ref())
            )
        }
        NodeKind::Index(index) => index_comment(plan, index),
        NodeKind::EnumerateList(list) => format!(
            "FOR {} IN {}   /* list iteration */{}",
            name(list.out),
            name(list.input),
            pruning(plan, list.filter.as_ref())
        ),
        NodeKind::Calculation(calculation) => {
            let constant =
                if matches!(calculation.expr, Expr::Const(_)) { "   /* const assignment */" } else { "" };
            format!(
                "LET {} = {}   /* {} expression */{constant}",
                name(calculation.out),
                text(plan, &calculation.expr),
                expression_type(&calculation.expr)
            )
        }
        NodeKind::Filter { input } => format!("FILTER {}", name(*input)),
        NodeKind::Limit(limit) => format!(
            "LIMIT {}, {}{}",
            limit.offset,
            limit.count,
            if limit.full_count { "  /* fullCount */" } else { "" }
        ),
        NodeKind::Sort(sort) => {
            let keys: Vec<String> = sort
                .keys
                .iter()
                .map(|key| format!("{} {}", name(key.var), if key.ascending { "ASC" } else { "DESC" }))
                .collect();
            let strategy = if sort.limit.is_some() { "constrained heap" } else { "standard" };
            format!("SORT {}   /* sorting strategy: {strategy} */", keys.join(", "))
        }
        NodeKind::Collect(collect) => collect_comment(plan, collect),
        NodeKind::Window(window) => window_comment(plan, window),
        NodeKind::Return { input } => format!("RETURN {}", name(*input)),
        NodeKind::NoResults => "EMPTY   /* empty result set */".into(),
        NodeKind::Subquery(subquery) => format!(
            "LET {} = ...   /* {}subquery */",
            name(subquery.out),
            if subquery.is_const { "const " } else { "" }
        ),
        NodeKind::Insert(node) => format!("INSERT {} IN {} ", name(node.input), node.collection.name),
        NodeKind::Update(node) => {
            change_comment(plan, "UPDATE", node.input_key, node.input_doc, &node.collection.name)
        }
        NodeKind::Replace(node) => {
            change_comment(plan, "REPLACE", node.input_key, node.input_doc, &node.collection.name)
        }
        NodeKind::Remove(node) => format!("REMOVE {} IN {} ", name(node.input), node.collection.name),
        NodeKind::Upsert(node) => format!(
            "UPSERT {} INSERT {} {} {} IN {} ",
            name(node.input_doc),
            name(node.insert),
            if node.is_replace { "REPLACE" } else { "UPDATE" },
            name(node.update),
            node.collection.name
        ),
        NodeKind::Traversal(node) => traversal_comment(plan, node),
        NodeKind::ShortestPath(node) => shortest_path_comment(plan, node),
        NodeKind::EnumeratePaths(node) => enumerate_paths_comment(plan, node),
        NodeKind::HashJoin(join) => join_comment(plan, join),
    }
}

fn projections(output: &DocumentOutput) -> String {
    if output.projections.is_empty() {
        return String::new();
    }
    let paths: Vec<String> =
        output.projections.iter().map(|projection| attribute_path(&projection.path)).collect();
    format!(", projections: {}", paths.join(", "))
}

fn attribute_path(path: &[Arc<str>]) -> String {
    path.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(".")
}

fn scans_only(output: &DocumentOutput) -> bool {
    !output.produces_document && output.projections.is_empty() && output.filter.is_none()
}

fn pruning(plan: &Plan, filter: Option<&Expr>) -> String {
    filter
        .map_or_else(String::new, |filter| format!("   FILTER {}   /* early pruning */", text(plan, filter)))
}

fn index_comment(plan: &Plan, index: &IndexNode) -> String {
    let mut kinds: Vec<&str> = index.accesses.iter().map(|access| access.kind.as_str()).collect();
    kinds.dedup();
    let mut notes = String::new();
    if !index.ascending {
        notes.push_str("reverse ");
    }
    let _ = write!(notes, "{} index scan", kinds.join(", "));
    if index.count_into.is_some() {
        notes.push_str(", with count optimization");
    } else if scans_only(&index.output) {
        notes.push_str(", scan only");
    } else if index.covering {
        notes.push_str(", index only");
    }
    notes.push_str(&projections(&index.output));
    let filter = pruning(plan, index.output.filter.as_ref());
    let end = if filter.is_empty() { "    ".to_owned() } else { filter };
    format!("FOR {} IN {}   /* {notes} */{end}", variable(plan, index.output.out), index.collection.name)
}

fn join_comment(plan: &Plan, join: &HashJoinNode) -> String {
    let source = pipeline_rows(&join.build, false)
        .into_iter()
        .find_map(|row| match row.kind {
            RowKind::Node(node) if crate::flow::is_loop(&node.kind) => Some(node_comment(plan, &node.kind)),
            _ => None,
        })
        .unwrap_or_default();
    let keys: Vec<String> = join
        .build_keys
        .iter()
        .zip(&join.probe_keys)
        .map(|(build, probe)| format!("({} == {})", text(plan, build), text(plan, probe)))
        .collect();
    format!("{}   /* hash join: {} */", source.trim_end(), keys.join(" && "))
}

fn change_comment(
    plan: &Plan,
    keyword: &str,
    key: Option<VarId>,
    document: VarId,
    collection: &str,
) -> String {
    match key {
        Some(key) => {
            format!("{keyword} {} WITH {} IN {collection} ", variable(plan, key), variable(plan, document))
        }
        None => format!("{keyword} {} IN {collection} ", variable(plan, document)),
    }
}
