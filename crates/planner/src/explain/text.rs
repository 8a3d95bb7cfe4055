//! Explain as text, for the shell: query, plan table, indexes used, rules applied.

use std::fmt::Write;

use super::expression_text::{expression_type, text, variable, write_value};
use super::nodes::{Row, RowKind, pipeline_rows, row_type_name, rows, type_name};
use crate::plan::{
    Aggregate, CollectContent, CollectNode, DocumentOutput, Expr, GraphSource, HashJoinNode, IndexNode,
    NodeKind, PathParts, Plan, TraversalNode, VarId, WindowBounds, WindowNode,
};
use crate::planner::Planned;

/// Characters in a line of query text.
const LINE_CHARS_MAX: usize = 100;

/// How much of query and plan is shown.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// Longer query texts are cut in the middle.
    pub query_chars_max: usize,
    /// Longer plans are cut at the end.
    pub rows_max: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { query_chars_max: 4096, rows_max: usize::MAX }
    }
}

/// The text form of an explained query.
#[must_use]
pub fn explain_text(query: &str, planned: &Planned, options: &TextOptions) -> String {
    let mut out = String::new();
    write_query(&mut out, query, planned.plan.cacheable, options);
    if planned.alternatives.is_empty() {
        out.push_str("\nExecution plan:\n");
        write_plan(&mut out, &planned.plan, options);
    } else {
        let total = planned.alternatives.len() + 1;
        for (position, plan) in std::iter::once(&planned.plan).chain(&planned.alternatives).enumerate() {
            let _ = writeln!(
                out,
                "\nPlan #{} of {total} (estimated cost: {:.2})",
                position + 1,
                plan.estimated_cost()
            );
            write_plan(&mut out, plan, options);
        }
    }
    let _ = writeln!(
        out,
        "\n{} rule(s) executed, {} plan(s) created",
        planned.stats.rules_executed, planned.stats.plans_created
    );
    if !planned.warnings.is_empty() {
        out.push_str("\nWarnings:\n");
        let mut table = Table::new(&[("Code", Align::Right), ("Message", Align::Left)]);
        for (number, message) in &planned.warnings {
            table.row(vec![number.to_string(), message.clone()]);
        }
        table.write(&mut out);
    }
    out
}

fn write_query(out: &mut String, query: &str, cacheable: bool, options: &TextOptions) {
    let characters: Vec<char> = query.chars().collect();
    let total = characters.len();
    let cut = total > options.query_chars_max;
    let _ = writeln!(
        out,
        "Query String ({total} chars, cacheable: {cacheable}){}:",
        if cut { " - truncated..." } else { "" }
    );
    let shown: String = if cut {
        let half = options.query_chars_max / 2;
        let head = characters.iter().take(half);
        let tail = characters.iter().skip(total.saturating_sub(half));
        head.chain([' ', '.', '.', '.', ' '].iter()).chain(tail).collect()
    } else {
        query.to_owned()
    };
    for line in shown.lines() {
        let characters: Vec<char> = line.chars().collect();
        if characters.is_empty() {
            out.push_str(" \n");
        }
        for part in characters.chunks(LINE_CHARS_MAX) {
            let _ = writeln!(out, " {}", part.iter().collect::<String>());
        }
    }
}

#[derive(Clone, Copy)]
enum Align {
    Left,
    Right,
}

/// Columns separated by three blanks, as wide as their widest entry.
struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    fn row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn write(&self, out: &mut String) {
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(column, (title, _))| {
                let longest = self
                    .rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|entry| entry.chars().count())
                    .max();
                longest.unwrap_or(0).max(title.len())
            })
            .collect();
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| (*title).to_owned()).collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let last = row.len().saturating_sub(1);
            for (column, ((entry, width), (_, align))) in
                row.iter().zip(&widths).zip(&self.columns).enumerate()
            {
                out.push_str(if column == 0 { " " } else { "   " });
                let _ = match align {
                    Align::Right => write!(out, "{entry:>width$}"),
                    Align::Left if column == last => write!(out, "{entry}"),
                    Align::Left => write!(out, "{entry:<width$}"),
                };
            }
            out.push('\n');
        }
    }
}

fn write_plan(out: &mut String, plan: &Plan, options: &TextOptions) {
    let rows = rows(plan);
    let mut table = Table::new(&[
        ("Id", Align::Right),
        ("NodeType", Align::Left),
        ("Est.", Align::Right),
        ("Comment", Align::Left),
    ]);
    let mut level = 0usize;
    let mut outer_levels = Vec::new();
    for (position, row) in rows.iter().enumerate() {
        if position >= options.rows_max {
            break;
        }
        if let RowKind::SubqueryEnd(..) = row.kind
            && let Some(outer) = outer_levels.pop()
        {
            level = outer + 1;
        }
        let comment = comment(plan, row);
        let marked = if position == 0 { format!("* {comment}") } else { format!("- {comment}") };
        table.row(vec![
            row.id.to_string(),
            row_type_name(&row.kind).to_owned(),
            format!("{:.0}", row.items),
            format!("{}{marked}", "  ".repeat(level)),
        ]);
        match &row.kind {
            RowKind::SubqueryStart(_) => {
                outer_levels.push(level);
                level += 1;
            }
            RowKind::SubqueryEnd(..) => level = level.saturating_sub(1),
            RowKind::Node(node) if position == 0 || crate::flow::is_loop(&node.kind) => level += 1,
            RowKind::Node(_) => {}
        }
    }
    table.write(out);
    if rows.len() > options.rows_max {
        let _ = writeln!(out, " ... {} more node(s)", rows.len() - options.rows_max);
    }
    write_indexes(out, plan, &rows);
    write_traversals(out, plan, &rows);
    write_rules(out, plan);
}

