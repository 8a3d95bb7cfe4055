//! The comments of COLLECT and WINDOW.

use std::fmt::Write;

use super::super::expression_text::variable;
use crate::plan::{Aggregate, CollectContent, CollectNode, Plan, WindowBounds, WindowNode};

pub(super) fn collect_comment(plan: &Plan, collect: &CollectNode) -> String {
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

pub(super) fn window_comment(plan: &Plan, window: &WindowNode) -> String {
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
