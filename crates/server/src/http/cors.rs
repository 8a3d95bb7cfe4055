//! Answers to scripts from other origins: they may read the answer, but no browser sends credentials along.

use hyper::HeaderMap;
use hyper::header::HeaderValue;

/// The headers that scripts may read.
const EXPOSED: &str =
    "etag, content-encoding, content-length, location, server, x-arango-errors, x-arango-async-id";

/// Adds what a browser wants to see before a script of `origin` gets the answer.
pub fn allow(origin: HeaderValue, headers: &mut HeaderMap) {
    headers.insert("access-control-allow-origin", origin);
    headers.insert("access-control-allow-credentials", HeaderValue::from_static("false"));
    headers.insert("access-control-expose-headers", HeaderValue::from_static(EXPOSED));
}
