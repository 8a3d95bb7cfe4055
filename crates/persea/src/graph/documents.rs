//! Vertices and edges, written under the rules of a graph.

use persea_collections::graph::{GraphError, NamedGraph};
use persea_collections::keys::split_id;
use persea_collections::{Error as StoreError, Transaction, WriteOptions, WriteOutcome};
use persea_vpack::{Slice, VPackBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Graph;
use crate::collection::{Collection, DocumentMeta};
use crate::error::Result;
use crate::transaction::{AccessMode, vpack_of};

type StoreResult<T> = std::result::Result<T, StoreError>;

/// What a graph uses a collection for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Vertices,
    Edges,
}

/// A vertex or edge collection as one graph sees it.
///
/// Edges are written only if the graph allows them and both vertices exist; removing a document also removes, in the
/// same transaction, the edges at it in all graphs that use its collection. Every write follows the graph's
/// definition of that moment.
#[derive(Clone)]
pub struct GraphCollection {
    graph: String,
    collection: Collection,
    role: Role,
}

impl GraphCollection {
    pub(super) fn vertices(graph: &Graph, collection: &str) -> Result<GraphCollection> {
        graph.definition.check_vertex_collection(collection)?;
        GraphCollection::new(graph, collection, Role::Vertices)
    }

    pub(super) fn edges(graph: &Graph, collection: &str) -> Result<GraphCollection> {
        check_edge_collection(&graph.definition, collection)?;
        GraphCollection::new(graph, collection, Role::Edges)
    }

    fn new(graph: &Graph, collection: &str, role: Role) -> Result<GraphCollection> {
        let collection = graph.database().collection(collection)?;
        Ok(GraphCollection { graph: graph.name().to_owned(), collection, role })
    }

