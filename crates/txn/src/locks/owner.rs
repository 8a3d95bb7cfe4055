//! A transaction as the locks see it.

use smallvec::SmallVec;

use super::TransactionId;

/// Who wants a lock.
#[derive(Clone, Debug)]
pub(crate) struct LockOwner {
    pub(crate) id: TransactionId,
    /// The transactions that can't go on before this one has ended.
    pub(crate) inside_of: SmallVec<[TransactionId; 2]>,
    /// Whether it is the first to give way in a deadlock.
    pub(crate) yields: bool,
}

#[cfg(test)]
impl LockOwner {
    /// One that stands for itself.
    pub(crate) fn alone(id: TransactionId) -> LockOwner {
        LockOwner { id, inside_of: SmallVec::new(), yields: false }
    }
}
