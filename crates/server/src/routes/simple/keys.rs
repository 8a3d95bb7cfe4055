//! `lookup-by-keys` and `remove-by-keys`: documents by a list of keys or identifiers.

use hyper::StatusCode;
use persea::WriteOptions;
use persea_vpack::{Builder, Slice};

use super::{Call, missing};
use crate::error::ApiError;
use crate::http::response::Response;

/// `PUT /_api/simple/lookup-by-keys`: `{documents}`; keys without a document are left out.
pub fn lookup(call: &Call<'_>) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("documents");
    builder.open_array();
    for document in call.collection.get_many(keys(call)?, true)?.into_iter().flatten() {
        builder.add_slice(document.as_slice());
    }
    builder.close();
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, body.as_slice()))
}

/// `PUT /_api/simple/remove-by-keys`: `{removed, ignored, old?}`.
pub fn remove(call: &Call<'_>) -> Result<Response, ApiError> {
    let options = WriteOptions {
        wait_for_sync: call.flag("waitForSync", false),
        return_old: call.flag("returnOld", false) && !call.flag("silent", false),
        ..WriteOptions::default()
    };
    let outcomes = call.collection.remove_many_with(keys(call)?, &options)?;
    let removed = outcomes.iter().flatten().count();
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("removed").add_u64(removed as u64);
    builder.key("ignored").add_u64((outcomes.len() - removed) as u64);
    if options.return_old {
        builder.key("old");
        builder.open_array();
        for old in outcomes.iter().flatten().filter_map(|outcome| outcome.old.as_ref()) {
            builder.add_slice(old.as_slice());
        }
        builder.close();
    }
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, body.as_slice()))
}

fn keys<'a>(call: &'a Call<'_>) -> Result<Slice<'a>, ApiError> {
    let keys = call.required("keys")?;
    if keys.is_array() { Ok(keys) } else { Err(missing("keys")) }
}
