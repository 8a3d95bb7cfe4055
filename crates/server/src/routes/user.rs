//! `/_api/user` and `/_open/auth` as far as they mean something while authentication is off:
//! every request acts as `root`, who may do everything.

use hyper::{Method, StatusCode};
use persea_vpack::{Builder, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles `/_api/user`.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::GET, None, None) => {
            let root = vpack!([{ "user": "root", "active": true, "extra": {} }]);
            Ok(Response::result(StatusCode::OK, root.as_slice()))
        }
        (&Method::GET, Some("root"), None) => {
            let root = vpack!({ "user": "root", "active": true, "extra": {} });
            Ok(Response::envelope(StatusCode::OK, root.as_slice()))
        }
        (&Method::GET, Some("root"), Some("database")) => databases(context, request),
        (&Method::GET | &Method::PUT | &Method::PATCH | &Method::DELETE, Some(user), _) if user != "root" => {
            Err(ApiError::new(StatusCode::NOT_FOUND, 1703, format!("user not found: {user}")))
        }
        _ => Err(ApiError::not_implemented("user management is not implemented; authentication is off")),
    }
}

fn databases(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.segment(4).is_some() {
        return Ok(Response::result(StatusCode::OK, vpack!("rw").as_slice()));
    }
    let mut builder = Builder::new();
    builder.open_object();
    for name in context.instance.database_names() {
        builder.key(&name);
        builder.add_str("rw");
    }
    builder.close();
    let result = builder.finish().unwrap_or_default();
    Ok(Response::result(StatusCode::OK, result.as_slice()))
}

/// `POST /_open/auth`: there is no login while authentication is off.
pub fn login(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    Err(ApiError::unknown_path(&request.path))
}
