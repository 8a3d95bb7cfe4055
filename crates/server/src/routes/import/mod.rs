//! `POST /_api/import`: many documents in one request, as lines, as an array, or as a table with a header.

mod array;
mod edges;
mod lines;
mod table;

use hyper::{Method, StatusCode};
use persea::{Import, ImportOptions, ImportReport, OnDuplicate};
use persea_vpack::{Builder, VPackBuf};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the route.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let database = context.scope(request)?;
    let name = request.query.required("collection", || {
        ApiError::new(StatusCode::BAD_REQUEST, 1204, "the parameter 'collection' is missing")
    })?;
    let collection = database.collection(name)?;
    let format = Format::of(request)?;
    let options = options(request)?;
    if request.query.flag("overwrite", false) {
        collection.truncate(options.wait_for_sync)?;
    }
    let prefixes = edges::Prefixes::of(request, collection.is_edge());
    let mut import = collection.import(options)?;
    match format {
        Format::Lines => lines::read(&request.body, &prefixes, &mut import)?,
        Format::Array => array::read(&request.body, &prefixes, &mut import)?,
        Format::Table => {
            let ignore_missing = request.query.flag("ignoreMissing", false);
            table::read(&request.body, ignore_missing, &prefixes, &mut import)?;
        }
    }
    let report = import.finish()?;
    Ok(Response::value(StatusCode::CREATED, answer(&report, request.query.flag("details", false))?))
}

/// How the body is laid out.
enum Format {
    /// One object a line.
    Lines,
    /// One array of objects.
    Array,
    /// A line with an array of names, then lines with arrays of values.
    Table,
}

impl Format {
    fn of(request: &Request) -> Result<Format, ApiError> {
        match request.query.get("type").unwrap_or("") {
            "" => Ok(Format::Table),
            "documents" => Ok(Format::Lines),
            "array" | "list" => Ok(Format::Array),
            "auto" => {
                let first = request.body.iter().find(|byte| !byte.is_ascii_whitespace());
                Ok(if first == Some(&b'[') { Format::Array } else { Format::Lines })
            }
            other => Err(ApiError::bad_parameter(format!("invalid value for 'type': '{other}'"))),
        }
    }
}

fn options(request: &Request) -> Result<ImportOptions, ApiError> {
    let on_duplicate = match request.query.get("onDuplicate").unwrap_or("error") {
        "error" | "" => OnDuplicate::Error,
        "update" => OnDuplicate::Update,
        "replace" => OnDuplicate::Replace,
        "ignore" => OnDuplicate::Ignore,
        other => return Err(ApiError::bad_parameter(format!("invalid value for 'onDuplicate': '{other}'"))),
    };
    Ok(ImportOptions {
        on_duplicate,
        complete: request.query.flag("complete", false),
        wait_for_sync: request.query.flag("waitForSync", false),
        details: request.query.flag("details", false),
    })
}

/// Adds one value to the import; what is no object is an error of its own.
fn push(
    import: &mut Import,
    prefixes: &edges::Prefixes,
    position: u64,
    value: &VPackBuf,
) -> Result<(), ApiError> {
    if !value.as_slice().is_object() {
        let text = persea_json::to_string(value.as_slice());
        import.push_error(
            persea::Error::with_number(1227, "invalid document type"),
            format!(
                "at position {position}: invalid JSON type (expecting object), offending context: {text}"
            ),
        )?;
        return Ok(());
    }
    match prefixes.apply(value)? {
        Some(prefixed) => import.push(position, prefixed.as_slice())?,
        None => import.push(position, value.as_slice())?,
    }
    Ok(())
}

fn answer(report: &ImportReport, with_details: bool) -> Result<VPackBuf, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("error");
    builder.add_bool(false);
    let counts = [
        ("created", report.created),
        ("errors", report.errors),
        ("empty", report.empty),
        ("updated", report.updated),
        ("ignored", report.ignored),
    ];
    for (name, count) in counts {
        builder.key(name);
        builder.add_u64(count);
    }
    if with_details {
        builder.key("details");
        builder.open_array();
        for detail in &report.details {
            builder.add_str(detail);
        }
        builder.close();
    }
    builder.close();
    Ok(builder.finish().map_err(persea::Error::from)?)
}
