//! Documents that have the attribute values of an example: list, find the first, remove, replace, update.

use hyper::StatusCode;
use persea_vpack::{Slice, VPackBuf, to_vpack, vpack};

use super::{Call, any, list, missing};
use crate::error::ApiError;
use crate::http::response::Response;

/// `PUT /_api/simple/by-example`.
pub fn all(call: &Call<'_>) -> Result<Response, ApiError> {
    let example = Example::of(call)?;
    let text = format!("FOR d IN @@collection {} {} RETURN d", example.filter, list::limit(call)?);
    list::answer(call, &text, &example.binds())
}

/// `PUT /_api/simple/first-example`.
pub fn first(call: &Call<'_>) -> Result<Response, ApiError> {
    let example = Example::of(call)?;
    let text = format!("FOR d IN @@collection {} LIMIT 1 RETURN d", example.filter);
    let outcome = list::run(call, &text, &example.binds())?;
    let document = outcome.rows.get(0);
    any::answer(document.ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, 404, "no match"))?)
}

/// `PUT /_api/simple/remove-by-example`.
pub fn remove(call: &Call<'_>) -> Result<Response, ApiError> {
    let written = write(call, "REMOVE d IN @@collection", &[], &[])?;
    Ok(Response::envelope(StatusCode::OK, vpack!({ "deleted": written }).as_slice()))
}

/// `PUT /_api/simple/replace-by-example`.
pub fn replace(call: &Call<'_>) -> Result<Response, ApiError> {
    let new_value = call.object("newValue")?;
    let written = write(call, "REPLACE d WITH @newValue IN @@collection", &[("newValue", new_value)], &[])?;
    Ok(Response::envelope(StatusCode::OK, vpack!({ "replaced": written }).as_slice()))
}

/// `PUT /_api/simple/update-by-example`.
pub fn update(call: &Call<'_>) -> Result<Response, ApiError> {
    let new_value = call.object("newValue")?;
    let options = ["keepNull", "mergeObjects"];
    let written =
        write(call, "UPDATE d WITH @newValue IN @@collection", &[("newValue", new_value)], &options)?;
    Ok(Response::envelope(StatusCode::OK, vpack!({ "updated": written }).as_slice()))
}

/// Runs `operation` on what the example finds, and gives the number of documents that were written.
fn write(
    call: &Call<'_>,
    operation: &str,
    binds: &[(&str, Slice<'_>)],
    true_by_default: &[&str],
) -> Result<u64, ApiError> {
    let example = Example::of(call)?;
    let limit = match call.body().get("options").and_then(|options| options.get("limit")) {
        Some(limit) if !limit.is_null() => {
            format!("LIMIT {}", limit.as_u64().ok_or_else(|| missing("limit"))?)
        }
        _ => list::limit(call)?,
    };
    let mut options = format!("waitForSync: {}", call.flag("waitForSync", false));
    for name in true_by_default {
        options.push_str(&format!(", {name}: {}", call.flag(name, true)));
    }
    let text =
        format!("FOR d IN @@collection {} {limit} {operation} OPTIONS {{ {options} }}", example.filter);
    let mut all_binds = example.binds();
    all_binds.extend(binds.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    let outcome = list::run(call, &text, &all_binds)?;
    let stats = outcome.extra.as_slice().get("stats");
    Ok(stats.and_then(|stats| stats.get("writesExecuted")).and_then(|count| count.as_u64()).unwrap_or(0))
}

/// An example as a FILTER with bind parameters: `a0` and on for the paths, `v0` and on for the values.
struct Example<'a> {
    filter: String,
    paths: Vec<VPackBuf>,
    values: Vec<Slice<'a>>,
}

impl<'a> Example<'a> {
    fn of(call: &'a Call<'_>) -> Result<Example<'a>, ApiError> {
        let mut example = Example { filter: String::new(), paths: Vec::new(), values: Vec::new() };
        for (position, (name, value)) in call.object("example")?.object_iter().enumerate() {
            let word = if position == 0 { "FILTER" } else { " AND" };
            example.filter.push_str(&format!("{word} d.@a{position} == @v{position}"));
            // Dots lead into nested objects.
            let path: Vec<&str> = name.split('.').collect();
            example.paths.push(to_vpack(&path).map_err(persea::Error::from)?);
            example.values.push(value);
        }
        Ok(example)
    }

    fn binds(&self) -> Vec<(String, Slice<'_>)> {
        let paths =
            self.paths.iter().enumerate().map(|(position, path)| (format!("a{position}"), path.as_slice()));
        let values = self.values.iter().enumerate().map(|(position, value)| (format!("v{position}"), *value));
        paths.chain(values).collect()
    }
}
