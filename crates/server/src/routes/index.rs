//! `/_api/index`: the indexes of a collection.

use hyper::{Method, StatusCode};
use persea::Collection;
use persea_vpack::{Builder, VPackBuf, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.scope(request)?;
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::GET, None, None) => {
            let collection = database.collection(named_collection(request)?)?;
            let with_figures = request.query.flag("withStats", false);
            list(&if with_figures { collection.indexes_with_figures()? } else { collection.indexes()? })
        }
        (&Method::GET, Some("selectivity"), None) => {
            selectivity(&database.collection(named_collection(request)?)?)
        }
        (&Method::POST, None, None) => create(&database.collection(named_collection(request)?)?, request),
        (&Method::POST, Some("sync-caches"), None) => {
            Ok(Response::envelope(StatusCode::OK, vpack!({}).as_slice()))
        }
        (&Method::GET, Some(collection), Some(index)) => {
            let index = database.collection(collection)?.index(index)?;
            Ok(Response::envelope(StatusCode::OK, index.as_slice()))
        }
        (&Method::DELETE, Some(collection), Some(index)) => {
            let id = database.collection(collection)?.drop_index(index)?;
            Ok(Response::envelope(StatusCode::OK, vpack!({ "id": id }).as_slice()))
        }
        (&Method::GET | &Method::DELETE, ..) => {
            Err(ApiError::bad_parameter("expecting /_api/index/<collection>/<index-identifier>"))
        }
        (&Method::POST, ..) => Err(ApiError::unknown_path(&request.path)),
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn named_collection(request: &Request) -> Result<&str, ApiError> {
    request.query.required("collection", || {
        ApiError::new(StatusCode::BAD_REQUEST, 1204, "the parameter 'collection' is missing")
    })
}

fn list(indexes: &[VPackBuf]) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("indexes");
    builder.open_array();
    for index in indexes {
        builder.add_slice(index.as_slice());
    }
    builder.close();
    builder.key("identifiers");
    builder.open_object();
    for index in indexes {
        builder.key(identifier(index));
        builder.add_slice(index.as_slice());
    }
    builder.close();
    builder.close();
    let answer = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, answer.as_slice()))
}

fn selectivity(collection: &Collection) -> Result<Response, ApiError> {
    let indexes = collection.indexes()?;
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("indexes");
    builder.open_object();
    for index in &indexes {
        if let Some(estimate) = index.as_slice().get("selectivityEstimate") {
            builder.key(identifier(index));
            builder.add_slice(estimate);
        }
    }
    builder.close();
    builder.close();
    let answer = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, answer.as_slice()))
}

fn create(collection: &Collection, request: &Request) -> Result<Response, ApiError> {
    let body = with_type(request, request.value()?)?;
    let (index, is_new) = collection.create_index(body.as_slice()).map_err(creation_failed)?;
    let mut builder = Builder::new();
    builder.open_object();
    for (name, value) in index.as_slice().object_iter() {
        builder.key(name);
        builder.add_slice(value);
    }
    builder.key("isNewlyCreated");
    builder.add_bool(is_new);
    builder.close();
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let answer = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(status, answer.as_slice()))
}

/// The definition, with the type that old clients put into the query string.
fn with_type(request: &Request, body: VPackBuf) -> Result<VPackBuf, ApiError> {
    let definition = body.as_slice();
    let Some(kind) = request.query.get("type").filter(|_| definition.is_object()) else { return Ok(body) };
    if definition.get("type").is_some() {
        return Ok(body);
    }
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("type").add_str(kind);
    for (name, value) in definition.object_iter() {
        builder.key(name).add_slice(value);
    }
    builder.close();
    Ok(builder.finish().map_err(persea::Error::from)?)
}

/// Whatever is wrong with an index is a bad request, with the number of the reason. What ends a wait for others is not.
fn creation_failed(error: persea::Error) -> ApiError {
    let error = ApiError::from(error);
    match error.number() {
        9 | 11 | 18 | 21 | 29 | 30 | 32 | 1004 | 1200 | 1203 | 1228 | 1653 | 1654 => error,
        _ if error.status().is_server_error() => error,
        _ => error.with_status(StatusCode::BAD_REQUEST),
    }
}

fn identifier(index: &VPackBuf) -> &str {
    index.as_slice().get("id").and_then(|id| id.as_str()).unwrap_or_default()
}
