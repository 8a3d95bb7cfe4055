//! The body of `POST /_api/cursor`.

use std::time::Duration;

use persea::QueryOptions;
use persea_vpack::Slice;

use crate::cursors::CursorOptions;
use crate::error::ApiError;
use crate::options::ServerOptions;

const BATCH_ROWS_DEFAULT: usize = 1_000;

/// A request for a cursor.
pub struct Input<'a> {
    /// The query text.
    pub query: &'a str,
    /// The bind parameters, an object or null.
    pub bind_vars: Slice<'a>,
    /// How the query runs.
    pub query_options: QueryOptions,
    /// How its rows are handed out.
    pub cursor: CursorOptions,
}

/// Reads the body.
///
/// # Errors
/// 1502 without a query, 17 for members of the wrong type.
pub fn parse<'a>(body: Slice<'a>, server: &ServerOptions) -> Result<Input<'a>, ApiError> {
    if !body.is_object() {
        return Err(persea::Error::with_number(1502, "query is empty: expecting an object").into());
    }
    let query = match body.get("query") {
        Some(query) => query.as_str().ok_or_else(|| ApiError::type_error("query must be a string"))?,
        None => "",
    };
    if query.is_empty() {
        return Err(persea::Error::with_number(1502, "query is empty").into());
    }
    let bind_vars = bind_vars(body)?;
    let options = object(body, "options")?;
    let query_options = query_options(body, options, server)?;
    let cursor = cursor_options(body, server)?;
    Ok(Input { query, bind_vars, query_options, cursor })
}

/// How a body wants its rows handed out.
///
/// # Errors
/// 17 for members of the wrong type.
pub fn cursor_options(body: Slice<'_>, server: &ServerOptions) -> Result<CursorOptions, ApiError> {
    let options = object(body, "options")?;
    let stream = flag(options, "stream")?.unwrap_or(false);
    let batch_rows = match number(body, "batchSize")? {
        Some(0.0) => return Err(ApiError::type_error("expecting a positive number for 'batchSize'")),
        Some(rows) if rows < 1.0 => {
            return Err(ApiError::type_error("expecting a positive number for 'batchSize'"));
        }
        // A larger batch than any result is the whole result.
        Some(rows) => rows.min(1e15) as usize,
        None => BATCH_ROWS_DEFAULT,
    };
    let ttl = match number(body, "ttl")? {
        Some(seconds) if seconds > 0.0 => Duration::from_secs_f64(seconds.min(1e9)),
        _ => server.cursor_ttl,
    };
    Ok(CursorOptions {
        batch_rows,
        // How many rows a stream will have is not known when it begins.
        count: flag(body, "count")?.unwrap_or(false) && !stream,
        ttl,
        allow_retry: flag(options, "allowRetry")?.unwrap_or(false),
        stream,
    })
}

/// The bind parameters of a body: an object, or null for none.
///
/// # Errors
/// 17 for another type.
pub fn bind_vars(body: Slice<'_>) -> Result<Slice<'_>, ApiError> {
    object(body, "bindVars")
}

/// The options that a query runs with.
///
/// # Errors
/// 17 for members of the wrong type.
pub fn query_options(
    body: Slice<'_>,
    options: Slice<'_>,
    server: &ServerOptions,
) -> Result<QueryOptions, ApiError> {
    let full_count = flag(options, "fullCount")?.or(flag(body, "fullCount")?).unwrap_or(false);
    let profile = match options.get("profile") {
        Some(level) if level.is_number() => level.as_u64().unwrap_or(0).min(2) as u8,
        Some(level) => u8::from(level.as_bool().unwrap_or(false)),
        None => 0,
    };
    let memory_limit = match number(body, "memoryLimit")?.or(number(options, "memoryLimit")?) {
        Some(bytes) if bytes > 0.0 => bytes as usize,
        _ => server.query_memory_bytes_max,
    };
    let max_runtime = number(options, "maxRuntime")?.filter(|seconds| *seconds > 0.0);
    Ok(QueryOptions {
        full_count,
        profile,
        memory_bytes_max: memory_limit,
        runtime_max: max_runtime.map(|seconds| Duration::from_secs_f64(seconds.min(1e9))),
        warnings_max: number(options, "maxWarningCount")?.map_or(10, |count| count.max(0.0) as usize),
        fail_on_warning: flag(options, "failOnWarning")?.unwrap_or(false),
        rules: rules(options)?,
        all_plans: flag(options, "allPlans")?.unwrap_or(false),
        stream: flag(options, "stream")?.unwrap_or(false),
        lock_timeout: match number(options, "lockTimeout")? {
            None => QueryOptions::default().lock_timeout,
            // 0 waits as long as it takes.
            Some(seconds) => (seconds > 0.0).then(|| Duration::from_secs_f64(seconds.min(1e9))),
        },
        write_bytes_max: limit(options, "maxTransactionSize")?,
        intermediate_commit_count: limit(options, "intermediateCommitCount")?,
        intermediate_commit_bytes: limit(options, "intermediateCommitSize")?,
    })
}

/// A number that limits something; 0 is no limit.
fn limit(options: Slice<'_>, name: &str) -> Result<Option<u64>, ApiError> {
    Ok(number(options, name)?.filter(|limit| *limit >= 1.0).map(|limit| limit as u64))
}

fn rules(options: Slice<'_>) -> Result<Vec<String>, ApiError> {
    let Some(rules) = options.get("optimizer").and_then(|optimizer| optimizer.get("rules")) else {
        return Ok(Vec::new());
    };
    if !rules.is_array() {
        return Err(ApiError::type_error("optimizer.rules must be an array of strings"));
    }
    Ok(rules.array_iter().filter_map(|rule| rule.as_str().map(str::to_owned)).collect())
}

/// A member that is an object, or null when it is missing.
pub fn object<'a>(body: Slice<'a>, name: &str) -> Result<Slice<'a>, ApiError> {
    match body.get(name) {
        None => Ok(Slice::null()),
        Some(value) if value.is_object() || value.is_null() => Ok(value),
        Some(_) => Err(ApiError::type_error(format!("expecting an object for '{name}'"))),
    }
}

fn flag(body: Slice<'_>, name: &str) -> Result<Option<bool>, ApiError> {
    match body.get(name) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(value) => value
            .as_bool()
            .map(Some)
            .ok_or_else(|| ApiError::type_error(format!("expecting a boolean for '{name}'"))),
    }
}

fn number(body: Slice<'_>, name: &str) -> Result<Option<f64>, ApiError> {
    match body.get(name) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(value) => value
            .as_f64()
            .map(Some)
            .ok_or_else(|| ApiError::type_error(format!("expecting a number for '{name}'"))),
    }
}
