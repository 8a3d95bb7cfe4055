//! Named graphs: which edge collections connect which vertex collections.

mod definition;
mod documents;
mod incident;

use persea_collections::graph::{NamedGraph, UnusedCollections};
use persea_vpack::{Slice, VPackBuf, to_vpack};
use serde::Serialize;

use crate::database::Database;
use crate::error::{Error, Result};

pub use definition::EdgeDefinition;
pub use documents::GraphCollection;
pub use incident::EdgeDirection;

/// A named graph: a handle with the definition as it was when the handle was made or last changed the graph.
///
/// ```
/// use persea::EdgeDefinition;
/// use serde_json::{Value, json};
///
/// # fn main() -> Result<(), persea::Error> {
/// let db = persea::Database::in_memory()?;
/// let social = db.create_graph("social", &[EdgeDefinition::new("knows", ["people"], ["people"])])?;
/// let (people, knows) = (social.vertices("people")?, social.edges("knows")?);
/// people.insert(&json!({ "_key": "ann" }))?;
/// people.insert(&json!({ "_key": "bob" }))?;
/// knows.insert(&json!({ "_key": "1", "_from": "people/ann", "_to": "people/bob" }))?;
/// assert!(knows.insert(&json!({ "_from": "people/ann", "_to": "people/nobody" })).is_err());
///
/// people.remove("bob")?;
/// assert_eq!(knows.get::<Value>("1")?, None, "edges go with their vertices");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Graph {
    definition: NamedGraph,
    database: Database,
}

impl Database {
    /// The graph of this name.
    ///
    /// # Errors
    /// 1924 when there is none.
    pub fn graph(&self, name: &str) -> Result<Graph> {
        Ok(Graph { definition: self.inner().graph(name)?, database: self.clone() })
    }

    /// All graphs, sorted by name.
    ///
    /// # Errors
    /// 1941 when a stored definition is damaged.
    pub fn graphs(&self) -> Result<Vec<Graph>> {
        let definitions = self.inner().graphs()?;
        Ok(definitions.into_iter().map(|definition| Graph { definition, database: self.clone() }).collect())
    }

    /// Makes a graph, and those of its collections that are missing.
    ///
    /// # Errors
    /// 1921 when another graph uses an edge collection otherwise, 1925 when the name is taken, 1944 when an edge
    /// collection is one of documents; 1920, 1922 and 1923 for definitions that make no sense.
    pub fn create_graph(&self, name: &str, edge_definitions: &[EdgeDefinition]) -> Result<Graph> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Body<'a> {
            name: &'a str,
            edge_definitions: &'a [EdgeDefinition],
        }
        let body =
            to_vpack(&Body { name, edge_definitions }).map_err(|error| Error::Convert(error.to_string()))?;
        self.create_graph_with(body.as_slice())
    }

    /// Makes a graph as ArangoDB describes it: `{ "name": …, "edgeDefinitions": […], "orphanCollections": […] }`.
    ///
    /// # Errors
    /// As [`create_graph`](Database::create_graph); 1929 and 1943 for bad orphan collections.
    pub fn create_graph_with(&self, description: Slice<'_>) -> Result<Graph> {
        Ok(Graph {
            definition: self.inner().create_graph(description, &self.change_options()?)?,
            database: self.clone(),
        })
    }

    /// Drops a graph; with `drop_collections` also those of its collections that no other graph uses.
    ///
    /// # Errors
    /// 1924 when there is none of this name; where collections are dropped, 18, 21, 29 and 1653 as
    /// [`drop_collection`](Database::drop_collection), and nothing is changed then.
    pub fn drop_graph(&self, name: &str, drop_collections: bool) -> Result<()> {
        let graph = self.inner().graph(name)?;
        let names = graph.edge_collections().into_iter().chain(graph.vertex_collections());
        let unused = self.unused_collections(drop_collections, names)?;
        Ok(self.inner().drop_graph(name, unused, &self.change_options()?)?)
    }

    /// What becomes of collections that no graph uses after a change. `names` are those that may be dropped.
    ///
    /// # Errors
    /// 1653 inside of a transaction that has locked one of them.
    fn unused_collections<'n>(
        &self,
        are_dropped: bool,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<UnusedCollections> {
        if !are_dropped {
            return Ok(UnusedCollections::Keep);
        }
        if let Some(transaction) = self.bound() {
            let collections = names.into_iter().filter_map(|name| self.inner().collection(name).ok());
            for collection in collections {
                transaction.refuse_change(&collection)?;
            }
        }
        Ok(UnusedCollections::Drop)
    }
}

impl Graph {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The revision of its definition.
    pub fn revision(&self) -> &str {
        &self.definition.rev
    }

    /// The database it is in.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The definition in ArangoDB's shape, as answers show it.
    ///
    /// # Errors
    /// When it can't be built.
    pub fn description(&self) -> Result<VPackBuf> {
        Ok(self.definition.to_answer()?)
    }

