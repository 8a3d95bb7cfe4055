//! `/_api/aqlfunction`: there are no user-defined functions, since there is no JavaScript.

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2)) {
        (&Method::GET, _) => Ok(Response::result(StatusCode::OK, vpack!([]).as_slice())),
        (&Method::POST, None) => {
            Err(ApiError::not_implemented("user-defined functions need JavaScript, which is not available"))
        }
        (&Method::DELETE, Some(_)) if request.query.flag("group", false) => {
            Ok(Response::envelope(StatusCode::OK, vpack!({ "deletedCount": 0 }).as_slice()))
        }
        (&Method::DELETE, Some(name)) => {
            Err(persea::Error::with_number(1582, format!("no AQL user function with name '{name}' found"))
                .into())
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}
