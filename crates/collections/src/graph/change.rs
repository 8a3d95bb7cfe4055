//! What changes of graphs have in common: they read all graphs, decide, and write, and nobody else does meanwhile.

use std::sync::Arc;

use persea_kv::Direction;
use persea_txn::{LockMode, TransactionOptions};

use super::{GRAPHS, GraphError, NamedGraph};
use crate::collection::Collection;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::read::View;
use crate::write::{OverwriteMode, Transaction, WriteOptions};

/// The graphs of a database in a transaction that changes them.
pub(super) struct GraphChange<'t> {
    collection: Arc<Collection>,
    transaction: &'t mut Transaction,
}

impl Database {
    /// Runs `work` in a transaction, again where it loses a race. Changes of graphs run one after the other, whichever
    /// graphs they are about: what may be in one depends on the others.
    ///
    /// # Errors
    /// What `work` returned, and as [`transact_with`](Self::transact_with).
    pub(super) fn change_graphs<T>(
        &self,
        mut work: impl FnMut(&mut GraphChange<'_>) -> Result<T>,
    ) -> Result<T> {
        let collection = self.collection(GRAPHS)?;
        let options = TransactionOptions::locking([(collection.id(), LockMode::Write)]);
        self.transact_with(&options, |transaction| {
            // No document has this key.
            transaction.lock_key(&collection, "")?;
            work(&mut GraphChange { collection: Arc::clone(&collection), transaction })
        })
    }
}

impl GraphChange<'_> {
    /// The named graph.
    ///
    /// # Errors
    /// [`GraphError::NotFound`], [`GraphError::Damaged`].
    pub(super) fn graph(&self, name: &str) -> Result<NamedGraph> {
        match self.transaction.get(&self.collection, name)? {
            Some(document) => NamedGraph::from_document(document),
            None => Err(GraphError::NotFound(name.to_owned()).into()),
        }
    }

    /// All graphs, sorted by name.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], storage errors.
    pub(super) fn graphs(&mut self) -> Result<Vec<NamedGraph>> {
        graphs_of(&self.transaction.view()?, &self.collection)
    }

    /// Writes a graph; gives it with its new revision.
    ///
    /// # Errors
    /// [`GraphError::Duplicate`] where `overwrite_mode` forbids to replace one.
    pub(super) fn store(
        &mut self,
        mut graph: NamedGraph,
        overwrite_mode: OverwriteMode,
    ) -> Result<NamedGraph> {
        let document = graph.to_document()?;
        let options = WriteOptions { overwrite_mode, ..WriteOptions::default() };
        let outcome =
            self.transaction.insert(&self.collection, document.as_slice(), &options).map_err(|error| {
                match error {
                    Error::UniqueConstraint { key, .. } => GraphError::Duplicate(key).into(),
                    other => other,
                }
            })?;
        graph.rev = outcome.rev.to_string();
        Ok(graph)
    }

    /// Removes a graph.
    ///
    /// # Errors
    /// [`Error::DocumentNotFound`].
    pub(super) fn remove(&mut self, name: &str) -> Result<()> {
        self.transaction.remove(&self.collection, name, &WriteOptions::default()).map(drop)
    }
}

/// All named graphs in `collection`, sorted by name.
pub(super) fn graphs_of(view: &View, collection: &Collection) -> Result<Vec<NamedGraph>> {
    let mut graphs = view
        .scan(collection, Direction::Forward)?
        .map(|row| NamedGraph::from_document(row?.1))
        .collect::<Result<Vec<_>>>()?;
    graphs.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(graphs)
}
