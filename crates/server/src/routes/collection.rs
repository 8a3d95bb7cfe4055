//! `/_api/collection`: list, create, inspect, change, drop.

use hyper::{Method, StatusCode};
use persea::{Collection, Database};
use persea_vpack::{Builder, VPackBuf, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::target::encoded_segment;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.database(request)?;
    if request.segment(4).is_some() {
        return Err(ApiError::unknown_path(&request.path));
    }
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::GET, None, None) => list(&database, request),
        (&Method::POST, None, None) => create(&database, request),
        (&Method::GET | &Method::HEAD, Some(name), None) => {
            let collection = database.collection(name)?;
            Ok(Response::envelope(StatusCode::OK, collection.basic_properties()?.as_slice()))
        }
        (&Method::DELETE, Some(name), None) => drop(&*context.scope(request)?, request, name),
        (&Method::GET, Some(name), Some(aspect)) => inspect(context, request, name, aspect),
        (&Method::PUT, Some(name), Some(action)) => act(context, request, name, action),
        (&Method::PUT, ..) => {
            Err(ApiError::bad_request("expected PUT /_api/collection/<collection-name>/<action>"))
        }
        (&Method::GET | &Method::POST | &Method::DELETE, ..) => Err(ApiError::unknown_path(&request.path)),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `GET /_api/key-generators`.
pub fn key_generators(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let mut builder = Builder::new();
    builder.open_object().key("keyGenerators").open_array();
    for name in persea::KEY_GENERATORS {
        builder.add_str(name);
    }
    builder.close().close();
    Ok(Response::value(StatusCode::OK, builder.finish().map_err(persea::Error::from)?))
}

fn list(database: &Database, request: &Request) -> Result<Response, ApiError> {
    let exclude_system = request.query.flag("excludeSystem", false);
    let mut builder = Builder::new();
    builder.open_array();
    for collection in database.collections() {
        if exclude_system && collection.is_system() {
            continue;
        }
        builder.add_slice(collection.basic_properties()?.as_slice());
    }
    builder.close();
    Ok(Response::result(StatusCode::OK, builder.finish().map_err(persea::Error::from)?.as_slice()))
}

fn create(database: &Database, request: &Request) -> Result<Response, ApiError> {
    let body = request.value()?;
    let collection = database.create_collection_with(body.as_slice())?;
    Ok(Response::envelope(StatusCode::OK, collection.properties()?.as_slice()))
}

fn drop(database: &Database, request: &Request, name: &str) -> Result<Response, ApiError> {
    let id = database.drop_collection(name, request.query.flag("isSystem", false))?;
    Ok(Response::envelope(StatusCode::OK, vpack!({ "id": (id.to_string()) }).as_slice()))
}

fn inspect(context: &Context, request: &Request, name: &str, aspect: &str) -> Result<Response, ApiError> {
    let database = context.scope(request)?;
    let collection = database.collection(name)?;
    let answer = match aspect {
        "properties" => collection.properties()?,
        "count" => with(&collection.properties()?, "count", &vpack!((collection.count()?)))?,
        "figures" => {
            let counted = with(&collection.properties()?, "count", &vpack!((collection.count()?)))?;
            let details = request.query.flag("details", false);
            with(&counted, "figures", &collection.figures(details)?)?
        }
        "revision" => with(&collection.properties()?, "revision", &vpack!((collection.revision()?)))?,
        "checksum" => {
            let with_revisions = request.query.flag("withRevisions", false);
            let with_data = request.query.flag("withData", false);
            let checksum = collection.checksum(with_revisions, with_data)?;
            let revised =
                with(&collection.basic_properties()?, "revision", &vpack!((collection.revision()?)))?;
            with(&revised, "checksum", &vpack!((checksum.to_string())))?
        }
        "shards" => return Err(only_in_cluster()),
        _ => return Err(ApiError::unknown_path(&request.path)),
    };
    Ok(located(request, &collection, aspect, Response::envelope(StatusCode::OK, answer.as_slice())))
}

fn act(context: &Context, request: &Request, name: &str, action: &str) -> Result<Response, ApiError> {
    let database = context.scope(request)?;
    if action == "rename" {
        return rename(&database, request, name);
    }
    let collection = database.collection(name)?;
    let answer = match action {
        "properties" => {
            collection.set_properties(request.value()?.as_slice())?;
            collection.properties()?
        }
        "truncate" => {
            collection.truncate(request.query.flag("waitForSync", false))?;
            collection.basic_properties()?
        }
        "load" => {
            let body = request.value_or_empty()?;
            let wants_count = body.as_slice().get("count").and_then(|count| count.as_bool()).unwrap_or(true);
            if wants_count {
                with(&collection.basic_properties()?, "count", &vpack!((collection.count()?)))?
            } else {
                collection.basic_properties()?
            }
        }
        "unload" | "compact" => collection.basic_properties()?,
        "loadIndexesIntoMemory" => vpack!({ "result": true }),
        "recalculateCount" => vpack!({ "result": true, "count": (collection.recalculate_count()?) }),
        "responsibleShard" => return Err(only_in_cluster()),
        _ => return Err(ApiError::unknown_path(&request.path)),
    };
    Ok(located(request, &collection, action, Response::envelope(StatusCode::OK, answer.as_slice())))
}

fn rename(database: &Database, request: &Request, name: &str) -> Result<Response, ApiError> {
    let body = request.value()?;
    let new_name = body.as_slice().get("name").and_then(|name| name.as_str()).filter(|name| !name.is_empty());
    let new_name = new_name.ok_or_else(|| {
        ApiError::from(persea::Error::with_number(1208, "illegal name: expecting the new name as a string"))
    })?;
    let collection = database.rename_collection(name, new_name)?;
    Ok(located(
        request,
        &collection,
        "rename",
        Response::envelope(StatusCode::OK, collection.basic_properties()?.as_slice()),
    ))
}

/// An object with one more member.
fn with(object: &VPackBuf, name: &str, value: &VPackBuf) -> Result<VPackBuf, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    for (key, member) in object.as_slice().object_iter() {
        builder.key(key);
        builder.add_slice(member);
    }
    builder.key(name);
    builder.add_slice(value.as_slice());
    builder.close();
    Ok(builder.finish().map_err(persea::Error::from)?)
}

fn located(request: &Request, collection: &Collection, aspect: &str, response: Response) -> Response {
    let name = collection.name();
    let [database, name] = [&*request.target.database, &name].map(encoded_segment);
    let path = format!("/_db/{database}/_api/collection/{name}/{aspect}");
    response.with_header("location", &path)
}

fn only_in_cluster() -> ApiError {
    ApiError::new(StatusCode::NOT_IMPLEMENTED, 1471, "this operation is only for servers of a cluster")
}
