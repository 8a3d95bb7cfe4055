//! Tables of plain text.

use std::fmt::Write;

/// On which side the entries of a column stand.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Right,
}

/// Columns separated by three blanks, as wide as their widest entry.
pub(super) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn write(&self, out: &mut String) {
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
