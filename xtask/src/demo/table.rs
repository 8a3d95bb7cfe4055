//! Rows of objects as a text table.

use serde_json::Value;

const CELL_WIDTH_MAX: usize = 44;

/// A table of these rows: objects get a column an attribute, other values one column.
pub fn rows(rows: &[Value]) -> String {
    let names: Vec<String> = match rows.first() {
        Some(Value::Object(first)) => first.keys().cloned().collect(),
        _ => vec!["value".to_owned()],
    };
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            names
                .iter()
                .map(|name| {
                    cell(row.as_object().map_or(row, |object| object.get(name).unwrap_or(&Value::Null)))
                })
                .collect()
        })
        .collect();
    let widths: Vec<usize> = (0..names.len())
        .map(|column| {
            cells
                .iter()
                .map(|row| row[column].chars().count())
                .chain([names[column].chars().count()])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    let mut text = line(&names, &widths);
    text.push_str(&line(&rule, &widths));
    for row in &cells {
        text.push_str(&line(row, &widths));
    }
    text
}

/// A query over several lines: a new one before each main keyword.
pub fn wrapped(query: &str) -> String {
    let mut text = String::from("  ");
    for word in query.split(' ') {
        let opens_line = matches!(word, "FOR" | "FILTER" | "SORT" | "COLLECT" | "RETURN" | "OPTIONS");
        if opens_line && text.trim().len() > 1 {
            text.push_str("\n  ");
        } else if !text.ends_with("  ") {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    if text.chars().count() <= CELL_WIDTH_MAX {
        return text;
    }
    text.chars().take(CELL_WIDTH_MAX - 1).chain(['…']).collect()
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        text.push_str("  ");
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', width - cell.chars().count()));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
