//! The transactions that wait, each with what it waits for.

use ahash::RandomState;
use hashbrown::HashMap;

use super::owner::LockOwner;
use super::{LockKey, TransactionId};

/// What a transaction waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resource {
    Collection(u64),
    Key(LockKey),
}

#[derive(Debug)]
struct Wait {
    resource: Resource,
    yields: bool,
}

/// Who waits for what. A transaction waits for one thing at a time.
#[derive(Debug, Default)]
pub(super) struct Waits {
    waits: HashMap<TransactionId, Wait, RandomState>,
    /// Transactions that can't go on before another one has ended, and that one, as long as it waits. They are few.
    suspended: Vec<(TransactionId, TransactionId)>,
}

impl Waits {
    pub(super) fn begin(&mut self, owner: &LockOwner, resource: Resource) {
        self.waits.insert(owner.id, Wait { resource, yields: owner.yields });
        self.suspended.extend(owner.inside_of.iter().map(|outer| (*outer, owner.id)));
    }

    /// What the transaction has waited for.
    pub(super) fn end(&mut self, transaction: TransactionId) -> Option<Resource> {
        if !self.suspended.is_empty() {
            self.suspended.retain(|(_, inner)| *inner != transaction);
        }
        self.waits.remove(&transaction).map(|wait| wait.resource)
    }

    pub(super) fn resource_of(&self, transaction: TransactionId) -> Option<Resource> {
        self.waits.get(&transaction).map(|wait| wait.resource)
    }

    /// Those that wait and that the transaction can't go on without.
    pub(super) fn inside_of(&self, transaction: TransactionId) -> impl Iterator<Item = TransactionId> {
        self.suspended.iter().filter(move |(outer, _)| *outer == transaction).map(|(_, inner)| *inner)
    }

    /// Whether the transaction waits and is to be the first to give way.
    pub(super) fn yields(&self, transaction: TransactionId) -> bool {
        self.waits.get(&transaction).is_some_and(|wait| wait.yields)
    }

    pub(super) fn is_waiting(&self, transaction: TransactionId) -> bool {
        self.waits.contains_key(&transaction)
    }

    pub(super) fn transactions(&self) -> impl Iterator<Item = TransactionId> {
        self.waits.keys().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.waits.len()
    }
}
