//! Vertices and edges under the rules of their graph: insert, read, update, replace, remove.

use hyper::{Method, StatusCode};
use persea::{Graph, GraphCollection, OverwriteMode, WriteOptions};

use super::answer;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::routes::document::answer::failure;
use crate::routes::document::write_options;

/// What a path is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `/vertex/`.
    Vertex,
    /// `/edge/`.
    Edge,
}

impl Kind {
    /// The member of answers that holds the document.
    fn name(self) -> &'static str {
        match self {
            Kind::Vertex => "vertex",
            Kind::Edge => "edge",
        }
    }

    fn collection(self, graph: &Graph, name: &str) -> Result<GraphCollection, ApiError> {
        Ok(match self {
            Kind::Vertex => graph.vertices(name)?,
            Kind::Edge => graph.edges(name)?,
        })
    }

    /// The status of a replacement that waited for the disk.
    fn replaced(self) -> StatusCode {
        match self {
            Kind::Vertex => StatusCode::OK,
            Kind::Edge => StatusCode::CREATED,
        }
    }
}

/// `POST /_api/gharial/{graph}/{vertex|edge}/{collection}`.
pub fn insert(graph: &Graph, request: &Request, kind: Kind, collection: &str) -> Result<Response, ApiError> {
    let collection = kind.collection(graph, collection)?;
    let options = options(request)?;
    let body = request.value()?;
    let outcome = collection.insert_with(body.as_slice(), &options).map_err(failure)?;
    answer::written(kind.name(), status(&collection, &options, StatusCode::CREATED), &outcome)
}

/// `/_api/gharial/{graph}/{vertex|edge}/{collection}/{key}`.
pub fn one(
    graph: &Graph,
    request: &Request,
    kind: Kind,
    collection: &str,
    key: &str,
) -> Result<Response, ApiError> {
    match request.method {
        Method::GET | Method::HEAD => read(&readable(graph, kind, collection)?, request, kind, key),
        Method::PATCH => update(&kind.collection(graph, collection)?, request, kind, key),
        Method::PUT => replace(&kind.collection(graph, collection)?, request, kind, key),
        Method::DELETE => remove(&kind.collection(graph, collection)?, request, key),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// The collection for reading: for a vertex collection outside of the graph, reads have an error of their own.
fn readable(graph: &Graph, kind: Kind, collection: &str) -> Result<GraphCollection, ApiError> {
    if kind == Kind::Vertex && !graph.vertex_collections().contains(&collection) {
        let message = format!("vertex collection '{collection}' does not exist in graph '{}'", graph.name());
        return Err(persea::Error::with_number(1926, message).into());
    }
    kind.collection(graph, collection)
}

fn read(
    collection: &GraphCollection,
    request: &Request,
    kind: Kind,
    key: &str,
) -> Result<Response, ApiError> {
    let document = collection.collection().get_required(key)?;
    let document = document.as_slice();
    let revision = document.get("_rev").and_then(|rev| rev.as_str()).unwrap_or_default();
    if request.if_none_match() == Some(revision) {
        return Ok(answer::tagged(Response::empty(StatusCode::NOT_MODIFIED), revision));
    }
    let wanted = request.if_match().or_else(|| request.query.get("rev"));
    if wanted.is_some_and(|wanted| wanted != revision) {
        return Err(failure(persea::Error::revision_mismatch(document)));
    }
    answer::document(kind.name(), document, revision)
}

fn update(
    collection: &GraphCollection,
    request: &Request,
    kind: Kind,
    key: &str,
) -> Result<Response, ApiError> {
    let options = options(request)?;
    let body = request.value()?;
    let outcome = collection.update_with(key, body.as_slice(), &options).map_err(failure)?;
    answer::written(kind.name(), status(collection, &options, StatusCode::OK), &outcome)
}

fn replace(
    collection: &GraphCollection,
    request: &Request,
    kind: Kind,
    key: &str,
) -> Result<Response, ApiError> {
    let options = options(request)?;
    let body = request.value()?;
    let outcome = collection.replace_with(key, body.as_slice(), &options).map_err(failure)?;
    answer::written(kind.name(), status(collection, &options, kind.replaced()), &outcome)
}

fn remove(collection: &GraphCollection, request: &Request, key: &str) -> Result<Response, ApiError> {
    let options = options(request)?;
    let outcome = collection.remove_with(key, &options).map_err(failure)?;
    answer::removed_document(status(collection, &options, StatusCode::OK), &outcome)
}

/// The options of a write; these routes neither overwrite nor keep silent.
fn options(request: &Request) -> Result<WriteOptions, ApiError> {
    let mut options = write_options::parse(request)?;
    options.overwrite_mode = OverwriteMode::Conflict;
    options.silent = false;
    options.is_restore = false;
    if options.if_match.is_none() {
        options.if_match = request.query.get("rev").map(str::to_owned);
    }
    Ok(options)
}

/// The status of a write: `durable` if it waited for the disk, else 202.
fn status(collection: &GraphCollection, options: &WriteOptions, durable: StatusCode) -> StatusCode {
    if options.wait_for_sync || collection.collection().waits_for_sync() {
        durable
    } else {
        StatusCode::ACCEPTED
    }
}
