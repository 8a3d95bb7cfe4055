//! `/_admin/server/*`: role, availability, mode.

use std::sync::atomic::Ordering;

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let get = request.method == Method::GET || request.method == Method::HEAD;
    match request.segment(2) {
        Some("role") if get => {
            Ok(Response::envelope(StatusCode::OK, vpack!({ "role": "SINGLE" }).as_slice()))
        }
        Some("availability") if get => availability(context),
        Some("mode") if get => {
            Ok(Response::envelope(StatusCode::OK, vpack!({ "mode": "default" }).as_slice()))
        }
        Some("mode") if request.method == Method::PUT => set_mode(request),
        Some("id") if get => {
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, 4, "only servers of a cluster have an id"))
        }
        Some("databaseDefaults") if get => Ok(Response::value(
            StatusCode::OK,
            vpack!({ "replicationFactor": 1, "writeConcern": 1, "sharding": "" }),
        )),
        Some("role" | "availability" | "mode" | "id" | "databaseDefaults") => {
            Err(ApiError::method_not_allowed())
        }
        _ => Err(ApiError::unknown_path(&request.path)),
    }
}

fn availability(context: &Context) -> Result<Response, ApiError> {
    if context.stopping.load(Ordering::Acquire) {
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, 30, "the server is stopping"));
    }
    Ok(Response::envelope(StatusCode::OK, vpack!({ "mode": "default" }).as_slice()))
}

fn set_mode(request: &Request) -> Result<Response, ApiError> {
    let body = request.value()?;
    match body.as_slice().get("mode").and_then(|mode| mode.as_str()) {
        Some("default") => Ok(Response::envelope(StatusCode::OK, vpack!({ "mode": "default" }).as_slice())),
        Some("readonly") => Err(ApiError::not_implemented("read-only mode is not implemented")),
        _ => Err(ApiError::bad_parameter("mode must be 'default' or 'readonly'")),
    }
}
