//! The stored definition of a collection: properties, keyspaces and indexes, replaced as a whole by each change.

use std::sync::Arc;

use persea_index::{IndexDefinition, IndexKind};
use persea_txn::CommitSeq;
use persea_vpack::{Slice, VPackBuf};

use crate::error::{Error, Result};
use crate::index::Index;
use crate::properties::{CollectionKind, Properties};
use crate::shared::Shared;

/// One immutable state of a collection's definition.
#[derive(Debug)]
pub(crate) struct Definition {
    /// Rises with every change that writers have to know of.
    pub(crate) generation: u64,
    /// The commit that brought this generation: older snapshots go with an earlier one. Zero for what was there at the
    /// start, and for new collections, which are empty in older snapshots whichever way one looks.
    pub(crate) since: CommitSeq,
    pub(crate) name: Arc<str>,
    pub(crate) properties: Properties,
    /// Keyspace of the documents.
    pub(crate) documents: u64,
    /// Keyspace of the primary index.
    pub(crate) primary: u64,
    pub(crate) indexes: Arc<[Arc<Index>]>,
}

impl Definition {
    /// The definition of a new collection with fresh keyspaces and its built-in indexes.
    pub(crate) fn create(shared: &Shared, properties: Properties) -> Result<Self> {
        let documents = shared.ticks.next()?;
        let primary = Index::primary(shared.ticks.next()?);
        let mut indexes = vec![Arc::new(primary)];
        if properties.options.kind == CollectionKind::Edge {
            indexes.push(Arc::new(Index::edge(shared.ticks.next()?, shared.ticks.next()?)));
        }
        Ok(Self::assemble(0, properties, documents, indexes.into()))
    }

    pub(crate) fn assemble(
        generation: u64,
        properties: Properties,
        documents: u64,
        indexes: Arc<[Arc<Index>]>,
    ) -> Self {
        let primary = indexes.first().map_or(0, |index| index.keyspace);
        Self {
            generation,
            since: CommitSeq::default(),
            name: properties.options.name.as_str().into(),
            properties,
            documents,
            primary,
            indexes,
        }
    }

    /// The next definition with other properties.
    pub(crate) fn with_properties(&self, properties: Properties) -> Self {
        Self::assemble(self.generation + 1, properties, self.documents, Arc::clone(&self.indexes))
    }

    /// The next definition with other indexes.
    pub(crate) fn with_indexes(&self, indexes: Arc<[Arc<Index>]>) -> Self {
        Self::assemble(self.generation + 1, self.properties.clone(), self.documents, indexes)
    }

    /// This definition with one more index, for collections without documents.
    pub(crate) fn with_empty_index(&self, shared: &Shared, definition: Slice<'_>) -> Result<Self> {
        let id = shared.ticks.next()?;
        let index = Index::new(IndexDefinition::from_vpack(definition)?.with_identity(id), id, 0);
        let indexes: Vec<_> = self.indexes.iter().cloned().chain([Arc::new(index)]).collect();
        Ok(self.with_indexes(indexes.into()))
    }

    /// This definition, with the indexes that `other` has too taken from there, for their estimates.
    pub(crate) fn sharing(mut self, other: &Self) -> Self {
        let shared = |index: &Arc<Index>| {
            let same = other.indexes.iter().find(|other| other.keyspace == index.keyspace);
            Arc::clone(same.unwrap_or(index))
        };
        self.indexes = self.indexes.iter().map(shared).collect();
        self
    }

    /// The index that is as `wanted`, but for its name.
    pub(crate) fn index_like(&self, wanted: &IndexDefinition) -> Option<Arc<Index>> {
        self.indexes.iter().find(|index| index.definition().is_same_index(wanted)).cloned()
    }

    /// The indexes that every write has to keep up, which are all but the primary index.
    pub(crate) fn secondary_indexes(&self) -> &[Arc<Index>] {
        self.indexes.get(1..).unwrap_or_default()
    }

    pub(crate) fn kind(&self) -> CollectionKind {
        self.properties.options.kind
    }

    /// The record the catalog stores.
    pub(crate) fn to_record(&self) -> Result<VPackBuf> {
        let mut failure = Ok(());
        let record = crate::properties::object(|builder| {
            let key_value = self.properties.options.key_options.last_value;
            self.properties.write_full(key_value, builder);
            builder.key("documents");
            builder.add_u64(self.documents);
            builder.key("indexes");
            builder.open_array();
            for index in self.indexes.iter() {
                builder.open_object();
                builder.key("id");
                builder.add_u64(index.id());
                builder.key("keyspace");
                builder.add_u64(index.keyspace);
                builder.key("keyspaceIn");
                builder.add_u64(index.keyspace_in);
                builder.key("definition");
                match index.to_vpack(&self.name) {
                    Ok(definition) => builder.add_slice(definition.as_slice()),
                    Err(error) => {
                        failure = Err(error);
                        builder.add_null()
                    }
                };
                builder.close();
            }
            builder.close();
        })?;
        failure.map(|()| record)
    }

    /// Reads back a record.
    pub(crate) fn from_record(record: Slice<'_>) -> Result<Self> {
        let properties = Properties::from_record(record)?;
        let documents = number(record, "documents")?;
        let list = record.get("indexes").ok_or_else(|| corrupt("indexes"))?;
        let indexes = list
            .array_iter()
            .map(|entry| {
                let definition = entry.get("definition").ok_or_else(|| corrupt("definition"))?;
                let keyspace = number(entry, "keyspace")?;
                let keyspace_in = number(entry, "keyspaceIn")?;
                Index::restore(definition, number(entry, "id")?, keyspace, keyspace_in).map(Arc::new)
            })
            .collect::<Result<Vec<_>>>()?;
        if indexes.first().is_none_or(|index| index.kind() != IndexKind::Primary) {
            return Err(corrupt("primary index"));
        }
        Ok(Self::assemble(0, properties, documents, indexes.into()))
    }
}

fn number(record: Slice<'_>, name: &str) -> Result<u64> {
    record.get(name).and_then(|value| value.as_u64()).ok_or_else(|| corrupt(name))
}

fn corrupt(what: &str) -> Error {
    Error::Corrupt(format!("collection record without {what}"))
}
