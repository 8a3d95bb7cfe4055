//! Reading and writing arrays of documents: one result or one error an item, in the items' order.

use hyper::StatusCode;
use persea::{Collection, OverwriteMode};
use persea_vpack::{Builder, Slice, VPackBuf};

use super::{answer, write_options};
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `POST /_api/document/{collection}` with an array.
pub fn insert(
    collection: &Collection,
    request: &Request,
    documents: Slice<'_>,
) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let mut outcomes = collection.insert_many_with(documents, &options)?;
    if options.overwrite_mode == OverwriteMode::Ignore {
        outcomes = outcomes.into_iter().map(|outcome| outcome.map(answer::without_ignored)).collect();
    }
    answer::many(answer::write_status(collection, &options), &options, &outcomes)
}

/// `PUT /_api/document/{collection}`.
pub fn replace(collection: &Collection, request: &Request) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let body = array(request)?;
    let outcomes = collection.replace_many_with(body.as_slice(), &options)?;
    answer::many(answer::write_status(collection, &options), &options, &outcomes)
}

/// `PATCH /_api/document/{collection}`.
pub fn update(collection: &Collection, request: &Request) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let body = array(request)?;
    let outcomes = collection.update_many_with(body.as_slice(), &options)?;
    answer::many(answer::write_status(collection, &options), &options, &outcomes)
}

/// `DELETE /_api/document/{collection}`.
pub fn remove(collection: &Collection, request: &Request) -> Result<Response, ApiError> {
    let options = write_options::parse(request)?;
    let body = array(request)?;
    let outcomes = collection.remove_many_with(body.as_slice(), &options)?;
    let outcomes: Vec<_> =
        outcomes.into_iter().map(|outcome| outcome.map(answer::without_old_revision)).collect();
    answer::many(answer::remove_status(collection, &options), &options, &outcomes)
}

/// `PUT /_api/document/{collection}?onlyget=true`.
pub fn read(collection: &Collection, request: &Request) -> Result<Response, ApiError> {
    let body = array(request)?;
    let ignore_revs = request.query.flag("ignoreRevs", true);
    let mut counts = answer::ErrorCounts::default();
    let mut builder = Builder::new();
    builder.open_array();
    for outcome in collection.get_many(body.as_slice(), ignore_revs)? {
        match outcome {
            Ok(document) => {
                builder.add_slice(document.as_slice());
            }
            Err(error) => counts.add(&mut builder, &error),
        }
    }
    builder.close();
    let found = builder.finish().map_err(persea::Error::from)?;
    Ok(counts.report(Response::value(StatusCode::OK, found)))
}

fn array(request: &Request) -> Result<VPackBuf, ApiError> {
    let body = request.value()?;
    if body.as_slice().is_array() {
        return Ok(body);
    }
    Err(persea::Error::with_number(1227, "invalid document type: expecting an array").into())
}