    /// The collection itself, without the graph's rules.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// The document of this key.
    ///
    /// # Errors
    /// When the document doesn't fit the type.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        self.collection.get(key)
    }

    /// The document of this key as VelocyPack.
    ///
    /// # Errors
    /// Storage errors.
    pub fn get_vpack(&self, key: &str) -> Result<Option<VPackBuf>> {
        self.collection.get_vpack(key)
    }

    /// Inserts a vertex or an edge.
    ///
    /// # Errors
    /// For edges 1233 when an end is missing or malformed, 1906 and 1947 when the graph doesn't allow it, 1202 when a
    /// vertex doesn't exist; else as [`Collection::insert`].
    pub fn insert<T: Serialize>(&self, document: &T) -> Result<DocumentMeta> {
        Ok(self.insert_with(vpack_of(document)?.as_slice(), &WriteOptions::default())?.into())
    }

    /// Inserts a vertex or an edge given as VelocyPack.
    ///
    /// # Errors
    /// As [`insert`](GraphCollection::insert).
    pub fn insert_with(&self, document: Slice<'_>, options: &WriteOptions) -> Result<WriteOutcome> {
        self.check_access_to_ends(document)?;
        self.write(|tx, graph| {
            self.check_document(tx, graph, document)?;
            tx.insert(self.collection.inner(), document, options)
        })
    }

    /// Merges `patch` into the document of this key. Of an edge, only the ends that the patch names are checked.
    ///
    /// # Errors
    /// As [`insert`](GraphCollection::insert) and [`Collection::update`].
    pub fn update<T: Serialize>(&self, key: &str, patch: &T) -> Result<DocumentMeta> {
        Ok(self.update_with(key, vpack_of(patch)?.as_slice(), &WriteOptions::default())?.into())
    }

    /// Merges `patch`, given as VelocyPack, into the document of this key.
    ///
    /// # Errors
    /// As [`update`](GraphCollection::update).
    pub fn update_with(&self, key: &str, patch: Slice<'_>, options: &WriteOptions) -> Result<WriteOutcome> {
        self.check_access_to_ends(patch)?;
        self.write(|tx, graph| {
            self.check_patch(tx, graph, key, patch)?;
            tx.update(self.collection.inner(), key, patch, options)
        })
    }

    /// Replaces the document of this key.
    ///
    /// # Errors
    /// As [`insert`](GraphCollection::insert) and [`Collection::replace`].
    pub fn replace<T: Serialize>(&self, key: &str, document: &T) -> Result<DocumentMeta> {
        Ok(self.replace_with(key, vpack_of(document)?.as_slice(), &WriteOptions::default())?.into())
    }

    /// Replaces the document of this key by one given as VelocyPack.
    ///
    /// # Errors
    /// As [`replace`](GraphCollection::replace).
    pub fn replace_with(
        &self,
        key: &str,
        document: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.check_access_to_ends(document)?;
        self.write(|tx, graph| {
            self.check_document(tx, graph, document)?;
            tx.replace(self.collection.inner(), key, document, options)
        })
    }

    /// Removes the document of this key and the edges at it.
    ///
    /// # Errors
    /// 1202 when there is none.
    pub fn remove(&self, key: &str) -> Result<()> {
        self.remove_with(key, &WriteOptions::default()).map(drop)
    }

    /// Removes the document of this key and the edges at it.
    ///
    /// # Errors
    /// 1202 when there is none, 1200 when its revision isn't the expected one.
    pub fn remove_with(&self, key: &str, options: &WriteOptions) -> Result<WriteOutcome> {
        self.check_access_to_edges()?;
        let database = self.collection.database().inner();
        self.write(|tx, graph| {
            self.check_role(graph)?;
            // An edge may be a vertex of another graph, and then has edges at it as well.
            database.remove_graph_vertex(tx, self.collection.inner(), key, options)
        })
    }

    fn write<T>(&self, mut work: impl FnMut(&mut Transaction, &NamedGraph) -> StoreResult<T>) -> Result<T> {
        let database = self.collection.database().inner();
        self.collection.write(|tx| work(tx, &database.graph(&self.graph)?))
    }

    /// A transaction must be allowed to read the vertices at an edge, since they are looked for.
    fn check_access_to_ends(&self, edge: Slice<'_>) -> Result<()> {
        let database = self.collection.database();
        if database.bound().is_none() || self.role != Role::Edges {
            return Ok(());
        }
        let ends = ["_from", "_to"].into_iter().filter_map(|name| edge.get(name)?.as_str());
        for (vertices, _) in ends.filter_map(split_id) {
            // One that doesn't exist is told of by the checks that follow.
            if let Ok(vertices) = database.collection(vertices) {
                vertices.check_access(AccessMode::Read)?;
            }
        }
        Ok(())
    }

    /// A transaction must be allowed to write the edges that go with a document.
    fn check_access_to_edges(&self) -> Result<()> {
        let database = self.collection.database();
        if database.bound().is_none() {
            return Ok(());
        }
        let name = self.collection.name();
        for graph in database.graphs()? {
            if graph.vertex_collections().contains(&&*name) {
                for edges in graph.edge_collections() {
                    database.collection(edges)?.check_access(AccessMode::Write)?;
                }
            }
        }
        Ok(())
    }

    fn check_role(&self, graph: &NamedGraph) -> StoreResult<()> {
        let name = self.collection.name();
        match self.role {
            Role::Vertices => graph.check_vertex_collection(&name),
            Role::Edges => check_edge_collection(graph, &name),
        }
    }

    /// Checks a whole document.
    fn check_document(&self, tx: &Transaction, graph: &NamedGraph, document: Slice<'_>) -> StoreResult<()> {
        self.check_role(graph)?;
        if !document.is_object() {
            return Err(StoreError::DocumentTypeInvalid);
        }
        match self.role {
            Role::Vertices => Ok(()),
            Role::Edges => {
                let database = self.collection.database().inner();
                database.check_graph_edge(tx, graph, &self.collection.name(), document, None)
            }
        }
    }

    /// Checks a patch of the document of this key.
    fn check_patch(
        &self,
        tx: &Transaction,
        graph: &NamedGraph,
        key: &str,
        patch: Slice<'_>,
    ) -> StoreResult<()> {
        self.check_role(graph)?;
        let name = self.collection.name();
        let Some(definition) = graph.edge_definition(&name).filter(|_| self.role == Role::Edges) else {
            return Ok(());
        };
        for (attribute, side) in [("_from", &definition.from), ("_to", &definition.to)] {
            let Some(value) = patch.get(attribute) else { continue };
            let id = value.as_str().ok_or(StoreError::InvalidEdgeAttribute)?;
            let (vertices, vertex) = split_id(id).ok_or(StoreError::InvalidEdgeAttribute)?;
            if !graph.vertex_collections().contains(&vertices) {
                let collection = vertices.to_owned();
                return Err(GraphError::ReferencedCollectionNotInGraph { attribute, collection }.into());
            }
            if !side.iter().any(|allowed| allowed == vertices) {
                return Err(self.invalid_edge(tx, key, patch)?);
            }
            let vertices = self.collection.database().inner().collection(vertices)?;
            if tx.get(&vertices, vertex)?.is_none() {
                return Err(StoreError::DocumentNotFound);
            }
        }
        Ok(())
    }

    /// The error that names both ends which the edge would have after the patch.
    fn invalid_edge(&self, tx: &Transaction, key: &str, patch: Slice<'_>) -> StoreResult<StoreError> {
        let stored = tx.get(self.collection.inner(), key)?.ok_or(StoreError::DocumentNotFound)?;
        let end = |name| {
            let value = patch.get(name).or_else(|| stored.get(name)).and_then(|value| value.as_str());
            value.unwrap_or_default().to_owned()
        };
        Ok(GraphError::InvalidEdge { from: end("_from"), to: end("_to") }.into())
    }
}

fn check_edge_collection(graph: &NamedGraph, collection: &str) -> StoreResult<()> {
    match graph.edge_definition(collection) {
        Some(_) => Ok(()),
        None => Err(GraphError::EdgeCollectionNotUsed(collection.to_owned()).into()),
    }
}
