//! Renaming a collection: its documents carry the name in `_id`, and graphs refer to it.

use persea_kv::{Direction, Tree};
use persea_txn::{Interrupt, LockMode, TransactionOptions};
use persea_vpack::{Builder, Slice};

use crate::collection::Collection;
use crate::database::Database;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::graph::GRAPHS;
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::names::check_collection_name;
use crate::read::EVERYTHING;
use crate::write::{EntryList, EntryMaker, Transaction, WriteOptions};

impl Database {
    /// Renames a collection. Named graphs follow; edges that point into it keep their `_from` and `_to`. Waits for who
    /// holds the collection exclusively, and for who writes to graphs if one uses the collection.
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
        loop {
            let collection = self.collection(name_or_id)?;
            let old_name = collection.name();
            if *old_name == *new_name {
                return Ok(());
            }
            self.check_renamable(&collection, new_name)?;
            let is_in_graphs = self.is_in_graphs(&old_name)?;
            let mut transaction = self.lock_for_rename(&collection, is_in_graphs, interrupt)?;
            let _changes = self.changes.lock();
            let is_same =
                self.collection(name_or_id)?.id() == collection.id() && collection.name() == old_name;
            if !is_same || self.is_in_graphs(&old_name)? != is_in_graphs {
                // Something else has come to be true during the wait.
                continue;
            }
            self.check_renamable(&collection, new_name)?;
            if is_in_graphs {
                self.rename_in_graphs(&mut transaction, &old_name, new_name)?;
            }
            rename_stored(&collection, new_name)?;
            self.replace_name(&old_name, &collection);
            return transaction.commit();
        }
    }

    /// Locks the collection against others that hold it exclusively, and all graphs if they have to follow. After that
    /// nothing of a rename waits for a lock.
    fn lock_for_rename(
        &self,
        collection: &Collection,
        is_in_graphs: bool,
        interrupt: Option<&Interrupt>,
    ) -> Result<Transaction> {
        let mut locks = vec![(collection.id(), LockMode::Write)];
        if is_in_graphs {
            // Others should not stand still for the graphs while the collection is waited for.
            drop(collection.lock_for_change(interrupt)?);
            locks.push((self.collection(GRAPHS)?.id(), LockMode::Exclusive));
        }
        let mut options = TransactionOptions::locking(locks);
        options.interrupt = interrupt.cloned();
        self.begin_with(&options)
    }

    fn is_in_graphs(&self, name: &str) -> Result<bool> {
        Ok(self.graphs()?.iter().any(|graph| graph.role_of(name).is_some()))
    }

    fn check_renamable(&self, collection: &Collection, new_name: &str) -> Result<()> {
        let old_name = collection.name();
        if collection.is_system() {
            return Err(Error::Forbidden(format!("system collection '{old_name}' cannot be renamed")));
        }
        check_collection_name(new_name, false, self.shared.naming)?;
        self.check_name_is_free(new_name)
    }

    fn rename_in_graphs(&self, transaction: &mut Transaction, old_name: &str, new_name: &str) -> Result<()> {
        let collection = self.collection(GRAPHS)?;
        for mut graph in self.graphs()? {
            if graph.rename_collection(old_name, new_name) {
                let document = graph.to_document()?;
                transaction.replace(
                    &collection,
                    &graph.name,
                    document.as_slice(),
                    &WriteOptions::default(),
                )?;
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
