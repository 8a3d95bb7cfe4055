//! `/_api/query-cache` and `/_api/query-plan-cache`: there are no such caches here, and the answers say so.

use hyper::{Method, StatusCode};
use persea_vpack::{Slice, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the cache of results: always off, always empty.
pub fn results(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::GET, Some("entries"), None) => Ok(Response::value(StatusCode::OK, vpack!([]))),
        (&Method::GET, Some("properties"), None) => Ok(properties()),
        (&Method::PUT, Some("properties"), None) => {
            require_off(request.value()?.as_slice())?;
            Ok(properties())
        }
        (&Method::DELETE, None, None) => Ok(cleared()),
        (_, None | Some("entries" | "properties"), None) => Err(ApiError::method_not_allowed()),
        _ => Err(ApiError::unknown_path(&request.path)),
    }
}

/// Handles the cache of plans: always empty.
pub fn plans(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2)) {
        (&Method::GET, None) => Ok(Response::value(StatusCode::OK, vpack!([]))),
        (&Method::DELETE, None) => Ok(cleared()),
        (_, None) => Err(ApiError::method_not_allowed()),
        _ => Err(ApiError::unknown_path(&request.path)),
    }
}

fn properties() -> Response {
    let properties = vpack!({
        "mode": "off",
        "maxResults": 0,
        "maxResultsSize": 0,
        "maxEntrySize": 0,
        "includeSystem": false,
    });
    Response::value(StatusCode::OK, properties)
}

/// Sizes of a cache that is off mean nothing; switching it on can't be done.
fn require_off(changes: Slice<'_>) -> Result<(), ApiError> {
    match changes.get("mode").map(|mode| mode.as_str()) {
        None | Some(Some("off")) => Ok(()),
        Some(Some("on" | "demand")) => {
            Err(ApiError::not_implemented("the cache of query results is not implemented"))
        }
        Some(_) => Err(ApiError::bad_parameter("the mode must be 'off', 'on' or 'demand'")),
    }
}

fn cleared() -> Response {
    Response::envelope(StatusCode::OK, vpack!({}).as_slice())
}
