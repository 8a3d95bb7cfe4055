//! `GET /_api/version` and `GET /_admin/version`: who answers, and which version of ArangoDB's API it speaks.

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// The version of ArangoDB whose interface this server follows; drivers choose their requests by it.
pub const COMPATIBLE_VERSION: &str = "3.12.5";

/// Handles the route.
pub fn handle(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::GET && request.method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    let mut answer = vpack!({ "server": "arango", "license": "community", "version": COMPATIBLE_VERSION });
    if request.query.flag("details", false) {
        answer = vpack!({
            "server": "arango",
            "license": "community",
            "version": COMPATIBLE_VERSION,
            "details": {
                "product": "persea",
                "persea-version": env!("CARGO_PKG_VERSION"),
                "server-version": COMPATIBLE_VERSION,
                "architecture": "64bit",
                "platform": std::env::consts::OS,
                "arm": (if cfg!(target_arch = "aarch64") { "true" } else { "false" }),
                "debug": (if cfg!(debug_assertions) { "true" } else { "false" }),
                "full-version-string": (format!("Persea {} (compatible with ArangoDB {COMPATIBLE_VERSION})", env!("CARGO_PKG_VERSION"))),
                "host": (hostname()),
                "mode": "server",
                "role": "SINGLE",
            },
        });
    }
    Ok(Response::value(StatusCode::OK, answer))
}

/// The machine's name, empty when it is unknown.
pub fn hostname() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_owned())
        .unwrap_or_default()
}
