//! `/_api/document`: one document or an array of them.

pub(super) mod answer;
mod many;
mod one;
pub(super) mod write_options;

use hyper::Method;
use persea::Collection;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    refuse_stream_transaction(request)?;
    if request.target.segments.len() > 4 {
        return Err(ApiError::new(
            hyper::StatusCode::BAD_REQUEST,
            601,
            "superfluous suffix, expecting /_api/document/<collection>/<key>",
        ));
    }
    let collection = collection(context, request)?;
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

fn collection(context: &Context, request: &Request) -> Result<Collection, ApiError> {
    let database = context.database(request)?;
    // Old clients put the collection's name into the query string.
    let name = match request.segment(2) {
        Some(name) => name,
        None => request.query.required("collection", || {
            ApiError::new(hyper::StatusCode::BAD_REQUEST, 1204, "the parameter 'collection' is missing")
        })?,
    };
    Ok(database.collection(name)?)
}

/// A request for a stream transaction must not run outside of one.
pub fn refuse_stream_transaction(request: &Request) -> Result<(), ApiError> {
    match request.header("x-arango-trx-id") {
        None => Ok(()),
        Some(id) => Err(persea::Error::with_number(1655, format!("transaction '{id}' not found")).into()),
    }
}
