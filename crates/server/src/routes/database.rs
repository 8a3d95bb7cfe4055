//! `/_api/database`: list, create, drop, and the current one.

use hyper::{Method, StatusCode};
use persea_vpack::{Builder, Slice, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::GET, None, None) => {
            context.require_system(request)?;
            Ok(names(context))
        }
        (&Method::GET, Some("user"), None) => Ok(names(context)),
        (&Method::GET, Some("current"), None) => current(context, request),
        (&Method::POST, None, None) => create(context, request),
        (&Method::DELETE, Some(name), None) => {
            context.require_system(request)?;
            context.instance.drop_database_unless(name, &request.gone)?;
            context.cursors.remove_database(name);
            context.transactions.abort_database(name);
            Ok(Response::result(StatusCode::OK, vpack!(true).as_slice()))
        }
        (&Method::GET | &Method::POST | &Method::DELETE, ..) => Err(ApiError::unknown_path(&request.path)),
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn names(context: &Context) -> Response {
    let mut builder = Builder::new();
    builder.open_array();
    for name in context.instance.database_names() {
        builder.add_str(&name);
    }
    builder.close();
    Response::result(StatusCode::OK, builder.finish().unwrap_or_default().as_slice())
}

fn current(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.database(request)?;
    let result = vpack!({
        "id": (database.id().to_string()),
        "name": (database.name()),
        "isSystem": (database.is_system()),
        "path": "none",
    });
    Ok(Response::result(StatusCode::OK, result.as_slice()))
}

fn create(context: &Context, request: &Request) -> Result<Response, ApiError> {
    context.require_system(request)?;
    let body = request.value()?;
    let body = body.as_slice();
    if !body.is_object() {
        return Err(ApiError::bad_request("expecting an object with the database's name"));
    }
    let name = body.get("name").and_then(|name| name.as_str()).ok_or_else(|| {
        ApiError::from(persea::Error::with_number(1229, "database name invalid: expecting a string"))
    })?;
    check_users(body.get("users"))?;
    context.instance.create_database(name)?;
    Ok(Response::result(StatusCode::CREATED, vpack!(true).as_slice()))
}

/// The users of a new database are checked and otherwise without effect, since authentication is off.
fn check_users(users: Option<Slice<'_>>) -> Result<(), ApiError> {
    let Some(users) = users.filter(|users| !users.is_null()) else { return Ok(()) };
    if !users.is_array() {
        return Err(ApiError::bad_parameter("users must be an array"));
    }
    for user in users.array_iter() {
        let name = user.get("username").or_else(|| user.get("user"));
        if !name.is_some_and(|name| name.is_string()) {
            return Err(ApiError::bad_parameter("each user needs a username"));
        }
    }
    Ok(())
}
