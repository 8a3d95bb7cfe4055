//! What changes of graphs have in common: they read all graphs, decide, and write, and nobody else does meanwhile.

use std::sync::Arc;

use persea_kv::Direction;
use persea_txn::LockMode;

use super::{GRAPHS, GraphError, NamedGraph, UnusedCollections};
use crate::change_lock::{ChangeLocks, ChangeOptions, right_to_change, without_writers};
use crate::collection::Collection;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::read::View;
use crate::write::{OverwriteMode, Transaction, WriteOptions};

/// The graphs of a database in a transaction that changes them.
pub(super) struct GraphChange<'t> {
    collection: Arc<Collection>,
    transaction: &'t mut Transaction,
    /// The collections of the graphs that were stored.
    used: Vec<String>,
}

/// How an attempt to change graphs ended.
enum Attempt<T> {
    /// The change is committed, and the collections are dropped.
    Committed(T),
    /// Nothing is changed: these collections have to be locked.
    Unlocked(Vec<Arc<Collection>>),
}

impl Database {
    /// Runs `work` in a transaction, again where it loses a race. Changes of graphs run one after the other, whichever
    /// graphs they are about: what may be in one depends on the others.
    ///
    /// # Errors
    /// What `work` returned, and as [`transact_with`](Self::transact_with).
    pub(super) fn change_graphs<T>(
        &self,
        options: &ChangeOptions,
        mut work: impl FnMut(&mut GraphChange<'_>) -> Result<T>,
    ) -> Result<T> {
        let work = |change: &mut GraphChange<'_>| Ok((work(change)?, Vec::new()));
        self.change_graphs_and_drop(UnusedCollections::Keep, options, work)
    }

    /// As [`change_graphs`](Self::change_graphs) with work that also tells which collections go out of use. Those of
    /// them that no graph uses any more are dropped in the same commit, if they are to be; who writes to them is waited
    /// for before anything is written.
    ///
    /// # Errors
    /// As [`change_graphs`](Self::change_graphs); [`Error::Forbidden`] for system collections, [`Error::LockTimeout`],
    /// [`Error::Interrupted`], [`Error::Deadlock`].
    pub(super) fn change_graphs_and_drop<T>(
        &self,
        unused: UnusedCollections,
        options: &ChangeOptions,
        mut work: impl FnMut(&mut GraphChange<'_>) -> Result<(T, Vec<String>)>,
    ) -> Result<T> {
        let graphs = self.collection(GRAPHS)?;
        let mut locked: Vec<Arc<Collection>> = Vec::new();
        loop {
            let _ends: Vec<_> = locked.iter().map(|collection| collection.announce_end()).collect();
            let ids = locked.iter().map(|collection| collection.id());
            let locks = ids.flat_map(|id| [right_to_change(id), without_writers(id)]);
            let locks = locks.chain([(graphs.id(), LockMode::Write)]);
            let options = ChangeLocks::new(&self.shared, options).transaction_options(locks);
            let attempt = self.attempt_with(&options, |mut transaction| {
                // No document has this key.
                transaction.lock_key(&graphs, "")?;
                let mut change = GraphChange {
                    collection: Arc::clone(&graphs),
                    transaction: &mut transaction,
                    used: Vec::new(),
                };
                let (value, names) = work(&mut change)?;
                let dropped = match unused {
                    UnusedCollections::Keep => Vec::new(),
                    UnusedCollections::Drop => self.unused_of(names, &change.graphs()?)?,
                };
                let is_locked = |wanted: &Arc<Collection>| locked.iter().any(|own| own.id() == wanted.id());
                if !dropped.iter().all(is_locked) {
                    return Ok(Attempt::Unlocked(dropped));
                }
                let used = change.used;
                self.commit_graphs(transaction, &used, &dropped)?;
                Ok(Attempt::Committed(value))
            })?;
            match attempt {
                Attempt::Committed(value) => return Ok(value),
                Attempt::Unlocked(collections) => locked = collections,
            }
        }
    }

    /// Those of the collections that exist and none of the graphs uses.
    fn unused_of(&self, names: Vec<String>, graphs: &[NamedGraph]) -> Result<Vec<Arc<Collection>>> {
        let mut unused: Vec<Arc<Collection>> = Vec::new();
        for name in names {
            let Ok(collection) = self.collection(&name) else { continue };
            let is_listed = unused.iter().any(|listed| listed.id() == collection.id());
            if is_listed || graphs.iter().any(|graph| graph.role_of(&name).is_some()) {
                continue;
            }
            if collection.is_system() {
                return Err(Error::Forbidden(format!("system collection '{name}' cannot be dropped")));
            }
            unused.push(collection);
        }
        Ok(unused)
    }

    /// Commits a change of graphs, and drops collections with it that are locked as a whole.
    ///
    /// # Errors
    /// [`Error::DefinitionChanged`] if somebody has dropped or renamed one of the collections that are `used`.
    fn commit_graphs(
        &self,
        transaction: Transaction,
        used: &[String],
        dropped: &[Arc<Collection>],
    ) -> Result<()> {
        let _changes = self.changes.lock();
        // Who drops or renames one looks for graphs that use it while he holds the same mutex.
        if let Some(gone) = used.iter().find(|name| self.collection(name).is_err()) {
            return Err(Error::DefinitionChanged(format!("'{gone}' was dropped or renamed meanwhile")));
        }
        let dropped: Vec<&Collection> = dropped
            .iter()
            .map(|collection| &**collection)
            .filter(|collection| !collection.is_dropped())
            .collect();
        transaction.commit_changing(
            &dropped,
            |inner| self.retire(inner, &dropped),
            |(), _| self.forget(&dropped),
        )
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
        self.used.extend(
            graph.edge_collections().into_iter().chain(graph.vertex_collections()).map(str::to_owned),
        );
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
