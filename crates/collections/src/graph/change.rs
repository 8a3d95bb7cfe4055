//! What changes of graphs have in common: they read all graphs, decide, and write, and nobody else does meanwhile.

use std::sync::Arc;

use persea_kv::Direction;
use persea_txn::{LockMode, TransactionOptions};

use super::{GRAPHS, GraphError, NamedGraph, UnusedCollections};
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

/// How an attempt to change graphs ended.
enum Attempt<T> {
    /// The change is committed; so many collections were dropped as could be.
    Committed(T, Result<()>),
    /// Nothing is changed: these collections have to be locked.
    Unlocked(Vec<u64>),
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
        self.change_graphs_and_drop(UnusedCollections::Keep, |change| Ok((work(change)?, Vec::new())))
    }

    /// As [`change_graphs`](Self::change_graphs) with work that also tells which collections go out of use. Those of
    /// them that no graph uses any more are dropped, if they are to be.
    ///
    /// They are locked before anything is written: whatever fails until then leaves everything as it was.
    ///
    /// # Errors
    /// As [`change_graphs`](Self::change_graphs); [`Error::Forbidden`] for system collections, [`Error::LockTimeout`],
    /// [`Error::Interrupted`]. When dropping itself fails, the graphs are changed all the same.
    pub(super) fn change_graphs_and_drop<T>(
        &self,
        unused: UnusedCollections<'_>,
        mut work: impl FnMut(&mut GraphChange<'_>) -> Result<(T, Vec<String>)>,
    ) -> Result<T> {
        let collection = self.collection(GRAPHS)?;
        let mut locked: Vec<u64> = Vec::new();
        loop {
            let ids = locked.iter().copied().chain([collection.id()]);
            let mut options = TransactionOptions::locking(ids.map(|id| (id, LockMode::Write)));
            if let UnusedCollections::Drop(interrupt) = unused {
                options.interrupt = interrupt.cloned();
            }
            let attempt = self.attempt_with(&options, |mut transaction| {
                // No document has this key.
                transaction.lock_key(&collection, "")?;
                let mut change =
                    GraphChange { collection: Arc::clone(&collection), transaction: &mut transaction };
                let (value, names) = work(&mut change)?;
                let dropped = match unused {
                    UnusedCollections::Keep => Vec::new(),
                    UnusedCollections::Drop(_) => self.unused_of(names, &change.graphs()?)?,
                };
                let ids: Vec<u64> = dropped.iter().map(|collection| collection.id()).collect();
                if !ids.iter().all(|id| locked.contains(id)) {
                    return Ok(Attempt::Unlocked(ids));
                }
                transaction.commit_part()?;
                // It goes on to hold the locks.
                Ok(Attempt::Committed(value, self.drop_unused(&dropped)))
            })?;
            match attempt {
                Attempt::Committed(value, dropped) => return dropped.map(|()| value),
                Attempt::Unlocked(ids) => locked = ids,
            }
        }
    }

    /// Those of the collections that exist and none of the graphs uses.
    fn unused_of(&self, names: Vec<String>, graphs: &[NamedGraph]) -> Result<Vec<Arc<Collection>>> {
        let mut unused = Vec::new();
        for name in names {
            let Ok(collection) = self.collection(&name) else { continue };
            if graphs.iter().any(|graph| graph.role_of(&name).is_some()) {
                continue;
            }
            if collection.is_system() {
                return Err(Error::Forbidden(format!("system collection '{name}' cannot be dropped")));
            }
            unused.push(collection);
        }
        Ok(unused)
    }

    /// Drops the collections, but for those that a graph has come to use or somebody else has dropped. The caller has
    /// locked them.
    fn drop_unused(&self, collections: &[Arc<Collection>]) -> Result<()> {
        for collection in collections {
            let _changes = self.changes.lock();
            if collection.is_dropped() {
                continue;
            }
            match self.check_droppable(collection, false) {
                Ok(()) => self.drop_unchecked(collection)?,
                Err(Error::Graph(GraphError::MustNotDrop { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
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
