//! Locks of collections without a transaction around them.

use std::sync::Arc;

use super::Transaction;
use crate::manager::Shared;
use crate::{Result, TransactionOptions};

/// Collections that are locked until it is dropped, by somebody who reads and writes otherwise. Unlike a transaction it
/// has no snapshot, so the storage keeps nothing for it, however long it lives.
#[derive(Debug)]
pub struct Hold(Transaction);

impl Hold {
    pub(crate) fn begin(shared: Arc<Shared>, options: &TransactionOptions) -> Result<Hold> {
        Transaction::without_snapshot(shared, options).map(Hold)
    }

    /// Its number among the transactions, for [`TransactionOptions::inside_of`].
    pub fn id(&self) -> u64 {
        self.0.id()
    }
}
