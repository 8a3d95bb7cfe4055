//! `type=documents`: one JSON object a line.

use super::is_blank;
use super::sink::Sink;
use crate::error::ApiError;
use crate::http::body::json_options;

/// Reads the lines; an empty line counts as empty, a malformed one as an error.
///
/// # Errors
/// The import's, when it has to stop.
pub fn read(body: &[u8], sink: &mut Sink) -> Result<(), ApiError> {
    let mut parser = persea_json::Parser::new(json_options());
    // What is left behind the last line end is a line only if there is something in it.
    let body = body.get(..end_of_lines(body)).unwrap_or(body);
    for (position, line) in (1..).zip(split(body)) {
        let line = trim(line);
        if line.is_empty() {
            sink.add_empty();
            continue;
        }
        match parser.parse(line) {
            Ok(value) => sink.add(position, value.as_slice())?,
            Err(_) => sink.add_malformed(position, line)?,
        }
    }
    Ok(())
}

fn end_of_lines(body: &[u8]) -> usize {
    let last_start = body.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let last = body.get(last_start..).unwrap_or_default();
    if last.iter().all(is_blank) { last_start } else { body.len() }
}

/// The lines of a body; the end of the last line opens no further one.
pub fn split(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_empty = body.is_empty();
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    body.split(|byte| *byte == b'\n').filter(move |_| !is_empty)
}

/// A line without what is blank around it.
pub fn trim(line: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !is_blank(byte);
    let Some(start) = line.iter().position(is_text) else { return &[] };
    let end = line.iter().rposition(is_text).map_or(start, |last| last + 1);
    line.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{end_of_lines, split, trim};

    #[test]
    fn lines() {
        assert_eq!(split(b"").count(), 0);
        assert_eq!(split(b"\n").count(), 1);
        assert_eq!(split(b"\n\n").count(), 2);
        assert_eq!(split(b"{}\n").count(), 1);
        assert_eq!(split(b"{}\n\n{}").collect::<Vec<_>>(), [b"{}".as_slice(), b"", b"{}"]);
    }

    #[test]
    fn ends() {
        for (body, end) in [("", 0), ("{}", 2), ("{}\n", 3), ("{}\n \t", 3), ("{}\n {}", 6), (" ", 0)] {
            assert_eq!(end_of_lines(body.as_bytes()), end, "{body:?}");
        }
    }

    #[test]
    fn trimming() {
        assert_eq!(trim(b" \t{ }\r"), b"{ }");
        assert_eq!(trim(b" \r"), b"");
    }
}
