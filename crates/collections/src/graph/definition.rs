//! The definition of a named graph: edge collections with what they connect, and orphan collections.

use std::collections::BTreeSet;

use persea_vpack::{Builder, Slice, VPackBuf};

use super::GraphError;
use crate::error::{Error, Result};
use crate::keys::is_valid_key;

/// Which vertex collections an edge collection connects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeDefinition {
    /// The edge collection.
    pub collection: String,
    /// Collections of source vertices, sorted.
    pub from: Vec<String>,
    /// Collections of target vertices, sorted.
    pub to: Vec<String>,
}

impl EdgeDefinition {
    /// Reads `{collection, from: […], to: […]}`.
    ///
    /// # Errors
    /// [`GraphError::MalformedEdgeDefinition`].
    pub fn from_vpack(definition: Slice<'_>) -> Result<Self> {
        let collection = definition
            .get("collection")
            .and_then(|name| name.as_str())
            .filter(|name| !name.is_empty())
            .ok_or_else(|| malformed("collection must be a name"))?;
        let side = |name: &str| -> Result<Vec<String>> {
            let list = definition
                .get(name)
                .filter(|list| list.is_array() && !list.is_empty())
                .ok_or_else(|| malformed(&format!("{name} must be a non-empty array")))?;
            let names: Option<BTreeSet<String>> = list.array_iter().map(collection_name).collect();
            Ok(names.ok_or_else(|| malformed(&format!("{name} must hold names")))?.into_iter().collect())
        };
        Ok(Self { collection: collection.to_owned(), from: side("from")?, to: side("to")? })
    }

    /// Vertex collections on either side.
    pub fn vertex_collections(&self) -> impl Iterator<Item = &str> {
        self.from.iter().chain(&self.to).map(String::as_str)
    }

    fn write_to(&self, builder: &mut Builder) {
        builder.open_object();
        builder.key("collection");
        builder.add_str(&self.collection);
        for (name, side) in [("from", &self.from), ("to", &self.to)] {
            builder.key(name);
            builder.open_array();
            side.iter().for_each(|collection| {
                builder.add_str(collection);
            });
            builder.close();
        }
        builder.close();
    }
}

fn collection_name(value: Slice<'_>) -> Option<String> {
    value.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

fn malformed(detail: &str) -> Error {
    GraphError::MalformedEdgeDefinition(detail.to_owned()).into()
}

/// A named graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedGraph {
    /// Name, unique in its database.
    pub name: String,
    /// Edge collections and what they connect.
    pub edge_definitions: Vec<EdgeDefinition>,
    /// Vertex collections without edge definition, sorted.
    pub orphan_collections: Vec<String>,
    /// Revision of the stored definition; empty before it is stored.
    pub rev: String,
}

impl NamedGraph {
    /// Reads the body of a create request.
    ///
    /// # Errors
    /// [`GraphError`]s for a missing name and malformed or repeated definitions, [`Error::IllegalKey`] for a bad name.
    pub fn from_vpack(body: Slice<'_>) -> Result<Self> {
        let name = body.get("name").or_else(|| body.get("_key")).and_then(|name| name.as_str());
        let name = name.filter(|name| !name.is_empty()).ok_or(GraphError::MissingName)?;
        if !is_valid_key(name) {
            return Err(Error::IllegalKey);
        }
        let mut graph = Self { name: name.to_owned(), ..Self::default() };
        if let Some(list) = body.get("edgeDefinitions").filter(|list| !list.is_null()) {
            if !list.is_array() {
                return Err(malformed("edgeDefinitions must be an array"));
            }
            for definition in list.array_iter() {
                graph.add_edge_definition(EdgeDefinition::from_vpack(definition)?)?;
            }
        }
        if let Some(list) = body.get("orphanCollections").filter(|list| !list.is_null()) {
            let names: Option<BTreeSet<String>> =
                list.is_array().then(|| list.array_iter().map(collection_name).collect()).flatten();
            let used = graph.connected_collections();
            let names = names.ok_or(GraphError::MalformedOrphans)?;
            if let Some(name) = names.iter().find(|name| used.contains(name.as_str())) {
                return Err(GraphError::UsedInEdgeDefinition(name.clone()).into());
            }
            graph.orphan_collections = names.into_iter().collect();
        }
        Ok(graph)
    }

    /// Reads a stored definition.
    ///
    /// # Errors
    /// [`GraphError::Damaged`] when it is not usable.
    pub fn from_document(document: Slice<'_>) -> Result<Self> {
        let mut graph = Self::from_vpack(document)
            .map_err(|error| Error::from(GraphError::Damaged(error.to_string())))?;
        graph.rev = document.get("_rev").and_then(|rev| rev.as_str()).unwrap_or_default().to_owned();
        Ok(graph)
    }

    /// The definition with `edgeDefinitions` and `orphanCollections`, headed by `_key`, as `_graphs` stores it.
    ///
    /// # Errors
    /// Building VelocyPack fails when it grows beyond its limits.
    pub fn to_document(&self) -> Result<VPackBuf> {
        crate::properties::object(|builder| {
            builder.key("_key");
            builder.add_str(&self.name);
            self.write_definitions(builder);
        })
    }

