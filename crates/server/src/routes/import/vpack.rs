//! A body in VelocyPack: one array of objects.

use persea_vpack::Slice;

use super::sink::Sink;
use crate::error::ApiError;

/// The array that a body is.
///
/// # Errors
/// 400 when it is none.
pub fn check(body: &[u8]) -> Result<Slice<'_>, ApiError> {
    let value = Slice::validate(body).map_err(ApiError::corrupted_json)?;
    if value.is_array() {
        Ok(value)
    } else {
        Err(ApiError::bad_request("expecting a JSON array in the request"))
    }
}

/// Reads the array, member by member.
///
/// # Errors
/// The import's, when it has to stop.
pub fn read(documents: Slice<'_>, sink: &mut Sink) -> Result<(), ApiError> {
    (1..).zip(documents.array_iter()).try_for_each(|(position, document)| sink.add(position, document))
}
