//! `GET /_api/engine`: what the storage engine can do.

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the route.
pub fn handle(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    if request.segment(2) == Some("stats") {
        return Ok(Response::value(StatusCode::OK, vpack!({})));
    }
    // Clients know the engine by ArangoDB's name for it and take another for an unsupported one.
    let answer = vpack!({
        "name": "rocksdb",
        "supports": {
            "indexes": ["primary", "edge", "hash", "skiplist", "persistent"],
            "aliases": { "indexes": { "hash": "persistent", "skiplist": "persistent" } },
        },
        "endianness": "little",
    });
    Ok(Response::value(StatusCode::OK, answer))
}
