//! `type=list`: one JSON array of objects.

use persea::Import;
use persea_json::ArrayItems;

use super::edges::Prefixes;
use super::push;
use crate::error::ApiError;
use crate::http::body::json_options;

/// Reads the array, member by member.
///
/// # Errors
/// 400 when the body is no JSON array; the import's, when it has to stop at the first error.
pub fn read(body: &[u8], prefixes: &Prefixes, import: &mut Import) -> Result<(), ApiError> {
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'[') {
        return Err(ApiError::bad_request("expecting a JSON array in the request"));
    }
    // The whole text is checked first, so that a body that is cut off leaves nothing half-imported.
    for item in ArrayItems::new(body, json_options()) {
        item.map_err(ApiError::corrupted_json)?;
    }
    for (index, item) in ArrayItems::new(body, json_options()).enumerate() {
        let value = item.map_err(ApiError::corrupted_json)?;
        push(import, prefixes, index as u64 + 1, &value)?;
    }
    Ok(())
}
