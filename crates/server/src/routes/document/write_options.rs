//! The query parameters of document writes.

use persea::{OverwriteMode, WriteOptions};

use crate::error::ApiError;
use crate::http::request::Request;

/// Reads the options of a write from the query string and `If-Match`.
///
/// # Errors
/// 400 with number 10 for an unknown `overwriteMode`.
pub fn parse(request: &Request) -> Result<WriteOptions, ApiError> {
    let query = &request.query;
    let defaults = WriteOptions::default();
    Ok(WriteOptions {
        overwrite_mode: overwrite_mode(request)?,
        keep_null: query.flag("keepNull", defaults.keep_null),
        merge_objects: query.flag("mergeObjects", defaults.merge_objects),
        ignore_revs: query.flag("ignoreRevs", defaults.ignore_revs),
        if_match: request.if_match().map(str::to_owned),
        wait_for_sync: query.flag("waitForSync", defaults.wait_for_sync),
        return_old: query.flag("returnOld", defaults.return_old),
        return_new: query.flag("returnNew", defaults.return_new),
        silent: query.flag("silent", defaults.silent),
        is_restore: query.flag("isRestore", defaults.is_restore),
        version_attribute: query.get("versionAttribute").filter(|name| !name.is_empty()).map(str::to_owned),
    })
}

fn overwrite_mode(request: &Request) -> Result<OverwriteMode, ApiError> {
    match request.query.get("overwriteMode") {
        Some(name) => OverwriteMode::from_name(name)
            .ok_or_else(|| ApiError::bad_parameter(format!("unknown overwriteMode '{name}'"))),
        None if request.query.flag("overwrite", false) => Ok(OverwriteMode::Replace),
        None => Ok(OverwriteMode::Conflict),
    }
}