    /// The graph object of answers.
    ///
    /// # Errors
    /// As [`to_document`](Self::to_document).
    pub fn to_answer(&self) -> Result<VPackBuf> {
        crate::properties::object(|builder| {
            builder.key("_key");
            builder.add_str(&self.name);
            builder.key("_id");
            builder.add_str(&format!("_graphs/{}", self.name));
            builder.key("_rev");
            builder.add_str(&self.rev);
            builder.key("name");
            builder.add_str(&self.name);
            self.write_definitions(builder);
        })
    }

    fn write_definitions(&self, builder: &mut Builder) {
        builder.key("edgeDefinitions");
        builder.open_array();
        self.edge_definitions.iter().for_each(|definition| definition.write_to(builder));
        builder.close();
        builder.key("orphanCollections");
        builder.open_array();
        self.orphan_collections.iter().for_each(|name| {
            builder.add_str(name);
        });
        builder.close();
    }

    /// The definition of an edge collection.
    pub fn edge_definition(&self, collection: &str) -> Option<&EdgeDefinition> {
        self.edge_definitions.iter().find(|definition| definition.collection == collection)
    }

    /// Vertex collections that edge definitions name.
    fn connected_collections(&self) -> BTreeSet<&str> {
        self.edge_definitions.iter().flat_map(EdgeDefinition::vertex_collections).collect()
    }

    /// All vertex collections, orphans included, sorted.
    pub fn vertex_collections(&self) -> Vec<&str> {
        let mut names = self.connected_collections();
        names.extend(self.orphan_collections.iter().map(String::as_str));
        names.into_iter().collect()
    }

    /// All edge collections, sorted.
    pub fn edge_collections(&self) -> Vec<&str> {
        let names: BTreeSet<&str> =
            self.edge_definitions.iter().map(|definition| definition.collection.as_str()).collect();
        names.into_iter().collect()
    }

