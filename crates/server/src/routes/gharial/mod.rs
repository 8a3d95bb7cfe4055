//! `/_api/gharial`: named graphs, their collections, vertices and edges.

mod answer;
mod documents;
mod edge_definitions;
mod graphs;
mod vertex_collections;

use hyper::Method;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use documents::Kind;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.scope(request)?;
    let segments: Vec<&str> = request.target.segments.iter().skip(2).map(String::as_str).collect();
    match *segments.as_slice() {
        [] => graphs::all(&database, request),
        [graph] => graphs::one(&database, request, graph),
        [graph, "vertex"] => vertex_collections::all(database.graph(graph)?, request),
        [graph, "edge"] => edge_definitions::all(database.graph(graph)?, request),
        [graph, "vertex", collection] => match request.method {
            Method::POST => documents::insert(&database.graph(graph)?, request, Kind::Vertex, collection),
            Method::DELETE => vertex_collections::remove(database.graph(graph)?, request, collection),
            _ => Err(ApiError::method_not_allowed()),
        },
        [graph, "edge", collection] => match request.method {
            Method::POST => documents::insert(&database.graph(graph)?, request, Kind::Edge, collection),
            Method::PUT => edge_definitions::replace(database.graph(graph)?, request, collection),
            Method::DELETE => edge_definitions::remove(database.graph(graph)?, request, collection),
            _ => Err(ApiError::method_not_allowed()),
        },
        [graph, "vertex", collection, key] => {
            documents::one(&database.graph(graph)?, request, Kind::Vertex, collection, key)
        }
        [graph, "edge", collection, key] => {
            documents::one(&database.graph(graph)?, request, Kind::Edge, collection, key)
        }
        _ => Err(ApiError::unknown_path(&request.path)),
    }
}
