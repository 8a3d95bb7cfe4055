//! Renaming a collection: its documents carry the name in `_id`, and graphs refer to it.

use persea_kv::{Direction, Tree};
use persea_txn::Interrupt;
use persea_vpack::{Builder, Slice};

use crate::collection::Collection;
use crate::database::Database;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::names::check_collection_name;
use crate::read::EVERYTHING;
use crate::write::{EntryList, EntryMaker, WriteOptions};

impl Database {
    /// Renames a collection. Named graphs follow; edges that point into it keep their `_from` and `_to`. Waits for who
    /// holds the collection exclusively.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for an empty name, [`Error::IllegalName`], [`Error::DuplicateName`],
    /// [`Error::CollectionNotFound`], [`Error::Forbidden`] for system collections, [`Error::LockTimeout`].
    pub fn rename_collection(&self, name_or_id: &str, new_name: &str) -> Result<()> {
        self.rename_collection_unless(name_or_id, new_name, None)
    }

    /// As [`rename_collection`](Self::rename_collection) with a wait that `interrupt` ends.
    ///
    /// # Errors
    /// As [`rename_collection`](Self::rename_collection); [`Error::Interrupted`].
    pub fn rename_collection_unless(
        &self,
        name_or_id: &str,
        new_name: &str,
        interrupt: Option<&Interrupt>,
    ) -> Result<()> {
        if new_name.is_empty() {
            return Err(Error::BadParameter("name is empty".to_owned()));
        }
        let is_wanted = |collection: &Collection| {
            if *collection.name() == *new_name {
                return Ok(false);
            }
            self.check_renamable(collection, new_name).map(|()| true)
        };
        if !is_wanted(&*self.collection(name_or_id)?)? {
            return Ok(());
        }
        let (collection, lock, _changes) = self.lock_named(name_or_id, interrupt)?;
        if !is_wanted(&collection)? {
            return Ok(());
        }
        let old_name = collection.name();
        rename_stored(&collection, new_name)?;
        // Graphs are documents of a collection, which somebody may hold who waits for this one.
        drop(lock);
        self.replace_name(&old_name, &collection);
        self.rename_in_graphs(&old_name, new_name)
    }

    fn check_renamable(&self, collection: &Collection, new_name: &str) -> Result<()> {
        let old_name = collection.name();
        if collection.is_system() {
            return Err(Error::Forbidden(format!("system collection '{old_name}' cannot be renamed")));
        }
        check_collection_name(new_name, false, self.shared.naming)?;
        self.check_name_is_free(new_name)
    }

    fn rename_in_graphs(&self, old_name: &str, new_name: &str) -> Result<()> {
        let collection = self.collection(crate::graph::GRAPHS)?;
        for mut graph in self.graphs()? {
            if graph.rename_collection(old_name, new_name) {
                let document = graph.to_document()?;
                self.transact(|transaction| {
                    transaction.replace(
                        &collection,
                        &graph.name,
                        document.as_slice(),
                        &WriteOptions::default(),
                    )
                })?;
            }
        }
        Ok(())
    }
}

/// Renames the collection in the store, documents included, in one commit.
fn rename_stored(collection: &Collection, new_name: &str) -> Result<()> {
    let _gate = collection.gate.write();
    let definition = collection.definition();
    let mut properties = collection.stored_properties();
    new_name.clone_into(&mut properties.options.name);
    let renamed = definition.with_properties(properties);
    let mut transaction = collection.shared.manager.begin()?;
    rewrite_ids(&mut transaction, &definition, new_name)?;
    collection.commit_definition(transaction, renamed)
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
