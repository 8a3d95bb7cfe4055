//! What a failed request answers: HTTP status, error number and message in ArangoDB's error body.

use hyper::StatusCode;
use persea_vpack::{Builder, Slice, VPackBuf};

use crate::http::response::Response;

/// A failed request.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    number: u16,
    message: String,
    /// Members that the body carries beside the usual four: `_id`, `_key`, `_rev` of a failed precondition.
    extra: Option<VPackBuf>,
}

impl ApiError {
    /// An error with all its parts.
    pub fn new(status: StatusCode, number: u16, message: impl Into<String>) -> ApiError {
        ApiError { status, number, message: message.into(), extra: None }
    }

    /// 400 with number 400: a request of the wrong shape.
    pub fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, 400, message)
    }

    /// 400 with number 10: a bad argument.
    pub fn bad_parameter(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, 10, message)
    }

    /// 400 with number 17: a value of the wrong type.
    pub fn type_error(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, 17, message)
    }

    /// 400 with number 600: a body that is no JSON.
    pub fn corrupted_json(detail: impl std::fmt::Display) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, 600, format!("VPackError error: {detail}"))
    }

    /// 404 for a path that leads nowhere.
    pub fn unknown_path(path: &str) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, 404, format!("unknown path '{path}'"))
    }

    /// 405 for a method that a path doesn't know.
    pub fn method_not_allowed() -> ApiError {
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, 405, "method not supported")
    }

    /// 501 for what this server doesn't do.
    pub fn not_implemented(what: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_IMPLEMENTED, 9, what)
    }

    /// The same with further members in the body.
    #[must_use]
    pub fn with_extra(mut self, members: VPackBuf) -> ApiError {
        self.extra = Some(members);
        self
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> ApiError {
        self.status = status;
        self
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The error number.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The error body: `error`, `code`, `errorNum`, `errorMessage`, and the further members.
    pub fn into_response(self) -> Response {
        let mut builder = Builder::new();
        builder.open_object();
        builder.key("code");
        builder.add_u64(u64::from(self.status.as_u16()));
        builder.key("error");
        builder.add_bool(true);
        builder.key("errorMessage");
        builder.add_str(&self.message);
        builder.key("errorNum");
        builder.add_u64(u64::from(self.number));
        let extra = self.extra.as_ref().map_or(Slice::null(), VPackBuf::as_slice);
        for (name, value) in extra.object_iter() {
            builder.key(name);
            builder.add_slice(value);
        }
        builder.close();
        let mut response = Response::value(self.status, builder.finish().unwrap_or_default());
        if self.status == StatusCode::UNAUTHORIZED {
            response =
                response.with_header("www-authenticate", "Bearer token_type=\"JWT\", realm=\"ArangoDB\"");
        }
        if let Some(revision) = extra.get("_rev").and_then(|value| value.as_str()) {
            response = response.with_etag(revision);
        }
        response
    }
}

impl From<persea::Error> for ApiError {
    fn from(error: persea::Error) -> ApiError {
        let status = StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        ApiError::new(status, error.number(), error.to_string())
    }
}
