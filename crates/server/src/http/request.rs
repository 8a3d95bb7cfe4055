//! A request as the handlers see it.

use bytes::Bytes;
use hyper::{HeaderMap, Method};
use persea::Interrupt;
use persea_vpack::VPackBuf;

use super::body;
use super::headers;
use super::query::QueryParameters;
use super::target::Target;
use crate::error::ApiError;

/// One request, its body wholly read.
pub struct Request {
    /// The method.
    pub method: Method,
    /// Database and path segments.
    pub target: Target,
    /// The query parameters.
    pub query: QueryParameters,
    /// The headers.
    pub headers: HeaderMap,
    /// The raw body.
    pub body: Bytes,
    /// The path as it came, for messages.
    pub path: String,
    /// Set once the client has gone away, who then learns nothing of what the request does: ends its waits for locks.
    pub gone: Interrupt,
}

impl Request {
    /// A header's text, when it is there and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Path segment `position`, counted after `/_db/NAME`.
    pub fn segment(&self, position: usize) -> Option<&str> {
        self.target.segments.get(position).map(String::as_str)
    }

    /// The body's value.
    ///
    /// # Errors
    /// 400 with number 600 when it is malformed or missing.
    pub fn value(&self) -> Result<VPackBuf, ApiError> {
        body::parse(&self.body, self.header("content-type"))
    }

    /// The body's value, or an empty object when there is no body.
    ///
    /// # Errors
    /// 400 with number 600 when it is malformed.
    pub fn value_or_empty(&self) -> Result<VPackBuf, ApiError> {
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return Ok(persea_vpack::vpack!({}));
        }
        self.value()
    }

    /// The revision of `If-Match`.
    pub fn if_match(&self) -> Option<&str> {
        self.header("if-match").map(headers::revision)
    }

    /// The revision of `If-None-Match`.
    pub fn if_none_match(&self) -> Option<&str> {
        self.header("if-none-match").map(headers::revision)
    }
}
