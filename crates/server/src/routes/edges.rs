//! `/_api/edges/{collection}`: the edges at one vertex, or at several.

use hyper::{Method, StatusCode};
use persea::EdgeDirection;
use persea_vpack::Builder;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.scope(request)?;
    let [_, _, collection] = request.target.segments.as_slice() else {
        return Err(ApiError::bad_parameter("expecting /_api/edges/<collection>"));
    };
    let collection = database.collection(collection)?;
    match request.method {
        Method::GET => {
            let vertex = request.query.required("vertex", || {
                ApiError::bad_parameter("the parameter 'vertex' must be the identifier of a vertex")
            })?;
            if !is_identifier(vertex) {
                return Err(persea::Error::with_number(1205, "illegal document identifier").into());
            }
            edges(&collection, &[vertex], request)
        }
        Method::POST => {
            let body = request.value()?;
            if !body.as_slice().is_array() {
                return Err(ApiError::bad_parameter("expecting an array of vertex identifiers as body"));
            }
            // What is no identifier has no edges.
            let vertices: Vec<&str> = body
                .as_slice()
                .array_iter()
                .filter_map(|id| id.as_str())
                .filter(|id| is_identifier(id))
                .collect();
            edges(&collection, &vertices, request)
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn edges(
    collection: &persea::Collection,
    vertices: &[&str],
    request: &Request,
) -> Result<Response, ApiError> {
    let direction = direction(request)?;
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("edges");
    builder.open_array();
    let n_edges = collection.edges_at(vertices, direction, |edge| {
        builder.add_slice(edge);
    })?;
    builder.close();
    builder.key("stats");
    builder.open_object();
    for (name, count) in [("scannedFull", 0), ("scannedIndex", n_edges), ("filtered", 0), ("httpRequests", 0)]
    {
        builder.key(name);
        builder.add_u64(count as u64);
    }
    builder.close();
    builder.close();
    let body = builder.finish().map_err(persea::Error::from)?;
    Ok(Response::envelope(StatusCode::OK, body.as_slice()))
}

fn direction(request: &Request) -> Result<EdgeDirection, ApiError> {
    match request.query.get("direction") {
        None | Some("any" | "") => Ok(EdgeDirection::Any),
        Some("in") => Ok(EdgeDirection::Inbound),
        Some("out") => Ok(EdgeDirection::Outbound),
        Some(other) => {
            Err(ApiError::bad_parameter(format!("the direction must be 'any', 'in' or 'out', not '{other}'")))
        }
    }
}

/// Whether the text has the form `collection/key`.
fn is_identifier(text: &str) -> bool {
    text.split_once('/')
        .is_some_and(|(collection, key)| !collection.is_empty() && !key.is_empty() && !key.contains('/'))
}
