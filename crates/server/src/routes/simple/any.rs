//! `any`: one document by chance.

use hyper::StatusCode;
use persea_vpack::{Builder, Slice};

use super::{Call, list};
use crate::error::ApiError;
use crate::http::response::Response;

/// `PUT /_api/simple/any`: `{document}`, null for an empty collection.
pub fn handle(call: &Call<'_>) -> Result<Response, ApiError> {
    let outcome = list::run(call, "FOR d IN @@collection SORT RAND() LIMIT 1 RETURN d", &[])?;
    answer(outcome.rows.get(0).unwrap_or(Slice::null()))
}

/// `{document}`.
pub fn answer(document: Slice<'_>) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("document").add_slice(document);
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, body.as_slice()))
}
