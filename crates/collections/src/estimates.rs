//! Selectivity estimates: kept in memory by commits, stored now and then, exact enough for the optimizer.

use parking_lot::Mutex;
use persea_index::SelectivityEstimator;
use persea_kv::Tree;

use crate::error::Result;
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

    /// Stores the state when enough changed since the last time, or when anything did if `all`.
    pub(crate) fn store(
        &self,
        transaction: &mut persea_txn::Transaction,
        keyspace: u64,
        all: bool,
    ) -> Result<()> {
        let mut state = self.state.lock();
        let enough = if all { 1 } else { CHANGES_MIN + state.estimator.total() / 8 };
        if state.n_changes >= enough {
            let bytes = state.estimator.to_bytes();
            transaction.put(Tree::Meta, META_ESTIMATES, &keyspace.to_be_bytes(), &bytes)?;
            state.n_changes = 0;
        }
        Ok(())
    }
}
