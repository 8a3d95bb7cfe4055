//! `OPTIONS` on any path: the methods there are, and CORS preflights.

use hyper::StatusCode;

use crate::http::request::Request;
use crate::http::response::Response;

const METHODS: &str = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/// Answers the method.
pub fn handle(request: &Request) -> Response {
    let mut response = Response::empty(StatusCode::OK).with_header("allow", METHODS);
    if request.header("origin").is_some() {
        response = response
            .with_header("access-control-allow-methods", METHODS)
            .with_header("access-control-max-age", "1800");
        if let Some(wanted) = request.header("access-control-request-headers") {
            response = response.with_header("access-control-allow-headers", wanted);
        }
    }
    response
}
