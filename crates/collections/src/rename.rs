//! Renaming a collection: its documents carry the name in `_id`, and graphs refer to it.

use std::sync::Arc;

use persea_kv::{Direction, Tree};
use persea_txn::LockMode;
use persea_vpack::{Builder, Slice};

use crate::change_lock::{ChangeLocks, ChangeOptions, right_to_change, without_writers};
use crate::collection::Collection;
use crate::database::Database;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::graph::{GRAPHS, NamedGraph};
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::names::check_collection_name;
use crate::read::EVERYTHING;
use crate::write::{EntryList, EntryMaker, Transaction, WriteOptions};

impl Database {
    /// Renames a collection. Named graphs follow; edges that point into it keep their `_from` and `_to`. Waits for who
    /// writes to the collection, and for who holds all graphs if one uses the collection.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for an empty name, [`Error::IllegalName`], [`Error::DuplicateName`],
    /// [`Error::CollectionNotFound`], [`Error::Forbidden`] for system collections, [`Error::LockTimeout`].
    pub fn rename_collection(&self, name_or_id: &str, new_name: &str) -> Result<()> {
        self.rename_collection_with(name_or_id, new_name, &ChangeOptions::default())
    }

    /// As [`rename_collection`](Self::rename_collection) with waits of its own kind.
    ///
    /// # Errors
    /// As [`rename_collection`](Self::rename_collection); [`Error::WriteConflict`] when graphs that use the collection
    /// are written by others again and again; [`Error::Interrupted`], [`Error::Deadlock`], [`Error::Stopping`].
    pub fn rename_collection_with(
        &self,
        name_or_id: &str,
        new_name: &str,
        options: &ChangeOptions,
    ) -> Result<()> {
        if new_name.is_empty() {
            return Err(Error::BadParameter("name is empty".to_owned()));
        }
        loop {
            let collection = self.collection(name_or_id)?;
            let old_name = collection.name();
            if *old_name == *new_name {
                return Ok(());
            }
            self.check_renamable(&collection, new_name)?;
            let mut locks = ChangeLocks::new(&self.shared, options);
            locks.lock([right_to_change(collection.id())])?;
            let mut wanted = vec![without_writers(collection.id())];
            let is_in_graphs = !self.graphs_with(&old_name)?.is_empty();
            if is_in_graphs {
                wanted.push((self.collection(GRAPHS)?.id(), LockMode::Write));
            }
            let has_renamed = self.attempt_with(&locks.transaction_options(wanted), |transaction| {
                // Something else may have come to be true during the wait.
                let named = self.collection(name_or_id)?;
                let is_same = named.id() == collection.id() && named.name() == old_name;
                let graphs = self.graphs_with(&old_name)?;
                if !is_same || graphs.is_empty() == is_in_graphs {
                    return Ok(false);
                }
                self.try_rename(transaction, &collection, &graphs, new_name)
            })?;
            if has_renamed {
                return Ok(());
            }
        }
    }

    /// Renames a collection without writers, in one commit with the graphs that use it. False if these have become
    /// others.
    fn try_rename(
        &self,
        mut transaction: Transaction,
        collection: &Arc<Collection>,
        graphs: &[NamedGraph],
        new_name: &str,
    ) -> Result<bool> {
        let old_name = collection.name();
        if !graphs.is_empty() {
            self.rename_in_graphs(&mut transaction, graphs, &old_name, new_name)?;
        }
        // What waits is done.
        let _changes = self.changes.lock();
        self.check_renamable(collection, new_name)?;
        if self.graphs_with(&old_name)? != graphs {
            return Ok(false);
        }
        let outcome = transaction.commit_changing(
            &[collection],
            |inner| {
                let definition = collection.definition();
                let mut properties = definition.properties.clone();
                new_name.clone_into(&mut properties.options.name);
                let renamed = definition.with_properties(properties);
                rewrite_ids(inner, &definition, new_name)?;
                collection.put_record(inner, &renamed)?;
                Ok(renamed)
            },
            |renamed, seq| {
                collection.set_definition(renamed, seq);
                self.replace_name(&old_name, collection);
            },
        );
        outcome.map(|()| true)
    }

    /// The graphs that use the collection of this name.
    fn graphs_with(&self, name: &str) -> Result<Vec<NamedGraph>> {
        let mut graphs = self.graphs()?;
        graphs.retain(|graph| graph.role_of(name).is_some());
        Ok(graphs)
    }

    fn check_renamable(&self, collection: &Collection, new_name: &str) -> Result<()> {
        let old_name = collection.name();
        if collection.is_system() {
            return Err(Error::Forbidden(format!("system collection '{old_name}' cannot be renamed")));
        }
        check_collection_name(new_name, false, self.shared.naming)?;
        self.check_name_is_free(new_name)
    }

    fn rename_in_graphs(
        &self,
        transaction: &mut Transaction,
        graphs: &[NamedGraph],
        old_name: &str,
        new_name: &str,
    ) -> Result<()> {
        let collection = self.collection(GRAPHS)?;
        for graph in graphs {
            let mut graph = graph.clone();
            graph.rename_collection(old_name, new_name);
            let document = graph.to_document()?;
            // The graph may have changed since it was read.
            let options = WriteOptions { if_match: Some(graph.rev.clone()), ..WriteOptions::default() };
            let replaced = transaction.replace(&collection, &graph.name, document.as_slice(), &options);
            replaced.map_err(|error| match error {
                Error::RevisionMismatch { .. } | Error::DocumentNotFound => {
                    Error::WriteConflict(format!("graph '{}' was changed meanwhile", graph.name))
                }
                other => other,
            })?;
        }
        Ok(())
    }
}

fn rewrite_ids(
    transaction: &mut persea_txn::Transaction,
    definition: &Definition,
    new_name: &str,
) -> Result<()> {
    let view = transaction.view()?;
    let mut builder = Builder::new().with_attribute_translation(true);
    let mut id = String::new();
    let mut maker = EntryMaker::default();
    let mut entries = EntryList::default();
    for row in view.range(Tree::Documents, definition.documents, EVERYTHING, Direction::Forward)? {
        let (local_id, document) = row?;
        builder.clear();
        builder.open_object();
        for (name, value) in Slice::trusted(document).object_iter() {
            builder.key(name);
            match value.as_str().filter(|_| name == "_id").and_then(|old| old.split_once('/')) {
                Some((_, key)) => {
                    id.clear();
                    id.push_str(new_name);
                    id.push('/');
                    id.push_str(key);
                    builder.add_str(&id);
                }
                None => {
                    builder.add_slice(value);
                }
            }
        }
        builder.close();
        let renamed = builder.as_slice()?;
        transaction.put(Tree::Documents, definition.documents, local_id, renamed.bytes())?;
        let number = read_u64(local_id).ok_or_else(|| Error::Corrupt("key of a document".to_owned()))?;
        for (position, index) in definition.secondary_indexes().iter().enumerate() {
            if stores_id(index) {
                maker.list(index, position, renamed, number, &mut entries)?;
            }
        }
        for entry in entries.iter() {
            transaction.put(Tree::Index, entry.keyspace, entry.key, entry.value)?;
        }
        entries.clear();
    }
    Ok(())
}

/// Whether entries of the index hold `_id`, which only stored values can.
fn stores_id(index: &Index) -> bool {
    index.definition().stored_values.iter().any(|path| path.names().next() == Some("_id"))
}
