//! `type=list`: one JSON array of objects.

use persea_json::{ArrayItems, Parser};

use super::first_byte;
use super::sink::Sink;
use crate::error::ApiError;
use crate::http::body::json_options;

/// Looks through the whole text, so that a body that is cut off leaves nothing half-imported.
///
/// # Errors
/// 400 when the body is no JSON array.
pub fn check(body: &[u8]) -> Result<(), ApiError> {
    match first_byte(body) {
        Some(b'[') => ArrayItems::new(body, json_options())
            .try_for_each(|item| item.map(drop))
            .map_err(ApiError::corrupted_json),
        Some(_) => {
            Parser::new(json_options()).parse(body).map_err(ApiError::corrupted_json)?;
            Err(ApiError::bad_request("expecting a JSON array in the request"))
        }
        None => Err(ApiError::bad_request("expecting a JSON array in the request")),
    }
}

/// Reads the array, member by member.
///
/// # Errors
/// As [`check`]; the import's, when it has to stop.
pub fn read(body: &[u8], sink: &mut Sink) -> Result<(), ApiError> {
    for (position, item) in (1..).zip(ArrayItems::new(body, json_options())) {
        sink.add(position, item.map_err(ApiError::corrupted_json)?.as_slice())?;
    }
    Ok(())
}
