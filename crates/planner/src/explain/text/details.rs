//! What follows the plan table: indexes used, traversals, rules applied.

use super::super::expression_text::text;
use super::super::nodes::{Row, RowKind};
use super::table::{Align, Table};
use crate::plan::{NodeKind, Plan};

pub(super) fn write_indexes(out: &mut String, plan: &Plan, rows: &[Row<'_>]) {
    let mut table = Table::new(&[
        ("By", Align::Right),
        ("Name", Align::Left),
        ("Type", Align::Left),
        ("Collection", Align::Left),
        ("Unique", Align::Left),
        ("Sparse", Align::Left),
        ("Selectivity", Align::Right),
        ("Fields", Align::Left),
        ("Ranges", Align::Left),
    ]);
    for row in rows {
        let RowKind::Node(node) = &row.kind else { continue };
        let NodeKind::Index(index) = &node.kind else { continue };
        let Some(meta) = plan.collection(&index.collection) else { continue };
        for (position, access) in index.accesses.iter().enumerate() {
            let Some(definition) = meta.indexes.iter().find(|definition| definition.id == access.index)
            else {
                continue;
            };
            let fields: Vec<String> =
                definition.fields.iter().map(|field| format!("`{}`", field.to_text())).collect();
            let selectivity = match (definition.unique, definition.selectivity) {
                (true, _) => "100.00 %".to_owned(),
                (false, Some(share)) => format!("{:.2} %", share * 100.0),
                (false, None) => "n/a".to_owned(),
            };
            let ranges = match index.condition.get(position) {
                Some(parts) => parts.iter().map(|part| text(plan, part)).collect::<Vec<_>>().join(" && "),
                None => "*".to_owned(),
            };
            table.row(vec![
                row.id.to_string(),
                definition.name.to_string(),
                definition.type_name.to_string(),
                index.collection.name.to_string(),
                definition.unique.to_string(),
                definition.sparse.to_string(),
                selectivity,
                format!("[ {} ]", fields.join(", ")),
                ranges,
            ]);
        }
    }
    out.push_str("\nIndexes used:\n");
    if table.is_empty() {
        out.push_str(" none\n");
    } else {
        table.write(out);
    }
}

pub(super) fn write_traversals(out: &mut String, plan: &Plan, rows: &[Row<'_>]) {
    let mut table = Table::new(&[
        ("Id", Align::Right),
        ("Depth", Align::Left),
        ("Vertex collections", Align::Left),
        ("Edge collections", Align::Left),
        ("Options", Align::Left),
        ("Filter / Prune Conditions", Align::Left),
    ]);
    for row in rows {
        let RowKind::Node(node) = &row.kind else { continue };
        let NodeKind::Traversal(traversal) = &node.kind else { continue };
        let names = |list: Vec<&str>| list.join(", ");
        let mut conditions: Vec<String> = traversal
            .conditions
            .iter()
            .map(|condition| format!("FILTER {}", text(plan, &condition.condition)))
            .collect();
        conditions
            .extend(traversal.prune.iter().map(|prune| format!("PRUNE {}", text(plan, &prune.condition))));
        let options = &traversal.options;
        table.row(vec![
            row.id.to_string(),
            format!("{}..{}", traversal.min_depth, traversal.max_depth),
            names(traversal.graph.vertices.iter().map(|vertex| &*vertex.name).collect()),
            names(traversal.graph.edges.iter().map(|(edge, _)| &*edge.name).collect()),
            format!(
                "uniqueVertices: {}, uniqueEdges: {}, order: {}",
                options.unique_vertices.as_str(),
                options.unique_edges.as_str(),
                options.order.as_str()
            ),
            conditions.join(", "),
        ]);
    }
    if !table.is_empty() {
        out.push_str("\nTraversals on graphs:\n");
        table.write(out);
    }
}

pub(super) fn write_rules(out: &mut String, plan: &Plan) {
    out.push_str("\nOptimization rules applied:\n");
    if plan.rules.is_empty() {
        out.push_str(" none\n");
        return;
    }
    let mut table = Table::new(&[("Id", Align::Right), ("RuleName", Align::Left)]);
    for (position, rule) in plan.rules.iter().enumerate() {
        table.row(vec![(position + 1).to_string(), (*rule).to_owned()]);
    }
    table.write(out);
}
