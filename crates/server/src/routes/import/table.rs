//! `type=` (the default): a line with an array of attribute names, then a line with an array of values a document.

use persea::Import;
use persea_vpack::{Builder, VPackBuf};

use super::edges::Prefixes;
use super::lines::split;
use super::push;
use crate::error::ApiError;
use crate::http::body::json_options;

/// Reads the table. Null values leave their attribute out.
///
/// # Errors
/// 400 when the first line is no array of names; the import's, when it has to stop at the first error.
pub fn read(
    body: &[u8],
    ignore_missing: bool,
    prefixes: &Prefixes,
    import: &mut Import,
) -> Result<(), ApiError> {
    let mut parser = persea_json::Parser::new(json_options());
    let mut names: Option<Vec<String>> = None;
    let mut position = 0;
    for line in split(body) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            import.push_empty();
            continue;
        }
        let value = parser.parse(line).ok().filter(|value| value.as_slice().is_array());
        let Some(names) = &names else {
            names = Some(header(value)?);
            continue;
        };
        position += 1;
        match value {
            Some(row) => {
                match document(names, &row, ignore_missing)? {
                    Some(document) => push(import, prefixes, position, &document)?,
                    None => {
                        let text = String::from_utf8_lossy(line);
                        import.push_error(
                        persea::Error::with_number(400, "wrong number of values"),
                        format!("at position {position}: wrong number of JSON values, offending context: {text}"),
                    )?;
                    }
                }
            }
            None => {
                let text = String::from_utf8_lossy(line);
                import.push_error(
                    persea::Error::with_number(600, "no valid JSON array"),
                    format!("at position {position}: no valid JSON array, offending context: {text}"),
                )?;
            }
        }
    }
    if names.is_none() {
        return Err(ApiError::bad_request("no JSON array found in first line"));
    }
    Ok(())
}

fn header(line: Option<VPackBuf>) -> Result<Vec<String>, ApiError> {
    let line = line.ok_or_else(|| ApiError::bad_request("no JSON array found in first line"))?;
    line.as_slice()
        .array_iter()
        .map(|name| name.as_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| ApiError::bad_request("the first line must hold attribute names only"))
}

/// The document of a row; none when the row has more values than names, or fewer and that isn't allowed.
fn document(names: &[String], row: &VPackBuf, ignore_missing: bool) -> Result<Option<VPackBuf>, ApiError> {
    let values = row.as_slice().len();
    if values > names.len() || (values < names.len() && !ignore_missing) {
        return Ok(None);
    }
    let mut builder = Builder::new();
    builder.open_object();
    for (name, value) in names.iter().zip(row.as_slice().array_iter()) {
        if !value.is_null() {
            builder.key(name);
            builder.add_slice(value);
        }
    }
    builder.close();
    Ok(Some(builder.finish().map_err(persea::Error::from)?))
}
