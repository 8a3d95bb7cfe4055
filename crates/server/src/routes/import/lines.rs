//! `type=documents`: one JSON object a line.

use persea::Import;

use super::edges::Prefixes;
use super::push;
use crate::error::ApiError;
use crate::http::body::json_options;

/// Reads the lines; an empty line counts as empty, a malformed one as an error.
///
/// # Errors
/// The import's, when it has to stop at the first error.
pub fn read(body: &[u8], prefixes: &Prefixes, import: &mut Import) -> Result<(), ApiError> {
    let mut parser = persea_json::Parser::new(json_options());
    for (position, line) in split(body).enumerate() {
        let position = position as u64;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            import.push_empty();
            continue;
        }
        match parser.parse(line) {
            Ok(value) => push(import, prefixes, position, &value)?,
            Err(error) => {
                let text = String::from_utf8_lossy(line);
                import.push_error(
                    persea::Error::with_number(600, error.to_string()),
                    format!("at position {position}: invalid JSON type (expecting object), offending context: {text}"),
                )?;
            }
        }
    }
    Ok(())
}

/// The lines of a body; the end of the last line opens no further one.
pub fn split(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    let is_empty = body.is_empty();
    body.split(|byte| *byte == b'\n').filter(move |_| !is_empty)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn lines() {
        assert_eq!(split(b"").count(), 0);
        assert_eq!(split(b"{}\n").count(), 1);
        assert_eq!(split(b"{}\n\n{}").collect::<Vec<_>>(), [b"{}".as_slice(), b"", b"{}"]);
    }
}
