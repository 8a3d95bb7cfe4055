//! `/_api/job`: requests are not run in the background, so there are no jobs.

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2)) {
        (&Method::GET, Some("pending" | "done")) => Ok(Response::value(StatusCode::OK, vpack!([]))),
        (&Method::DELETE, Some("all" | "expired")) => {
            Ok(Response::value(StatusCode::OK, vpack!({ "result": true })))
        }
        (&Method::GET | &Method::PUT | &Method::DELETE, Some(_)) => {
            Err(ApiError::new(StatusCode::NOT_FOUND, 404, "there is no such job"))
        }
        (&Method::GET | &Method::PUT | &Method::DELETE, None) => {
            Err(ApiError::bad_request("expecting /_api/job/<job-id>"))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Refuses a request that is to run in the background: its client would not understand the answer itself.
///
/// # Errors
/// 501 when `x-arango-async` asks for it.
pub fn refuse_async(request: &Request) -> Result<(), ApiError> {
    match request.header("x-arango-async").map(str::trim) {
        Some("true" | "store") => {
            Err(ApiError::not_implemented("running requests in the background is not implemented"))
        }
        _ => Ok(()),
    }
}
