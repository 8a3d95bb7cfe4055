//! The vertex collections of a graph: list, add, remove.

use hyper::{Method, StatusCode};
use persea::Graph;

use super::answer;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `/_api/gharial/{graph}/vertex`.
pub fn all(graph: Graph, request: &Request) -> Result<Response, ApiError> {
    match request.method {
        Method::GET => answer::collections(&graph.vertex_collections()),
        Method::POST => add(graph, request),
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn add(mut graph: Graph, request: &Request) -> Result<Response, ApiError> {
    let body = request.value()?;
    let collection = body.as_slice().get("collection").and_then(|name| name.as_str());
    let collection = collection.filter(|name| !name.is_empty()).ok_or_else(|| {
        ApiError::bad_parameter("the attribute 'collection' must name the vertex collection to add")
    })?;
    if request.query.flag("createCollection", true) {
        graph.add_vertex_collection(collection)?;
    } else {
        graph.add_existing_vertex_collection(collection)?;
    }
    answer::changed_graph(&graph, request)
}

/// `DELETE /_api/gharial/{graph}/vertex/{collection}`.
pub fn remove(mut graph: Graph, request: &Request, collection: &str) -> Result<Response, ApiError> {
    graph.remove_vertex_collection(collection, request.query.flag("dropCollection", false))?;
    let status = answer::synced(graph.database(), request, StatusCode::OK)?;
    answer::graph(&graph, status)
}
