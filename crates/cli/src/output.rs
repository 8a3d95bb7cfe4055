//! What commands print: tables for people, one JSON object for programs.

use std::io::{ErrorKind, Write};

use persea_vpack::VPackBuf;

/// Prints a text. Whoever reads may have seen enough before the end.
///
/// # Errors
/// When it can't be written.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}

/// Prints a value as one line of JSON.
///
/// # Errors
/// When it can't be written.
pub fn print_json(value: &VPackBuf) -> anyhow::Result<()> {
    print(&format!("{}\n", persea_json::to_string(value.as_slice())))
}

/// Lays rows out in columns as wide as what they hold; the first row is the heading. Columns of numbers are aligned at
/// the right.
pub fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let are_numbers: [bool; N] = std::array::from_fn(|column| {
        rows.len() > 1 && rows.iter().skip(1).all(|row| is_number(&row[column]))
    });
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .zip(are_numbers)
            .map(|((cell, width), is_number)| match is_number {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}"),
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A number of bytes for people: `1.5 MiB`.
pub fn bytes(number: u64) -> String {
    indicatif::BinaryBytes(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_line_up() {
        let rows = [["name", "count"], ["documents", "7"], ["x", "1000"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows), "name       count\ndocuments      7\nx           1000\n");
    }
}
