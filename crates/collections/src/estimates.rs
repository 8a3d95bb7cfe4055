//! Selectivity estimates: kept in memory by commits, stored now and then, exact enough for the optimizer.

use std::sync::Arc;

use parking_lot::Mutex;
use persea_index::SelectivityEstimator;
use persea_kv::Tree;
use persea_txn::Durability;

use crate::collection::Collection;
use crate::error::Result;
use crate::index::Index;
use crate::keyspaces::META_ESTIMATES;

/// Changes after which a small index's estimate is stored again; larger ones wait for an eighth of their size.
const CHANGES_MIN: u64 = 1024;

/// The estimate of one index.
#[derive(Debug, Default)]
pub(crate) struct Estimate {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    estimator: SelectivityEstimator,
    n_changes: u64,
}

/// A change of one entry: the hash of its field key, and whether it came or went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EstimateChange {
    pub(crate) hash: u64,
    pub(crate) is_insert: bool,
}

impl Estimate {
    /// Takes over a stored state. A state that cannot be read is forgotten: it is only an estimate.
    pub(crate) fn restore(&self, bytes: Option<&[u8]>) {
        if let Some(Ok(estimator)) = bytes.map(SelectivityEstimator::from_bytes) {
            *self.state.lock() = State { estimator, n_changes: 0 };
        }
    }

    /// Applies the changes of a commit.
    pub(crate) fn apply(&self, changes: impl Iterator<Item = EstimateChange>) {
        let mut state = self.state.lock();
        for change in changes {
            state.n_changes += 1;
            if change.is_insert {
                state.estimator.insert(change.hash);
            } else {
                state.estimator.remove(change.hash);
            }
        }
    }

    /// Share of different keys, above 0 and at most 1.
    pub(crate) fn value(&self) -> f64 {
        self.state.lock().estimator.estimate()
    }

    /// Stores the state when enough changed since the last time, or when anything did if `all`. Returns the changes
    /// that no longer count: [`Self::not_stored`] takes them back should the transaction fail.
    pub(crate) fn store(
        &self,
        transaction: &mut persea_txn::Transaction,
        keyspace: u64,
        all: bool,
    ) -> Result<u64> {
        let mut state = self.state.lock();
        let enough = if all { 1 } else { CHANGES_MIN + state.estimator.total() / 8 };
        if state.n_changes < enough {
            return Ok(0);
        }
        let bytes = state.estimator.to_bytes();
        transaction.put(Tree::Meta, META_ESTIMATES, &keyspace.to_be_bytes(), &bytes)?;
        Ok(std::mem::take(&mut state.n_changes))
    }

    /// The commit of what was stored has failed: its changes are still to be stored.
    pub(crate) fn not_stored(&self, n_changes: u64) {
        self.state.lock().n_changes += n_changes;
    }

    /// Whether something is to be stored.
    pub(crate) fn has_changed(&self) -> bool {
        self.state.lock().n_changes > 0
    }
}

impl Collection {
    /// Stores the selectivity estimates that changed much; `false` when somebody else is at it.
    ///
    /// # Errors
    /// Storage errors.
    pub(crate) fn store_changed_estimates(&self) -> Result<bool> {
        let Some(_storing) = self.storing_estimates.try_lock() else { return Ok(false) };
        self.commit_estimates(false)?;
        Ok(true)
    }

    /// Stores all selectivity estimates that changed. Waits for who else stores them.
    ///
    /// # Errors
    /// Storage errors.
    pub(crate) fn store_all_estimates(&self) -> Result<()> {
        let _storing = self.storing_estimates.lock();
        self.commit_estimates(true)
    }

    /// Stores the selectivity estimates that changed much, or all that changed at all; not while a change of the
    /// definition is under way, by which indexes may go. The caller holds `storing_estimates`: of two at once, the
    /// older could be stored last.
    fn commit_estimates(&self, all: bool) -> Result<()> {
        let Some(_gate) = self.gate.try_read().filter(|_| !self.is_dropped()) else { return Ok(()) };
        let indexes = self.indexes();
        let is_due = |index: &&Arc<Index>| index.is_estimated() && index.estimate.has_changed();
        let due: Vec<&Arc<Index>> = indexes.iter().filter(is_due).collect();
        if due.is_empty() {
            return Ok(());
        }
        let mut transaction = self.shared.manager.begin()?;
        let mut stored = Vec::with_capacity(due.len());
        let result = due
            .into_iter()
            .try_for_each(|index| {
                stored.push((index, index.estimate.store(&mut transaction, index.keyspace, all)?));
                Ok(())
            })
            .and_then(|()| Ok(transaction.commit(Durability::Buffered).map(drop)?));
        if result.is_err() {
            stored.iter().for_each(|(index, n_changes)| index.estimate.not_stored(*n_changes));
        }
        result
    }

    /// Adds all selectivity estimates that changed to what `transaction` writes.
    pub(crate) fn store_estimates(&self, transaction: &mut persea_txn::Transaction) -> Result<()> {
        for index in self.indexes().iter().filter(|index| index.is_estimated()) {
            index.estimate.store(transaction, index.keyspace, true)?;
        }
        Ok(())
    }
}
