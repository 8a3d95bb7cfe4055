//! Whole graphs: list, create, read, drop.

use hyper::{Method, StatusCode};
use persea::Database;
use persea_vpack::{Builder, Slice};

use super::answer;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `/_api/gharial`.
pub fn all(database: &Database, request: &Request) -> Result<Response, ApiError> {
    match request.method {
        Method::GET => list(database),
        Method::POST => create(database, request),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `/_api/gharial/{graph}`.
pub fn one(database: &Database, request: &Request, name: &str) -> Result<Response, ApiError> {
    match request.method {
        Method::GET => answer::graph(&database.graph(name)?, StatusCode::OK),
        Method::DELETE => {
            database.drop_graph(name, request.query.flag("dropCollections", false))?;
            Ok(answer::removed(answer::synced(database, request, StatusCode::CREATED)?))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn list(database: &Database) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("graphs");
    builder.open_array();
    for graph in database.graphs()? {
        builder.add_slice(graph.description()?.as_slice());
    }
    builder.close();
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, body.as_slice()))
}

fn create(database: &Database, request: &Request) -> Result<Response, ApiError> {
    let body = request.value()?;
    refuse_sharding(body.as_slice())?;
    answer::changed_graph(&database.create_graph_with(body.as_slice())?, request)
}

/// A graph that asks for a special distribution over a cluster would not get what it asks for.
fn refuse_sharding(body: Slice<'_>) -> Result<(), ApiError> {
    let wants = |name: &str| body.get(name).and_then(|value| value.as_bool()) == Some(true);
    if wants("isSmart") || wants("isSatellite") {
        return Err(ApiError::not_implemented("SmartGraphs and SatelliteGraphs are not implemented"));
    }
    Ok(())
}