    /// Whether the graph uses the collection, and as what.
    pub fn role_of(&self, collection: &str) -> Option<&'static str> {
        if self.edge_definition(collection).is_some() {
            Some("an edge collection")
        } else if self.connected_collections().contains(collection) {
            Some("a vertex collection")
        } else if self.orphan_collections.iter().any(|name| name == collection) {
            Some("an orphan collection")
        } else {
            None
        }
    }

    /// Adds an edge definition; orphans it connects are none any more.
    ///
    /// # Errors
    /// [`GraphError::CollectionMultiUse`].
    pub fn add_edge_definition(&mut self, definition: EdgeDefinition) -> Result<()> {
        if self.edge_definition(&definition.collection).is_some() {
            return Err(GraphError::CollectionMultiUse(definition.collection).into());
        }
        self.edge_definitions.push(definition);
        self.forget_connected_orphans();
        Ok(())
    }

    /// Replaces the definition of an edge collection; vertex collections it no longer connects become orphans.
    ///
    /// # Errors
    /// [`GraphError::EdgeCollectionNotUsed`].
    pub fn replace_edge_definition(&mut self, definition: EdgeDefinition) -> Result<()> {
        let existing = self
            .edge_definitions
            .iter_mut()
            .find(|existing| existing.collection == definition.collection)
            .ok_or_else(|| GraphError::EdgeCollectionNotUsed(definition.collection.clone()))?;
        let old = std::mem::replace(existing, definition);
        self.keep_as_orphans(&old);
        Ok(())
    }

    /// Removes the definition of an edge collection; its vertex collections become orphans.
    ///
    /// # Errors
    /// [`GraphError::EdgeCollectionNotUsed`].
    pub fn remove_edge_definition(&mut self, collection: &str) -> Result<()> {
        let position = self
            .edge_definitions
            .iter()
            .position(|definition| definition.collection == collection)
            .ok_or_else(|| GraphError::EdgeCollectionNotUsed(collection.to_owned()))?;
        let old = self.edge_definitions.remove(position);
        self.keep_as_orphans(&old);
        Ok(())
    }

    /// Adds an orphan collection.
    ///
    /// # Errors
    /// [`GraphError::UsedInEdgeDefinition`], [`GraphError::UsedInOrphans`].
    pub fn add_orphan(&mut self, collection: &str) -> Result<()> {
        match self.role_of(collection) {
            None => {}
            Some("an orphan collection") => {
                return Err(GraphError::UsedInOrphans(collection.to_owned()).into());
            }
            Some(_) => return Err(GraphError::UsedInEdgeDefinition(collection.to_owned()).into()),
        }
        self.orphan_collections.push(collection.to_owned());
        self.orphan_collections.sort();
        Ok(())
    }

    /// Removes an orphan collection.
    ///
    /// # Errors
    /// [`GraphError::NotInOrphans`] for collections of edge definitions, [`GraphError::VertexCollectionMissing`] for
    /// collections that are not in the graph.
    pub fn remove_orphan(&mut self, collection: &str) -> Result<()> {
        match self.orphan_collections.iter().position(|name| name == collection) {
            Some(position) => {
                self.orphan_collections.remove(position);
                Ok(())
            }
            None if self.role_of(collection).is_some() => Err(GraphError::NotInOrphans.into()),
            None => Err(GraphError::VertexCollectionMissing(collection.to_owned()).into()),
        }
    }

    /// Follows the renaming of a collection. Returns whether the graph used it.
    pub fn rename_collection(&mut self, from: &str, to: &str) -> bool {
        let mut is_changed = false;
        let mut rename = |name: &mut String| {
            if name == from {
                to.clone_into(name);
                is_changed = true;
            }
        };
        for definition in &mut self.edge_definitions {
            rename(&mut definition.collection);
            definition.from.iter_mut().for_each(&mut rename);
            definition.to.iter_mut().for_each(&mut rename);
            definition.from.sort();
            definition.to.sort();
        }
        self.orphan_collections.iter_mut().for_each(rename);
        self.orphan_collections.sort();
        is_changed
    }

    fn forget_connected_orphans(&mut self) {
        let used: BTreeSet<String> = self.connected_collections().into_iter().map(str::to_owned).collect();
        self.orphan_collections.retain(|name| !used.contains(name));
    }

    fn keep_as_orphans(&mut self, old: &EdgeDefinition) {
        let mut orphans: BTreeSet<String> = self.orphan_collections.drain(..).collect();
        orphans.extend(old.vertex_collections().map(str::to_owned));
        self.orphan_collections = orphans.into_iter().collect();
        self.forget_connected_orphans();
    }

    /// Checks that an edge with these ends may lie in `collection`.
    ///
    /// # Errors
    /// [`GraphError::EdgeCollectionNotUsed`], [`GraphError::ReferencedCollectionNotInGraph`],
    /// [`GraphError::InvalidEdge`], [`Error::InvalidEdgeAttribute`].
    pub fn check_edge(&self, collection: &str, from: &str, to: &str) -> Result<()> {
        let definition = self
            .edge_definition(collection)
            .ok_or_else(|| GraphError::EdgeCollectionNotUsed(collection.to_owned()))?;
        let vertices = self.vertex_collections();
        let end = |attribute: &'static str, id: &str| -> Result<String> {
            let (name, _) = crate::keys::split_id(id).ok_or(Error::InvalidEdgeAttribute)?;
            if vertices.contains(&name) {
                return Ok(name.to_owned());
            }
            let collection = name.to_owned();
            Err(GraphError::ReferencedCollectionNotInGraph { attribute, collection }.into())
        };
        let (source, target) = (end("_from", from)?, end("_to", to)?);
        if definition.from.contains(&source) && definition.to.contains(&target) {
            Ok(())
        } else {
            Err(GraphError::InvalidEdge { from: from.to_owned(), to: to.to_owned() }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use persea_vpack::vpack;

    fn sample() -> NamedGraph {
        let body = vpack!({
            "name": "g",
            "edgeDefinitions": [{ "collection": "e", "from": ["b", "a", "b"], "to": ["c"] }],
            "orphanCollections": ["o"]
        });
        NamedGraph::from_vpack(body.as_slice()).unwrap()
    }

    #[test]
    fn sides_are_sorted_and_distinct() {
        let graph = sample();
        assert_eq!(graph.edge_definitions[0].from, ["a", "b"]);
        assert_eq!(graph.vertex_collections(), ["a", "b", "c", "o"]);
        let stored = graph.to_document().unwrap();
        assert_eq!(NamedGraph::from_document(stored.as_slice()).unwrap(), graph);
    }

    #[test]
    fn removed_definitions_leave_orphans() {
        let mut graph = sample();
        graph.remove_edge_definition("e").unwrap();
        assert_eq!(graph.orphan_collections, ["a", "b", "c", "o"]);
        let again = EdgeDefinition { collection: "e".into(), from: vec!["a".into()], to: vec!["o".into()] };
        graph.add_edge_definition(again).unwrap();
        assert_eq!(graph.orphan_collections, ["b", "c"]);
    }

    #[test]
    fn edges_are_checked() {
        let graph = sample();
        let number =
            |from: &str, to: &str| graph.check_edge("e", from, to).map_err(|error| error.error_num());
        assert_eq!(number("a/1", "c/1"), Ok(()));
        assert_eq!(number("a/1", "b/1"), Err(1906));
        assert_eq!(number("x/1", "b/1"), Err(1947));
        assert_eq!(number("x", "b/1"), Err(1233));
    }

    #[test]
    fn bad_bodies() {
        for (body, expected) in [
            (vpack!({}), 1922),
            (vpack!({ "name": "a b" }), 1221),
            (vpack!({ "name": "g", "edgeDefinitions": [{ "collection": "e" }] }), 1923),
            (vpack!({ "name": "g", "orphanCollections": [1] }), 1943),
            (
                vpack!({ "name": "g", "edgeDefinitions": [
                    { "collection": "e", "from": ["a"], "to": ["a"] },
                    { "collection": "e", "from": ["a"], "to": ["a"] }
                ] }),
                1920,
            ),
        ] {
            assert_eq!(NamedGraph::from_vpack(body.as_slice()).unwrap_err().error_num(), expected);
        }
    }
}
