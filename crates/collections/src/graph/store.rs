//! Creating, changing and dropping named graphs.

use persea_vpack::Slice;

use super::change::graphs_of;
use super::{EdgeDefinition, GRAPHS, GraphError, NamedGraph};
use crate::change_lock::ChangeOptions;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::properties::{CollectionKind, CollectionOptions};
use crate::write::OverwriteMode;

/// What becomes of the collections of a graph that no graph uses after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusedCollections {
    /// They stay.
    Keep,
    /// They are dropped. Who writes to one of them is waited for.
    Drop,
}

impl Database {
    /// The named graph.
    ///
    /// # Errors
    /// [`GraphError::NotFound`], [`GraphError::Damaged`].
    pub fn graph(&self, name: &str) -> Result<NamedGraph> {
        let collection = self.collection(GRAPHS)?;
        let view = self.view()?;
        match view.by_key(&collection, name)? {
            Some((_, document)) => NamedGraph::from_document(document),
            None => Err(GraphError::NotFound(name.to_owned()).into()),
        }
    }

    /// All named graphs, sorted by name.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], storage errors.
    pub fn graphs(&self) -> Result<Vec<NamedGraph>> {
        let collection = self.collection(GRAPHS)?;
        let view = self.view()?;
        graphs_of(&view, &collection)
    }

    /// Creates a graph from the body of a create request, and the collections it names when they are missing.
    ///
    /// # Errors
    /// [`GraphError`]s for bad definitions, [`GraphError::Duplicate`], [`GraphError::UsedInOtherGraph`],
    /// [`GraphError::EdgeDefinitionIsDocument`].
    pub fn create_graph(&self, body: Slice<'_>, options: &ChangeOptions) -> Result<NamedGraph> {
        let graph = NamedGraph::from_vpack(body)?;
        self.change_graphs(options, |change| {
            let others = change.graphs()?;
            if others.iter().any(|other| other.name == graph.name) {
                return Err(GraphError::Duplicate(graph.name.clone()).into());
            }
            for definition in &graph.edge_definitions {
                check_other_graphs(&others, &graph.name, definition)?;
            }
            self.ensure_graph_collections(&graph)?;
            change.store(graph.clone(), OverwriteMode::Conflict)
        })
    }

    /// Drops a graph.
    ///
    /// # Errors
    /// [`GraphError::NotFound`], storage errors; those of dropping a collection.
    pub fn drop_graph(&self, name: &str, unused: UnusedCollections, options: &ChangeOptions) -> Result<()> {
        self.change_graphs_and_drop(unused, options, |change| {
            let graph = change.graph(name)?;
            change.remove(name)?;
            let names = graph.edge_collections().into_iter().chain(graph.vertex_collections());
            Ok(((), names.map(str::to_owned).collect()))
        })
    }

    /// Adds an edge definition, creating missing collections.
    ///
    /// # Errors
    /// [`GraphError`]s as for creating a graph.
    pub fn add_edge_definition(
        &self,
        name: &str,
        definition: EdgeDefinition,
        options: &ChangeOptions,
    ) -> Result<NamedGraph> {
        self.change_graphs(options, |change| {
            let mut graph = change.graph(name)?;
            check_other_graphs(&change.graphs()?, name, &definition)?;
            graph.add_edge_definition(definition.clone())?;
            self.ensure_graph_collections(&graph)?;
            change.store(graph, OverwriteMode::Replace)
        })
    }

    /// Replaces the definition of an edge collection, in every graph that uses it.
    ///
    /// # Errors
    /// [`GraphError::EdgeCollectionNotUsed`] and as for creating a graph.
    pub fn replace_edge_definition(
        &self,
        name: &str,
        definition: EdgeDefinition,
        unused: UnusedCollections,
        options: &ChangeOptions,
    ) -> Result<NamedGraph> {
        let are_dropped = unused == UnusedCollections::Drop;
        self.change_graphs_and_drop(unused, options, |change| {
            let mut graph = change.graph(name)?;
            let before = graph.clone();
            graph.replace_edge_definition(definition.clone())?;
            self.ensure_graph_collections(&graph)?;
            for mut other in change.graphs()?.into_iter().filter(|other| other.name != name) {
                if other.edge_definition(&definition.collection).is_some() {
                    other.replace_edge_definition(definition.clone())?;
                    change.store(other, OverwriteMode::Replace)?;
                }
            }
            let mut dropped = Vec::new();
            if are_dropped {
                // What the old definition alone connected has just become an orphan: it goes with its collections.
                let is_new_orphan = |orphan: &String| !before.orphan_collections.contains(orphan);
                dropped
                    .extend(graph.orphan_collections.iter().filter(|orphan| is_new_orphan(orphan)).cloned());
                graph.orphan_collections.retain(|orphan| !is_new_orphan(orphan));
            }
            Ok((change.store(graph, OverwriteMode::Replace)?, dropped))
        })
    }

