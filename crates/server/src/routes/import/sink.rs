//! Where what was read goes: into the import, or into its errors, with ArangoDB's messages.
//!
//! Positions are ArangoDB's too: what can't be read is told by its line or by its place in the array, from 1 on; what can't be
//! written by its place among the documents that were read, from 0 on.

use persea::{Import, ImportReport};
use persea_vpack::Slice;

use super::edges::Prefixes;
use crate::error::ApiError;
use crate::http::request::Request;

/// An import with what happens to each document first.
pub struct Sink {
    import: Import,
    prefixes: Prefixes,
    is_edge: bool,
    n_documents: u64,
}

impl Sink {
    /// A sink for documents, or for edges, which have their ends completed.
    pub fn new(import: Import, request: &Request, is_edge: bool) -> Sink {
        Sink { import, prefixes: Prefixes::of(request), is_edge, n_documents: 0 }
    }

    /// Adds one value; what is no object, or an edge without ends, is an error of its own.
    ///
    /// # Errors
    /// The import's, when it has to stop.
    pub fn add(&mut self, position: u64, value: Slice<'_>) -> Result<(), ApiError> {
        if !value.is_object() {
            let shown = Import::shown(value);
            let text = format!("invalid JSON type (expecting object), offending document: {shown}");
            return self.add_error(position, 1227, &text);
        }
        if !self.is_edge {
            return self.push(value);
        }
        let completed = self.prefixes.apply(value)?;
        let edge = completed.as_ref().map_or(value, persea_vpack::VPackBuf::as_slice);
        let has_end = |name| edge.get(name).is_some_and(|end| end.as_str().is_some());
        if has_end("_from") && has_end("_to") {
            return self.push(edge);
        }
        let shown = Import::shown(edge);
        self.add_error(
            position,
            1233,
            &format!("missing '_from' or '_to' attribute, offending document: {shown}"),
        )
    }

    fn push(&mut self, document: Slice<'_>) -> Result<(), ApiError> {
        let position = self.n_documents;
        self.n_documents += 1;
        Ok(self.import.push(position, document)?)
    }

    /// Counts an empty line.
    pub fn add_empty(&mut self) {
        self.import.push_empty();
    }

    /// Counts a line that is no JSON.
    ///
    /// # Errors
    /// As [`add`](Sink::add).
    pub fn add_malformed(&mut self, position: u64, line: &[u8]) -> Result<(), ApiError> {
        let shown = Import::shown_text(line);
        let text =
            format!("invalid JSON type (expecting object, probably parse error), offending context: {shown}");
        self.add_error(position, 600, &text)
    }

    /// Counts something that is no document, for which a complete import ends with this number.
    ///
    /// # Errors
    /// As [`add`](Sink::add).
    pub fn add_error(&mut self, position: u64, number: u16, text: &str) -> Result<(), ApiError> {
        let message = format!("at position {position}: {text}");
        let error = persea::Error::with_number(number, message.as_str());
        Ok(self.import.push_error(error, message)?)
    }

    /// Writes what waits and tells what the import did.
    ///
    /// # Errors
    /// The import's.
    pub fn finish(self) -> Result<ImportReport, ApiError> {
        Ok(self.import.finish()?)
    }
}
