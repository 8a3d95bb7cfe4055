//! A response as the handlers make it, and its way to the wire.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use persea_vpack::{Builder, Slice, VPackBuf};

use super::headers;

/// What a response carries.
enum Body {
    /// A value, sent as JSON or VelocyPack as the client wishes.
    Value(VPackBuf),
    /// Plain text.
    Text(String),
    /// Nothing.
    Empty,
}

/// One response.
pub struct Response {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
}

impl Response {
    /// A value.
    pub fn value(status: StatusCode, value: VPackBuf) -> Response {
        Response { status, headers: HeaderMap::new(), body: Body::Value(value) }
    }

    /// An object with the members of `members` and then `error: false` and `code`.
    pub fn envelope(status: StatusCode, members: Slice<'_>) -> Response {
        let mut builder = Builder::new();
        builder.open_object();
        for (name, value) in members.object_iter() {
            builder.key(name);
            builder.add_slice(value);
        }
        builder.key("error");
        builder.add_bool(false);
        builder.key("code");
        builder.add_u64(u64::from(status.as_u16()));
        builder.close();
        // The builder was given a balanced object; were it not, null would be sent and tests would see it.
        Response::value(status, builder.finish().unwrap_or_default())
    }

    /// `{error: false, code, result}`.
    pub fn result(status: StatusCode, result: Slice<'_>) -> Response {
        let mut builder = Builder::new();
        builder.open_object();
        builder.key("error");
        builder.add_bool(false);
        builder.key("code");
        builder.add_u64(u64::from(status.as_u16()));
        builder.key("result");
        builder.add_slice(result);
        builder.close();
        Response::value(status, builder.finish().unwrap_or_default())
    }

    /// Plain text.
    pub fn text(status: StatusCode, text: String) -> Response {
        Response { status, headers: HeaderMap::new(), body: Body::Text(text) }
    }

    /// No body.
    pub fn empty(status: StatusCode) -> Response {
        Response { status, headers: HeaderMap::new(), body: Body::Empty }
    }

    /// The same with one more header. A value that no header can hold is left out.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: &str) -> Response {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }

    /// The same with the revision as a quoted entity tag.
    #[must_use]
    pub fn with_etag(self, revision: &str) -> Response {
        self.with_header("etag", &format!("\"{revision}\""))
    }

    /// The response as hyper sends it.
    pub fn into_http(self, as_vpack: bool, head_only: bool) -> hyper::Response<Full<Bytes>> {
        let (bytes, media_type) = match self.body {
            Body::Value(value) if as_vpack => (Bytes::from(expanded(&value)), headers::VPACK),
            Body::Value(value) => {
                let mut text = Vec::with_capacity(value.as_slice().bytes().len());
                persea_json::write(value.as_slice(), &mut text);
                (Bytes::from(text), headers::JSON)
            }
            Body::Text(text) => (Bytes::from(text), headers::TEXT),
            Body::Empty => (Bytes::new(), headers::TEXT),
        };
        let length = bytes.len();
        let mut response = hyper::Response::new(Full::new(if head_only { Bytes::new() } else { bytes }));
        *response.status_mut() = self.status;
        let target = response.headers_mut();
        target.insert("content-type", HeaderValue::from_static(media_type));
        if self.status != StatusCode::NO_CONTENT && self.status != StatusCode::NOT_MODIFIED {
            target.insert("content-length", HeaderValue::from(length));
        }
        for (name, value) in COMMON_HEADERS {
            target.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        for (name, value) in self.headers {
            if let Some(name) = name {
                target.insert(name, value);
            }
        }
        response
    }
}

/// The value with its attribute names spelled out: the one-byte names of stored documents stay in the store.
fn expanded(value: &VPackBuf) -> Vec<u8> {
    let mut builder = Builder::with_capacity(value.bytes().len());
    builder.add_slice_expanded(value.as_slice());
    builder.finish().unwrap_or_default().into_bytes()
}

/// What every answer carries, so that neither caches nor frames keep it.
const COMMON_HEADERS: &[(&str, &str)] = &[
    ("server", "ArangoDB"),
    ("x-content-type-options", "nosniff"),
    ("x-arango-queue-time-seconds", "0.000000"),
    ("content-security-policy", "frame-ancestors 'self'; form-action 'self';"),
    (
        "cache-control",
        "no-cache, no-store, must-revalidate, pre-check=0, post-check=0, max-age=0, s-maxage=0",
    ),
    ("pragma", "no-cache"),
    ("expires", "0"),
];