    /// Removes an edge collection from a graph; its vertex collections become orphans.
    ///
    /// # Errors
    /// [`GraphError::EdgeCollectionNotUsed`].
    pub fn remove_edge_definition(
        &self,
        name: &str,
        collection: &str,
        unused: UnusedCollections,
        options: &ChangeOptions,
    ) -> Result<NamedGraph> {
        self.change_graphs_and_drop(unused, options, |change| {
            let mut graph = change.graph(name)?;
            graph.remove_edge_definition(collection)?;
            Ok((change.store(graph, OverwriteMode::Replace)?, vec![collection.to_owned()]))
        })
    }

    /// Adds a vertex collection without edges.
    ///
    /// # Errors
    /// [`GraphError::UsedInEdgeDefinition`], [`GraphError::UsedInOrphans`];
    /// [`GraphError::VertexCollectionMissing`] when it does not exist and `create_collection` is false.
    pub fn add_vertex_collection(
        &self,
        name: &str,
        collection: &str,
        create_collection: bool,
        options: &ChangeOptions,
    ) -> Result<NamedGraph> {
        self.change_graphs(options, |change| {
            let mut graph = change.graph(name)?;
            graph.add_orphan(collection)?;
            if !create_collection && self.collection(collection).is_err() {
                return Err(GraphError::VertexCollectionMissing(collection.to_owned()).into());
            }
            self.ensure_graph_collections(&graph)?;
            change.store(graph, OverwriteMode::Replace)
        })
    }

    /// Removes a vertex collection that no edge definition uses.
    ///
    /// # Errors
    /// [`GraphError::NotInOrphans`], [`GraphError::VertexCollectionMissing`].
    pub fn remove_vertex_collection(
        &self,
        name: &str,
        collection: &str,
        unused: UnusedCollections,
        options: &ChangeOptions,
    ) -> Result<NamedGraph> {
        self.change_graphs_and_drop(unused, options, |change| {
            let mut graph = change.graph(name)?;
            graph.remove_orphan(collection)?;
            Ok((change.store(graph, OverwriteMode::Replace)?, vec![collection.to_owned()]))
        })
    }

    fn ensure_graph_collections(&self, graph: &NamedGraph) -> Result<()> {
        for name in graph.edge_collections() {
            match self.collection(name) {
                Ok(collection) if collection.is_edge() => {}
                Ok(_) => return Err(GraphError::EdgeDefinitionIsDocument(name.to_owned()).into()),
                Err(_) => self.create_if_missing(name, CollectionKind::Edge)?,
            }
        }
        for name in graph.vertex_collections() {
            if self.collection(name).is_err() {
                self.create_if_missing(name, CollectionKind::Document)?;
            }
        }
        Ok(())
    }

    fn create_if_missing(&self, name: &str, kind: CollectionKind) -> Result<()> {
        match self.create_collection(CollectionOptions { kind, ..CollectionOptions::new(name) }) {
            // Someone else was faster.
            Ok(_) | Err(Error::DuplicateName(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Other graphs may use the same edge collection only with the same definition.
fn check_other_graphs(graphs: &[NamedGraph], name: &str, definition: &EdgeDefinition) -> Result<()> {
    let is_different = |graph: &&NamedGraph| {
        graph.name != name
            && graph.edge_definition(&definition.collection).is_some_and(|other| other != definition)
    };
    match graphs.iter().find(is_different) {
        Some(_) => Err(GraphError::UsedInOtherGraph(definition.collection.clone()).into()),
        None => Ok(()),
    }
}
