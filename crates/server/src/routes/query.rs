//! `/_api/query`: parse a query without running it; the optimizer's rules; running queries.

use hyper::{Method, StatusCode};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.database(request)?;
    match (&request.method, request.segment(2)) {
        (&Method::POST, None) => {
            let body = request.value()?;
            let text = body.as_slice().get("query").and_then(|query| query.as_str()).unwrap_or("");
            Ok(Response::envelope(StatusCode::OK, database.parse(text)?.as_slice()))
        }
        (&Method::GET, Some("rules")) => Ok(Response::value(StatusCode::OK, persea::optimizer_rules())),
        (&Method::GET, Some("current")) => {
            Ok(Response::value(StatusCode::OK, context.instance.running_queries(database.name())?))
        }
        (&Method::DELETE, Some(id)) => {
            context.instance.kill_query(database.name(), id)?;
            Ok(Response::envelope(StatusCode::OK, persea_vpack::vpack!({}).as_slice()))
        }
        (_, Some("slow" | "properties")) => {
            Err(ApiError::not_implemented("tracking of slow queries is not implemented"))
        }
        (&Method::GET, Some(_)) => Err(ApiError::unknown_path(&request.path)),
        _ => Err(ApiError::method_not_allowed()),
    }
}
