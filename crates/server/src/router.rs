//! From path to handler: the first two or three segments choose the route file.

use hyper::Method;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::routes;

/// What a route file offers: it looks at method and further segments itself.
type Handler = fn(&Context, &Request) -> Result<Response, ApiError>;

/// Paths and their handlers; the longest matching path wins.
const ROUTES: &[(&[&str], Handler)] = &[
    (&["_api", "version"], routes::version::handle),
    (&["_admin", "version"], routes::version::handle),
    (&["_api", "engine"], routes::engine::handle),
    (&["_api", "database"], routes::database::handle),
    (&["_api", "collection"], routes::collection::handle),
    (&["_api", "key-generators"], routes::collection::key_generators),
    (&["_api", "document"], routes::document::handle),
    (&["_api", "index"], routes::index::handle),
    (&["_api", "cursor"], routes::cursor::handle),
    (&["_api", "query"], routes::query::handle),
    (&["_api", "query-cache"], routes::query_cache::results),
    (&["_api", "query-plan-cache"], routes::query_cache::plans),
    (&["_api", "aqlfunction"], routes::aqlfunction::handle),
    (&["_api", "simple"], routes::simple::handle),
    (&["_api", "transaction"], routes::transaction::handle),
    (&["_api", "explain"], routes::explain::handle),
    (&["_api", "import"], routes::import::handle),
    (&["_api", "gharial"], routes::gharial::handle),
    (&["_api", "edges"], routes::edges::handle),
    (&["_admin", "server"], routes::admin_server::handle),
    (&["_admin", "metrics"], routes::admin_metrics::handle),
    (&["_admin", "options"], routes::admin_options::values),
    (&["_admin", "options-public"], routes::admin_options::values),
    (&["_admin", "options-description"], routes::admin_options::descriptions),
    (&["_admin", "license"], routes::admin::license),
    (&["_admin", "database", "target-version"], routes::admin::target_version),
    (&["_admin", "status"], routes::admin::status),
    (&["_admin", "time"], routes::admin::time),
    (&["_admin", "echo"], routes::admin::echo),
    (&["_admin", "wal"], routes::admin::wal),
    (&["_admin", "routing", "reload"], routes::admin::routing_reload),
    (&["_api", "job"], routes::job::handle),
    (&["_api", "tasks"], routes::admin::tasks),
    (&["_api", "foxx"], routes::admin::foxx),
    (&["_api", "user"], routes::user::handle),
    (&["_open", "auth"], routes::user::login),
];

/// Answers a request.
///
/// # Errors
/// The handler's, or 404 when no route matches.
pub fn dispatch(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method == Method::OPTIONS {
        return Ok(routes::options::handle(request));
    }
    // A wrong database is told before anything else is looked at, also by routes that don't look into it.
    context.database(request)?;
    routes::job::refuse_async(request)?;
    let segments = &request.target.segments;
    let found = ROUTES
        .iter()
        .filter(|(path, _)| {
            path.len() <= segments.len() && path.iter().zip(segments).all(|(want, is)| want == is)
        })
        .max_by_key(|(path, _)| path.len());
    match found {
        Some((_, handler)) => handler(context, request),
        None => Err(ApiError::unknown_path(&request.path)),
    }
}