    /// What its edge collections connect.
    pub fn edge_definitions(&self) -> Vec<EdgeDefinition> {
        self.definition.edge_definitions.iter().map(EdgeDefinition::from).collect()
    }

    /// The names of its edge collections, sorted.
    pub fn edge_collections(&self) -> Vec<&str> {
        self.definition.edge_collections()
    }

    /// The names of its vertex collections, orphans included, sorted.
    pub fn vertex_collections(&self) -> Vec<&str> {
        self.definition.vertex_collections()
    }

    /// The names of vertex collections that no edge definition uses, sorted.
    pub fn orphan_collections(&self) -> &[String] {
        &self.definition.orphan_collections
    }

    /// Adds an edge definition, and makes those of its collections that are missing.
    ///
    /// # Errors
    /// 1920 when the graph has the edge collection already, 1921 when another graph uses it otherwise, 1923 for a
    /// definition that makes no sense, 1944 when it is a collection of documents.
    pub fn add_edge_definition(&mut self, definition: &EdgeDefinition) -> Result<()> {
        let (definition, options) = (definition.checked()?, self.database.change_options()?);
        self.definition = self.database.inner().add_edge_definition(self.name(), definition, &options)?;
        Ok(())
    }

    /// Replaces the definition of an edge collection, in all graphs that use it. Vertex collections that it frees
    /// become orphans; with `drop_collections` they are dropped unless another graph uses them.
    ///
    /// # Errors
    /// 1930 when the graph doesn't have the edge collection; else as
    /// [`add_edge_definition`](Graph::add_edge_definition).
    pub fn replace_edge_definition(
        &mut self,
        definition: &EdgeDefinition,
        drop_collections: bool,
    ) -> Result<()> {
        let definition = definition.checked()?;
        let unused = self.database.unused_collections(drop_collections, self.vertex_collections())?;
        let (database, options) = (self.database.inner(), self.database.change_options()?);
        self.definition = database.replace_edge_definition(self.name(), definition, unused, &options)?;
        Ok(())
    }

    /// Removes an edge collection; its vertex collections become orphans. With `drop_collection` the edge collection
    /// is dropped unless another graph uses it.
    ///
    /// # Errors
    /// 1930 when the graph doesn't have the edge collection.
    pub fn remove_edge_definition(&mut self, collection: &str, drop_collection: bool) -> Result<()> {
        let unused = self.database.unused_collections(drop_collection, [collection])?;
        let (database, options) = (self.database.inner(), self.database.change_options()?);
        self.definition = database.remove_edge_definition(self.name(), collection, unused, &options)?;
        Ok(())
    }

    /// Adds a vertex collection that no edge definition uses, and makes it when it is missing.
    ///
    /// # Errors
    /// 1929 and 1938 when the graph has it already, 1208 for a bad name.
    pub fn add_vertex_collection(&mut self, collection: &str) -> Result<()> {
        let (database, options) = (self.database.inner(), self.database.change_options()?);
        self.definition = database.add_vertex_collection(self.name(), collection, true, &options)?;
        Ok(())
    }

    /// Adds a vertex collection that exists and that no edge definition uses.
    ///
    /// # Errors
    /// 1926 when it doesn't exist, 1929 and 1938 when the graph has it already.
    pub fn add_existing_vertex_collection(&mut self, collection: &str) -> Result<()> {
        let (database, options) = (self.database.inner(), self.database.change_options()?);
        self.definition = database.add_vertex_collection(self.name(), collection, false, &options)?;
        Ok(())
    }

    /// Removes a vertex collection that no edge definition uses. With `drop_collection` it is dropped unless another
    /// graph uses it.
    ///
    /// # Errors
    /// 1928 when an edge definition uses it, 1926 when the graph doesn't have it.
    pub fn remove_vertex_collection(&mut self, collection: &str, drop_collection: bool) -> Result<()> {
        let unused = self.database.unused_collections(drop_collection, [collection])?;
        let (database, options) = (self.database.inner(), self.database.change_options()?);
        self.definition = database.remove_vertex_collection(self.name(), collection, unused, &options)?;
        Ok(())
    }

    /// One of its vertex collections, to be written under the graph's rules.
    ///
    /// # Errors
    /// 1949 when the graph doesn't have it, 1203 when it doesn't exist.
    pub fn vertices(&self, collection: &str) -> Result<GraphCollection> {
        GraphCollection::vertices(self, collection)
    }

    /// One of its edge collections, to be written under the graph's rules.
    ///
    /// # Errors
    /// 1930 when the graph doesn't have it, 1203 when it doesn't exist.
    pub fn edges(&self, collection: &str) -> Result<GraphCollection> {
        GraphCollection::edges(self, collection)
    }
}
