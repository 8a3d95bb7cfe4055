//! `POST /_api/import`: many documents in one request, as lines, as an array, or as a table with a header.
//!
//! What is wrong with the request as a whole is found before anything is written or removed.

mod array;
mod edges;
mod lines;
mod sink;
mod table;
mod vpack;

use hyper::{Method, StatusCode};
use persea::{ImportOptions, ImportReport, OnDuplicate};
use persea_vpack::{Builder, VPackBuf};

use self::sink::Sink;
use self::table::Table;
use crate::context::Context;
use crate::error::ApiError;
use crate::http::headers;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the route.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    if request.segment(2).is_some() {
        let message = "superfluous suffix, expecting /_api/import?collection=<identifier>";
        return Err(ApiError::new(StatusCode::BAD_REQUEST, 601, message));
    }
    let database = context.scope(request)?;
    let format = Format::of(request)?;
    let name = request.query.required("collection", || {
        let message = "'collection' is missing, expecting /_api/import?collection=<identifier>";
        ApiError::new(StatusCode::BAD_REQUEST, 1204, message)
    })?;
    let collection = database.collection(name)?;
    let source = Source::of(format, request)?;
    let mut sink = Sink::new(collection.import(options(request))?, request, collection.is_edge());
    match source {
        Source::Lines(body) => lines::read(body, &mut sink)?,
        Source::Array(body) => array::read(body, &mut sink)?,
        Source::Table(table) => table.read(&mut sink)?,
        Source::VPack(documents) => vpack::read(documents, &mut sink)?,
    }
    let report = sink.finish()?;
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
    /// One array of objects in VelocyPack, whatever else is asked for.
    VPack,
}

impl Format {
    fn of(request: &Request) -> Result<Format, ApiError> {
        let format = match request.query.get("type").unwrap_or("") {
            "" => Format::Table,
            "documents" => Format::Lines,
            "array" | "list" => Format::Array,
            "auto" if first_byte(&request.body) == Some(b'[') => Format::Array,
            "auto" => Format::Lines,
            _ => return Err(ApiError::bad_parameter("invalid value for 'type'")),
        };
        Ok(if request.header("content-type").is_some_and(headers::is_vpack) { Format::VPack } else { format })
    }
}

/// The first byte that is no white space.
fn first_byte(body: &[u8]) -> Option<u8> {
    body.iter().copied().find(|byte| !is_blank(byte))
}

/// What may stand around a line.
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x08 | 0x0c)
}

/// A body that was looked through.
enum Source<'r> {
    Lines(&'r [u8]),
    Array(&'r [u8]),
    Table(Table<'r>),
    VPack(persea_vpack::Slice<'r>),
}

impl Source<'_> {
    fn of(format: Format, request: &Request) -> Result<Source<'_>, ApiError> {
        let body = &request.body;
        match format {
            Format::Lines => Ok(Source::Lines(body)),
            Format::Array => array::check(body).map(|()| Source::Array(body)),
            Format::Table => Table::of(request).map(Source::Table),
            Format::VPack => vpack::check(body).map(Source::VPack),
        }
    }
}

fn options(request: &Request) -> ImportOptions {
    ImportOptions {
        on_duplicate: match request.query.get("onDuplicate") {
            Some("update") => OnDuplicate::Update,
            Some("replace") => OnDuplicate::Replace,
            Some("ignore") => OnDuplicate::Ignore,
            // As ArangoDB takes whatever it does not know.
            _ => OnDuplicate::Error,
        },
        complete: request.query.flag("complete", false),
        overwrite: request.query.flag("overwrite", false),
        wait_for_sync: request.query.flag("waitForSync", false),
        details: request.query.flag("details", false),
        ..ImportOptions::default()
    }
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
