//! What graph routes answer: the graph, the names of its collections, the outcome of a write.

use hyper::StatusCode;
use persea::{Graph, VPackBuf, WriteOutcome};
use persea_vpack::{Builder, Slice, vpack};

use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `{graph}` after a change, with the status that tells whether the change is on disk.
///
/// # Errors
/// When the disk fails or the answer can't be built.
pub fn changed_graph(graph: &Graph, request: &Request) -> Result<Response, ApiError> {
    self::graph(graph, synced(graph.database(), request, StatusCode::CREATED)?)
}

/// `{graph}`.
///
/// # Errors
/// When the answer can't be built.
pub fn graph(graph: &Graph, status: StatusCode) -> Result<Response, ApiError> {
    let body = member("graph", graph.description()?.as_slice())?;
    Ok(tagged(Response::envelope(status, body.as_slice()), graph.revision()))
}

/// Makes the change durable if the request wants that: then the status is `durable`, else 202.
///
/// # Errors
/// When the disk fails.
pub fn synced(
    database: &persea::Database,
    request: &Request,
    durable: StatusCode,
) -> Result<StatusCode, ApiError> {
    if !request.query.flag("waitForSync", false) {
        return Ok(StatusCode::ACCEPTED);
    }
    database.instance().sync()?;
    Ok(durable)
}

/// `{collections: […]}`.
///
/// # Errors
/// When the answer can't be built.
pub fn collections(names: &[&str]) -> Result<Response, ApiError> {
    let names = persea_vpack::to_vpack(names).map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, member("collections", names.as_slice())?.as_slice()))
}

/// `{removed: true}`.
pub fn removed(status: StatusCode) -> Response {
    Response::envelope(status, vpack!({ "removed": true }).as_slice())
}

/// `{removed: true, old?}`.
///
/// # Errors
/// When the answer can't be built.
pub fn removed_document(status: StatusCode, outcome: &WriteOutcome) -> Result<Response, ApiError> {
    let Some(old) = &outcome.old else { return Ok(removed(status)) };
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("removed");
    builder.add_bool(true);
    builder.key("old");
    builder.add_slice(old.as_slice());
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(status, body.as_slice()))
}

/// `{vertex: {_id, _key, _rev, _oldRev?}, new?, old?}`, or the same with `edge`.
///
/// # Errors
/// When the answer can't be built.
pub fn written(name: &str, status: StatusCode, outcome: &WriteOutcome) -> Result<Response, ApiError> {
    let revision = outcome.rev.to_string();
    let mut builder = Builder::new();
    builder.open_object();
    builder.key(name);
    builder.open_object();
    for (name, value) in [("_id", &outcome.id), ("_key", &outcome.key), ("_rev", &revision)] {
        builder.key(name);
        builder.add_str(value);
    }
    if let Some(old) = &outcome.old_rev {
        builder.key("_oldRev");
        builder.add_str(&old.to_string());
    }
    builder.close();
    for (name, document) in [("new", &outcome.new), ("old", &outcome.old)] {
        if let Some(document) = document {
            builder.key(name);
            builder.add_slice(document.as_slice());
        }
    }
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(tagged(Response::envelope(status, body.as_slice()), &revision))
}

/// `{vertex: document}`, or the same with `edge`.
///
/// # Errors
/// When the answer can't be built.
pub fn document(name: &str, document: Slice<'_>, revision: &str) -> Result<Response, ApiError> {
    let body = member(name, document)?;
    Ok(tagged(Response::envelope(StatusCode::OK, body.as_slice()), revision))
}

/// The response with the revision as entity tag; unlike elsewhere, these routes send it without quotes.
pub fn tagged(response: Response, revision: &str) -> Response {
    response.with_header("etag", revision)
}

fn member(name: &str, value: Slice<'_>) -> Result<VPackBuf, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key(name);
    builder.add_slice(value);
    builder.close();
    Ok(builder.finish().map_err(persea::Error::from)?)
}