fn comment(plan: &Plan, row: &Row<'_>) -> String {
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
        NodeKind::ShortestPath(node) => {
            let outs = outs(plan, [(node.vertex_out, "vertex"), (node.edge_out, "edge"), (None, "")]);
            format!(
                "FOR {outs} IN {} SHORTEST_PATH {} /* startnode */ TO {} /* targetnode */ {}",
                node.graph.direction.as_str(),
                vertex(plan, &node.start),
                vertex(plan, &node.target),
                graph(&node.graph)
            )
        }
        NodeKind::EnumeratePaths(node) => {
            let outs = outs(plan, [(node.path_out, "path"), (None, ""), (None, "")]);
            let keyword = match node.kind {
                crate::plan::PathsKind::KShortestPaths => "K_SHORTEST_PATHS",
                crate::plan::PathsKind::KPaths => "K_PATHS",
                crate::plan::PathsKind::AllShortestPaths => "ALL_SHORTEST_PATHS",
            };
            format!(
                "FOR {outs} IN {} {keyword} {} /* startnode */ TO {} /* targetnode */ {}",
                node.graph.direction.as_str(),
                vertex(plan, &node.start),
                vertex(plan, &node.target),
                graph(&node.graph)
            )
        }
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

fn attribute_path(path: &[std::sync::Arc<str>]) -> String {
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

fn aggregates(plan: &Plan, list: &[Aggregate]) -> String {
    let shown: Vec<String> = list
        .iter()
        .map(|aggregate| {
            let argument = aggregate.input.map_or_else(String::new, |input| variable(plan, input));
            format!("{} = {}({argument})", variable(plan, aggregate.out), aggregate.function)
        })
        .collect();
    shown.join(", ")
}

fn collect_comment(plan: &Plan, collect: &CollectNode) -> String {
    let mut out = String::from("COLLECT");
    let groups: Vec<String> = collect
        .groups
        .iter()
        .map(|group| format!("{} = {}", variable(plan, group.out), variable(plan, group.input)))
        .collect();
    if !groups.is_empty() {
        let _ = write!(out, " {}", groups.join(", "));
    }
    if !collect.aggregates.is_empty() {
        let _ = write!(out, " AGGREGATE {}", aggregates(plan, &collect.aggregates));
    }
    if let Some(into) = &collect.into {
        let _ = write!(out, " INTO {}", variable(plan, into.out));
        match &into.content {
            CollectContent::Value(var) => {
                let _ = write!(out, " = {}", variable(plan, *var));
            }
            CollectContent::Variables(variables) => {
                let names: Vec<&str> = variables.iter().map(|(name, _)| &**name).collect();
                let _ = write!(out, " KEEP {}", names.join(", "));
            }
        }
    }
    let _ = write!(out, "   /* {} */", collect.method.as_str());
    out
}

fn window_comment(plan: &Plan, window: &WindowNode) -> String {
    let bound =
        |bound: Option<u64>| bound.map_or_else(|| "\"unbounded\"".to_owned(), |rows| rows.to_string());
    let (preceding, following) = match &window.bounds {
        WindowBounds::Rows { preceding, following } => (bound(*preceding), bound(*following)),
        WindowBounds::Range { preceding, following } => (preceding.to_string(), following.to_string()),
        WindowBounds::Duration { preceding, following } => {
            (format!("\"{preceding}\""), format!("\"{following}\""))
        }
    };
    let range = window.range.map_or_else(String::new, |var| format!("{} WITH ", variable(plan, var)));
    format!(
        "WINDOW {range}{{ preceding: {preceding}, following: {following} }} AGGREGATE {}",
        aggregates(plan, &window.aggregates)
    )
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
                        format!("{} {}", direction.as_str(), edge.name)
                    }
                })
                .collect();
            edges.join(", ")
        }
    }
}

fn traversal_comment(plan: &Plan, node: &TraversalNode) -> String {
    let parts = path_label(node.path_parts);
    let outs =
        outs(plan, [(node.vertex_out, "vertex"), (node.edge_out, "edge"), (node.path_out, parts.as_str())]);
    format!(
        "FOR {outs} IN {}..{}  /* min..maxPathDepth */ {} {} /* startnode */  {} /* order: {} */",
        node.min_depth,
        node.max_depth,
        node.graph.direction.as_str(),
        vertex(plan, &node.start),
        graph(&node.graph),
        node.options.order.as_str()
    )
}

fn path_label(parts: PathParts) -> String {
    let names: Vec<&str> = [(parts.vertices, "vertices"), (parts.edges, "edges")]
        .into_iter()
        .filter_map(|(used, name)| used.then_some(name))
        .collect();
    format!("paths: {}", names.join(", "))
}

fn write_indexes(out: &mut String, plan: &Plan, rows: &[Row<'_>]) {
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
    if table.rows.is_empty() {
        out.push_str(" none\n");
    } else {
        table.write(out);
    }
}

fn write_traversals(out: &mut String, plan: &Plan, rows: &[Row<'_>]) {
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
    if !table.rows.is_empty() {
        out.push_str("\nTraversals on graphs:\n");
        table.write(out);
    }
}

fn write_rules(out: &mut String, plan: &Plan) {
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

/// The type name of a node, as in explain output: `EnumerateCollectionNode` and so on.
#[must_use]
pub fn node_type_name(kind: &NodeKind) -> &'static str {
    type_name(kind)
}
