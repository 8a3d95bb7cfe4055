//! The edge definitions of a graph: list of edge collections, add, replace, remove.

use hyper::Method;
use persea::{EdgeDefinition, Graph};

use super::answer;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `/_api/gharial/{graph}/edge`.
pub fn all(graph: Graph, request: &Request) -> Result<Response, ApiError> {
    match request.method {
        Method::GET => answer::collections(&graph.edge_collections()),
        Method::POST => add(graph, request),
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn add(mut graph: Graph, request: &Request) -> Result<Response, ApiError> {
    let definition = definition(request)?;
    if !request.query.flag("createCollections", true) {
        require_collections(&graph, &definition)?;
    }
    graph.add_edge_definition(&definition)?;
    answer::changed_graph(&graph, request)
}

/// `PUT /_api/gharial/{graph}/edge/{collection}`.
pub fn replace(mut graph: Graph, request: &Request, collection: &str) -> Result<Response, ApiError> {
    if !graph.edge_collections().contains(&collection) {
        return Err(not_used(collection));
    }
    let definition = definition(request)?;
    if definition.collection != collection {
        return Err(not_used(&definition.collection));
    }
    graph.replace_edge_definition(&definition, drop_collections(request))?;
    answer::changed_graph(&graph, request)
}

/// `DELETE /_api/gharial/{graph}/edge/{collection}`.
pub fn remove(mut graph: Graph, request: &Request, collection: &str) -> Result<Response, ApiError> {
    graph.remove_edge_definition(collection, drop_collections(request))?;
    answer::changed_graph(&graph, request)
}

fn definition(request: &Request) -> Result<EdgeDefinition, ApiError> {
    Ok(EdgeDefinition::try_from(request.value()?.as_slice())?)
}

/// Drivers write the parameter in the plural and in the singular.
fn drop_collections(request: &Request) -> bool {
    request.query.flag("dropCollections", false) || request.query.flag("dropCollection", false)
}

fn require_collections(graph: &Graph, definition: &EdgeDefinition) -> Result<(), ApiError> {
    let require = |name: &str, number: u16, what: &str| match graph.database().collection(name) {
        Ok(_) => Ok(()),
        Err(error) if error.number() == 1203 => {
            Err(persea::Error::with_number(number, format!("{what} collection '{name}' does not exist")))
        }
        Err(error) => Err(error),
    };
    require(&definition.collection, 1939, "edge")?;
    for name in definition.from.iter().chain(&definition.to) {
        require(name, 1926, "vertex")?;
    }
    Ok(())
}

fn not_used(collection: &str) -> ApiError {
    persea::Error::with_number(1930, format!("edge collection '{collection}' not used in graph")).into()
}
