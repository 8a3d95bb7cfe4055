//! `type=` (the default): a line with an array of attribute names, then a line with an array of values a document.

use persea_vpack::{Builder, VPackBuf};

use super::lines::{split, trim};
use super::sink::Sink;
use crate::error::ApiError;
use crate::http::body::json_options;
use crate::http::request::Request;

/// A body with its header read.
pub struct Table<'r> {
    names: Vec<String>,
    /// What follows the header.
    rows: &'r [u8],
    /// Whether rows may have fewer or more values than there are names.
    ignore_missing: bool,
    /// The number of the line before the first row, for messages.
    line: u64,
}

impl Table<'_> {
    /// Reads the header.
    ///
    /// # Errors
    /// 400 when the first line is no array of names, or the only one.
    pub fn of(request: &Request) -> Result<Table<'_>, ApiError> {
        let body: &[u8] = &request.body;
        let end = body.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| ApiError::bad_request("no JSON array found in second line"))?;
        let (header, rows) = body.split_at_checked(end).unwrap_or((body, &[]));
        Ok(Table {
            names: names(header)
                .ok_or_else(|| ApiError::bad_request("no JSON string array found in first line"))?,
            rows: rows.get(1..).unwrap_or_default(),
            ignore_missing: request.query.flag("ignoreMissing", false),
            line: request.query.get("line").and_then(|line| line.parse().ok()).unwrap_or(0),
        })
    }

    /// Reads the rows. Null values leave their attribute out.
    ///
    /// # Errors
    /// The import's, when it has to stop.
    pub fn read(&self, sink: &mut Sink) -> Result<(), ApiError> {
        let mut parser = persea_json::Parser::new(json_options());
        for (number, line) in (1..).zip(split(self.rows)) {
            let position = self.line.saturating_add(number);
            let line = trim(line);
            if line.is_empty() {
                sink.add_empty();
                continue;
            }
            match parser.parse(line) {
                Ok(row) => self.add(&row, position, sink)?,
                Err(_) => sink.add_malformed(position, line)?,
            }
        }
        Ok(())
    }

    fn add(&self, row: &VPackBuf, position: u64, sink: &mut Sink) -> Result<(), ApiError> {
        let row = row.as_slice();
        if !row.is_array() {
            return sink.add_error(position, 10, "no valid JSON array data");
        }
        let (n_values, n_names) = (row.len(), self.names.len());
        if n_values != n_names && !self.ignore_missing {
            let text = format!("wrong number of JSON values (got {n_values}, expected {n_names})");
            return sink.add_error(position, 10, &text);
        }
        let mut builder = Builder::new();
        builder.open_object();
        for (name, value) in self.names.iter().zip(row.array_iter()) {
            if !value.is_null() {
                builder.key(name);
                builder.add_slice(value);
            }
        }
        builder.close();
        sink.add(position, builder.finish().map_err(persea::Error::from)?.as_slice())
    }
}

/// The names that a line holds, unless it holds none or something else.
fn names(line: &[u8]) -> Option<Vec<String>> {
    let header = persea_json::Parser::new(json_options()).parse(trim(line)).ok()?;
    let header = header.as_slice();
    let names = header.array_iter().map(|name| name.as_str().map(str::to_owned));
    names.collect::<Option<Vec<_>>>().filter(|names| header.is_array() && !names.is_empty())
}
