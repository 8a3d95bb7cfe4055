//! `all` and `all-keys`: every document of a collection.

use persea_vpack::Slice;

use super::{Call, missing};
use crate::error::ApiError;
use crate::http::response::Response;
use crate::routes::cursor;

/// `PUT /_api/simple/all`.
pub fn all(call: &Call<'_>) -> Result<Response, ApiError> {
    answer(call, &format!("FOR d IN @@collection {} RETURN d", limit(call)?), &[])
}

/// `PUT /_api/simple/all-keys`: their keys, identifiers or paths.
pub fn all_keys(call: &Call<'_>) -> Result<Response, ApiError> {
    let form = call.body().get("type").and_then(|form| form.as_str()).unwrap_or("path");
    match form {
        "key" => answer(call, "FOR d IN @@collection RETURN d._key", &[]),
        "id" => answer(call, "FOR d IN @@collection RETURN d._id", &[]),
        "path" => {
            let prefix = format!("/_db/{}/_api/document/", call.database.name());
            let prefix = persea_vpack::vpack!((prefix.as_str()));
            let query = "FOR d IN @@collection RETURN CONCAT(@prefix, d._id)";
            answer(call, query, &[("prefix".to_owned(), prefix.as_slice())])
        }
        other => {
            Err(ApiError::bad_parameter(format!("the type must be 'path', 'id' or 'key', not '{other}'")))
        }
    }
}

/// Runs a query over the collection and answers a cursor.
pub fn answer(call: &Call<'_>, text: &str, binds: &[(String, Slice<'_>)]) -> Result<Response, ApiError> {
    let options = cursor::input::cursor_options(call.body(), &call.context.options)?;
    let outcome = run(call, text, binds)?;
    cursor::open(call.context, &call.database, outcome, options)
}

/// Runs a query over the collection.
pub fn run(
    call: &Call<'_>,
    text: &str,
    binds: &[(String, Slice<'_>)],
) -> Result<persea::QueryOutcome, ApiError> {
    let mut query = call.database.query(text).bind("@collection", &*call.collection.name());
    for (name, value) in binds {
        query = query.bind_value(name, *value);
    }
    Ok(query.run()?)
}

/// The LIMIT that `skip` and `limit` ask for.
pub fn limit(call: &Call<'_>) -> Result<String, ApiError> {
    let number = |name: &str| match call.body().get(name) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| missing(name)),
    };
    Ok(match (number("skip")?, number("limit")?) {
        (None, None) => String::new(),
        (None, Some(limit)) => format!("LIMIT {limit}"),
        // AQL has no way to skip without a limit.
        (Some(skip), limit) => format!("LIMIT {skip}, {}", limit.unwrap_or(i64::MAX as u64)),
    })
}
