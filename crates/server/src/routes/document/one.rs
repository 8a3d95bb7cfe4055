//! Reading and writing one document.

use hyper::StatusCode;
use persea::{Collection, OverwriteMode};
use persea_vpack::Slice;

use super::{answer, write_options};
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `GET` and `HEAD /_api/document/{collection}/{key}`.
pub fn read(collection: &Collection, request: &Request, key: &str) -> Result<Response, ApiError> {
    let document = collection.get_required(key)?;
    let revision =
        document.as_slice().get("_rev").and_then(|rev| rev.as_str()).unwrap_or_default().to_owned();
    if request.if_none_match() == Some(&revision) {
        return Ok(Response::empty(StatusCode::NOT_MODIFIED).with_etag(&revision));
    }
    if request.if_match().is_some_and(|wanted| wanted != revision) {
        return Err(answer::failure(persea::Error::revision_mismatch(document.as_slice())));
    }
    Ok(Response::value(StatusCode::OK, document).with_etag(&revision))
}

/// `POST /_api/document/{collection}` with an object.
pub fn insert(collection: &Collection, request: &Request, document: Slice<'_>) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let mut outcome = collection.insert_with(document, &options).map_err(answer::failure)?;
    if options.overwrite_mode == OverwriteMode::Ignore {
        outcome = answer::without_ignored(outcome);
    }
    answer::one(request, collection, answer::write_status(collection, &options), &options, &outcome)
}

/// `PUT /_api/document/{collection}/{key}`.
pub fn replace(collection: &Collection, request: &Request, key: &str) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let body = request.value()?;
    let outcome = collection.replace_with(key, body.as_slice(), &options).map_err(answer::failure)?;
    answer::one(request, collection, answer::write_status(collection, &options), &options, &outcome)
}

/// `PATCH /_api/document/{collection}/{key}`.
pub fn update(collection: &Collection, request: &Request, key: &str) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let body = request.value()?;
    let outcome = collection.update_with(key, body.as_slice(), &options).map_err(answer::failure)?;
    answer::one(request, collection, answer::write_status(collection, &options), &options, &outcome)
}

/// `DELETE /_api/document/{collection}/{key}`.
pub fn remove(collection: &Collection, request: &Request, key: &str) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let outcome = collection.remove_with(key, &options).map_err(answer::failure)?;
    let outcome = answer::without_old_revision(outcome);
    answer::one(request, collection, answer::remove_status(collection, &options), &options, &outcome)
}
