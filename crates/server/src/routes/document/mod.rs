//! `/_api/document`: one document or an array of them.

pub(super) mod answer;
mod many;
mod one;
pub(super) mod write_options;

use hyper::Method;
use persea::{Collection, Database};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.target.segments.len() > 4 {
        return Err(ApiError::new(
            hyper::StatusCode::BAD_REQUEST,
            601,
            "superfluous suffix, expecting /_api/document/<collection>/<key>",
        ));
    }
    let scope = context.scope(request)?;
    let collection = collection(&scope, request)?;
    match (&request.method, request.segment(3)) {
        (&Method::GET | &Method::HEAD, Some(key)) => one::read(&collection, request, key),
        (&Method::POST, None) => {
            let body = request.value()?;
            if body.as_slice().is_array() {
                many::insert(&collection, request, body.as_slice())
            } else {
                one::insert(&collection, request, body.as_slice())
            }
        }
        (&Method::PUT, Some(key)) => one::replace(&collection, request, key),
        (&Method::PATCH, Some(key)) => one::update(&collection, request, key),
        (&Method::DELETE, Some(key)) => one::remove(&collection, request, key),
        (&Method::PUT, None) if request.query.flag("onlyget", false) => many::read(&collection, request),
        (&Method::PUT, None) => many::replace(&collection, request),
        (&Method::PATCH, None) => many::update(&collection, request),
        (&Method::DELETE, None) => many::remove(&collection, request),
        (&Method::GET | &Method::HEAD, None) => {
            Err(ApiError::bad_request("expecting GET /_api/document/<collection>/<key>"))
        }
        (&Method::POST, Some(_)) => Err(ApiError::new(
            hyper::StatusCode::BAD_REQUEST,
            601,
            "superfluous suffix, expecting POST /_api/document/<collection>",
        )),
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn collection(database: &Database, request: &Request) -> Result<Collection, ApiError> {
    // Old clients put the collection's name into the query string.
    let name = match request.segment(2) {
        Some(name) => name,
        None => request.query.required("collection", || {
            ApiError::new(hyper::StatusCode::BAD_REQUEST, 1204, "the parameter 'collection' is missing")
        })?,
    };
    Ok(database.collection(name)?)
}
