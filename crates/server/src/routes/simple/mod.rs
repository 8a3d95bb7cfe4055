//! `/_api/simple/*`: the queries that old clients send without AQL. Each is answered through AQL or the document
//! operations; lists are cursors as `/_api/cursor` gives them.

mod any;
mod example;
mod keys;
mod list;
mod range;

use hyper::Method;
use persea::Collection;
use persea_vpack::{Slice, VPackBuf};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::scope::Scope;

/// What every one of these routes works on.
struct Call<'a> {
    context: &'a Context,
    database: Scope,
    collection: Collection,
    body: VPackBuf,
}

impl Call<'_> {
    fn body(&self) -> Slice<'_> {
        self.body.as_slice()
    }

    /// A member that must be there.
    fn required(&self, name: &str) -> Result<Slice<'_>, ApiError> {
        self.body().get(name).ok_or_else(|| missing(name))
    }

    /// A member that must be an object.
    fn object(&self, name: &str) -> Result<Slice<'_>, ApiError> {
        let member = self.required(name)?;
        if member.is_object() { Ok(member) } else { Err(missing(name)) }
    }

    /// A flag from `options`, where these routes have it, or from the body itself.
    fn flag(&self, name: &str, default: bool) -> bool {
        let option = self.body().get("options").and_then(|options| options.get(name));
        option.or_else(|| self.body().get(name)).and_then(|flag| flag.as_bool()).unwrap_or(default)
    }
}

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let (Some(name), None) = (request.segment(2), request.segment(3)) else {
        return Err(ApiError::unknown_path(&request.path));
    };
    let answer: fn(&Call<'_>) -> Result<Response, ApiError> = match name {
        "all" => list::all,
        "all-keys" => list::all_keys,
        "any" => any::handle,
        "by-example" => example::all,
        "first-example" => example::first,
        "remove-by-example" => example::remove,
        "replace-by-example" => example::replace,
        "update-by-example" => example::update,
        "lookup-by-keys" => keys::lookup,
        "remove-by-keys" => keys::remove,
        "range" => range::handle,
        "near" | "within" | "within-rectangle" => |_| Err(index_missing(1570, "geo")),
        "fulltext" => |_| Err(index_missing(1571, "fulltext")),
        _ => return Err(ApiError::unknown_path(&request.path)),
    };
    if request.method != Method::PUT {
        return Err(ApiError::method_not_allowed());
    }
    let database = context.scope(request)?;
    let body = request.value()?;
    let name = body.as_slice().get("collection").and_then(|name| name.as_str());
    let collection = database.collection(name.ok_or_else(|| missing("collection"))?)?;
    answer(&Call { context, database, collection, body })
}

fn missing(name: &str) -> ApiError {
    ApiError::bad_parameter(format!("the member '{name}' is missing or of the wrong type"))
}

/// No collection has an index of this kind, since it can't be made.
fn index_missing(number: u16, kind: &str) -> ApiError {
    persea::Error::with_number(number, format!("the collection has no {kind} index")).into()
}
