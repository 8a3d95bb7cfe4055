//! `POST /_api/explain`: how a query would run.

use hyper::{Method, StatusCode};

use super::cursor::input;
use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the route.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let database = context.database(request)?;
    let body = request.value()?;
    let body = body.as_slice();
    let query = body.get("query").and_then(|query| query.as_str()).filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| ApiError::from(persea::Error::with_number(1502, "query is empty")))?;
    let options = input::object(body, "options")?;
    let options = input::query_options(body, options, &context.options)?;
    let explained = database.query(query).bind_all(input::bind_vars(body)?).options(options).explain()?;
    Ok(Response::envelope(StatusCode::OK, explained.as_slice()))
}
