//! Writing vertices and edges under the rules of a named graph.

use persea_vpack::Slice;

use super::{GraphError, NamedGraph};
use crate::collection::Collection;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::keys::split_id;
use crate::read::EdgeDirection;
use crate::write::{Transaction, WriteOptions, WriteOutcome};

impl NamedGraph {
    /// Checks that the graph has this vertex collection.
    ///
    /// # Errors
    /// [`GraphError::CollectionNotInGraph`].
    pub fn check_vertex_collection(&self, collection: &str) -> Result<()> {
        if self.vertex_collections().contains(&collection) {
            Ok(())
        } else {
            Err(GraphError::CollectionNotInGraph(collection.to_owned()).into())
        }
    }
}

impl Database {
    /// Checks an edge to be written: its ends fit the graph, and the vertices exist. With `existing`, ends that
    /// `edge` leaves out are taken from there.
    ///
    /// # Errors
    /// [`GraphError`]s, [`Error::InvalidEdgeAttribute`], [`Error::DocumentNotFound`] when a vertex is missing.
    pub fn check_graph_edge(
        &self,
        transaction: &Transaction,
        graph: &NamedGraph,
        collection: &str,
        edge: Slice<'_>,
        existing: Option<Slice<'_>>,
    ) -> Result<()> {
        let end = |name: &str| {
            let value = edge.get(name).or_else(|| existing.and_then(|existing| existing.get(name)));
            value.and_then(|value| value.as_str()).ok_or(Error::InvalidEdgeAttribute)
        };
        let ends = [end("_from")?, end("_to")?];
        let [from, to] = ends;
        graph.check_edge(collection, from, to)?;
        for id in ends {
            let (name, key) = split_id(id).ok_or(Error::InvalidEdgeAttribute)?;
            let vertices = self.collection(name)?;
            if transaction.get(&vertices, key)?.is_none() {
                return Err(Error::DocumentNotFound);
            }
        }
        Ok(())
    }

    /// Removes a vertex and, in the edge collections of all graphs that use its collection, every edge at it.
    ///
    /// # Errors
    /// As [`Transaction::remove`].
    pub fn remove_graph_vertex(
        &self,
        transaction: &mut Transaction,
        collection: &Collection,
        key: &str,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        let outcome = transaction.remove(collection, key, options)?;
        let name = collection.name();
        let id = format!("{name}/{key}");
        let mut edge_collections: Vec<String> = Vec::new();
        for graph in self.graphs()? {
            if graph.vertex_collections().contains(&&*name) {
                edge_collections.extend(graph.edge_collections().into_iter().map(str::to_owned));
            }
        }
        edge_collections.sort();
        edge_collections.dedup();
        for edges in edge_collections {
            self.remove_edges_at(transaction, &edges, &id)?;
        }
        Ok(outcome)
    }

    fn remove_edges_at(&self, transaction: &mut Transaction, edges: &str, vertex: &str) -> Result<()> {
        let edges = self.collection(edges)?;
        let view = transaction.view()?;
        let options = WriteOptions { silent: true, ..WriteOptions::default() };
        for direction in [EdgeDirection::Outbound, EdgeDirection::Inbound] {
            for edge in view.edges(&edges, direction, vertex)? {
                let (local_id, _) = edge?;
                let document = view.indexed_document(&edges, local_id)?;
                let Some(key) = document.get("_key").and_then(|key| key.as_str()) else { continue };
                match transaction.remove(&edges, key, &options) {
                    // An edge from the vertex to itself is met twice.
                    Ok(_) | Err(Error::DocumentNotFound) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}
