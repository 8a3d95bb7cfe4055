//! One JSON value a line, read without holding more than one line.

use std::io::{BufRead, Read};

use persea_vpack::VPackBuf;

use crate::{Error, Options, Parser, VALUE_BYTES_MAX};

/// Reads values that stand on a line each (NDJSON, JSON lines). Blank lines are skipped.
pub fn lines<R: BufRead>(reader: R) -> Lines<R> {
    Lines::new(reader, Options::default())
}

/// Values with the number of their line, counted from 1.
///
/// A line that is no JSON gives an error and reading goes on with the next one; when reading itself fails, that
/// error is the last item.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    parser: Parser,
    line: Vec<u8>,
    line_number: usize,
    line_bytes_max: usize,
    failed: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines with options of their own.
    pub fn new(reader: R, options: Options) -> Lines<R> {
        let parser = Parser::new(options);
        let line_bytes_max = VALUE_BYTES_MAX;
        Lines { reader, parser, line: Vec::new(), line_number: 0, line_bytes_max, failed: false }
    }

    /// The same stream with another limit on the length of a line.
    #[must_use]
    pub fn with_line_bytes_max(mut self, line_bytes_max: usize) -> Lines<R> {
        self.line_bytes_max = line_bytes_max;
        self
    }

    /// Reads the next line; false at the end.
    fn read_line(&mut self) -> Result<bool, Error> {
        self.line.clear();
        let limit = self.line_bytes_max as u64 + 1;
        let read = self.reader.by_ref().take(limit).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(false);
        }
        self.line_number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() > self.line_bytes_max {
            self.reader.skip_until(b'\n')?;
            self.line = Vec::new();
            return Err(Error::TooLong { position: 0, bytes_max: self.line_bytes_max });
        }
        Ok(true)
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = (usize, Result<VPackBuf, Error>);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            match self.read_line() {
                Ok(false) => return None,
                Ok(true) if self.line.trim_ascii().is_empty() => {}
                Ok(true) => return Some((self.line_number, self.parser.parse(&self.line))),
                Err(error) => {
                    self.failed = matches!(error, Error::Io(_));
                    return Some((self.line_number, Err(error)));
                }
            }
        }
        None
    }
}
