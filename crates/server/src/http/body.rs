//! Request bodies: JSON or VelocyPack, as the content type says.

use bytes::Bytes;
use persea_vpack::{Slice, VPackBuf};

use super::headers;
use crate::error::ApiError;

/// How JSON from clients is read: an attribute may come up once only, since which value is meant can't be told.
pub fn json_options() -> persea_json::Options {
    persea_json::Options::default().with_duplicates(persea_json::Duplicates::Reject)
}

/// The value of a request's body.
///
/// # Errors
/// 400 with number 600 when the body is neither valid JSON nor valid VelocyPack, and when it is empty.
pub fn parse(bytes: &Bytes, content_type: Option<&str>) -> Result<VPackBuf, ApiError> {
    if content_type.is_some_and(headers::is_vpack) {
        let slice = Slice::validate(bytes).map_err(|error| ApiError::corrupted_json(error.to_string()))?;
        return Ok(VPackBuf::from(slice));
    }
    persea_json::Parser::new(json_options())
        .parse(bytes)
        .map_err(|error| ApiError::corrupted_json(error.to_string()))
}
