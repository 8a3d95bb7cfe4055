//! Explain as text, for the shell: query, plan table, indexes used, rules applied.

mod comment;
mod details;
mod graph_comment;
mod group_comment;
mod table;

use std::fmt::Write;

use self::comment::comment;
use self::details::{write_indexes, write_rules, write_traversals};
use self::table::{Align, Table};
use super::nodes::{RowKind, row_type_name, rows};
use crate::plan::Plan;
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
