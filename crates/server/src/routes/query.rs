//! `/_api/query`: parse a query without running it; the optimizer's rules; running and slow queries.

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.database(request)?;
    let instance = &context.instance;
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::POST, None, None) => {
            let body = request.value()?;
            let text = body.as_slice().get("query").and_then(|query| query.as_str()).unwrap_or("");
            Ok(Response::envelope(StatusCode::OK, database.parse(text)?.as_slice()))
        }
        (&Method::GET, Some("rules"), None) => Ok(Response::value(StatusCode::OK, persea::optimizer_rules())),
        (&Method::GET, Some("current"), None) => {
            let scope = scope(context, request)?;
            Ok(Response::value(StatusCode::OK, instance.running_queries(scope)?))
        }
        (&Method::GET, Some("slow"), None) => {
            let scope = scope(context, request)?;
            Ok(Response::value(StatusCode::OK, instance.slow_queries(scope)?))
        }
        (&Method::DELETE, Some("slow"), None) => {
            instance.clear_slow_queries(scope(context, request)?);
            Ok(done())
        }
        (&Method::GET, Some("properties"), None) => {
            let properties = instance.query_tracking(database.name())?;
            Ok(Response::envelope(StatusCode::OK, properties.as_slice()))
        }
        (&Method::PUT, Some("properties"), None) => {
            let changes = request.value()?;
            let properties = instance.set_query_tracking(database.name(), changes.as_slice())?;
            Ok(Response::envelope(StatusCode::OK, properties.as_slice()))
        }
        (&Method::DELETE, Some(id), None) => {
            instance.kill_query(scope(context, request)?, id)?;
            Ok(done())
        }
        (&Method::GET | &Method::PUT | &Method::DELETE, Some(_), _) => {
            Err(ApiError::unknown_path(&request.path))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// The request's database, or with `all` every one; that is asked of the `_system` database only.
fn scope<'a>(context: &Context, request: &'a Request) -> Result<Option<&'a str>, ApiError> {
    if request.query.flag("all", false) {
        context.require_system(request)?;
        return Ok(None);
    }
    Ok(Some(&request.target.database))
}

fn done() -> Response {
    Response::envelope(StatusCode::OK, vpack!({}).as_slice())
}
