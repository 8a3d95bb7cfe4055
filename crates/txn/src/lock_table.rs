//! Write-write conflict detection: who holds which key, and which keys were committed recently.
//!
//! Keys are kept as 128-bit hashes, so an entry costs 32 bytes whatever the key. Should two keys ever share a hash, one
//! of two concurrent transactions is told of a conflict that is none, and retries.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use ahash::RandomState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use parking_lot::Mutex;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::CommitSeq;

const N_SHARDS: usize = 16;

/// Stands for one key of one keyspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LockKey(u128);

impl LockKey {
    pub(crate) fn new(keyspace: u64, key: &[u8]) -> LockKey {
        LockKey(xxh3_128_with_seed(key, keyspace))
    }

    fn shard(self) -> usize {
        (self.0 >> 64) as usize % N_SHARDS
    }
}

/// Id of a transaction; ids start at 1.
pub(crate) type TransactionId = u64;
const NOBODY: TransactionId = 0;

#[derive(Clone, Copy, Debug)]
struct LockState {
    holder: TransactionId,
    /// Latest commit of the key that some active transaction may not have seen; 0 if there is none.
    committed: CommitSeq,
}

type Shard = Mutex<HashMap<LockKey, LockState, RandomState>>;

/// What became of an attempt to lock a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockOutcome {
    /// The transaction holds the key from now on.
    Acquired,
    /// The transaction held it before.
    AlreadyHeld,
    /// Someone else holds it or has committed it after the snapshot.
    Conflict,
}

/// Keys held by active transactions and keys committed recently.
#[derive(Debug)]
pub(crate) struct LockTable {
    shards: [Shard; N_SHARDS],
    /// Committed keys in about the order of their commits, until no active transaction is older.
    recent: Mutex<VecDeque<(CommitSeq, Vec<LockKey>)>>,
    n_recent: AtomicUsize,
}

impl LockTable {
    pub(crate) fn new() -> LockTable {
        LockTable {
            shards: std::array::from_fn(|_| Mutex::default()),
            recent: Mutex::default(),
            n_recent: AtomicUsize::new(0),
        }
    }

    fn shard(&self, key: LockKey) -> &Shard {
        // `shard()` is below the number of shards by construction.
        &self.shards[key.shard()]
    }

    pub(crate) fn lock(&self, key: LockKey, holder: TransactionId, snapshot: CommitSeq) -> LockOutcome {
        match self.shard(key).lock().entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(LockState { holder, committed: CommitSeq(0) });
                LockOutcome::Acquired
            }
            Entry::Occupied(mut occupied) => {
                let state = occupied.get_mut();
                if state.holder == holder {
                    return LockOutcome::AlreadyHeld;
                }
                if state.holder != NOBODY || state.committed > snapshot {
                    return LockOutcome::Conflict;
                }
                state.holder = holder;
                LockOutcome::Acquired
            }
        }
    }

    /// Gives keys back that were not written after all.
    pub(crate) fn release(&self, keys: &[LockKey]) {
        for key in keys {
            if let Entry::Occupied(mut occupied) = self.shard(*key).lock().entry(*key) {
                occupied.get_mut().holder = NOBODY;
                remove_if_idle(occupied.get().holder, occupied.get().committed, || {
                    occupied.remove();
                });
            }
        }
    }

    /// Gives committed keys back. They are remembered while a transaction older than the commit is active.
    pub(crate) fn commit(&self, keys: Vec<LockKey>, seq: CommitSeq, oldest_active: Option<CommitSeq>) {
        let is_remembered = oldest_active.is_some_and(|oldest| oldest < seq);
        let committed = if is_remembered { seq } else { CommitSeq(0) };
        for key in &keys {
            if let Entry::Occupied(mut occupied) = self.shard(*key).lock().entry(*key) {
                *occupied.get_mut() = LockState { holder: NOBODY, committed };
                remove_if_idle(NOBODY, committed, || {
                    occupied.remove();
                });
            }
        }
        if is_remembered && !keys.is_empty() {
            self.n_recent.fetch_add(keys.len(), Ordering::Relaxed);
            self.recent.lock().push_back((seq, keys));
        }
    }

    /// Forgets commits that every active transaction has seen.
    pub(crate) fn prune(&self, oldest_active: Option<CommitSeq>) {
        while self.n_recent.load(Ordering::Relaxed) > 0 {
            let mut recent = self.recent.lock();
            let is_seen = |seq: CommitSeq| oldest_active.is_none_or(|oldest| seq <= oldest);
            if !recent.front().is_some_and(|(seq, _)| is_seen(*seq)) {
                return;
            }
            let Some((seq, keys)) = recent.pop_front() else { return };
            drop(recent);
            self.n_recent.fetch_sub(keys.len(), Ordering::Relaxed);
            self.forget(&keys, seq);
        }
    }

    fn forget(&self, keys: &[LockKey], seq: CommitSeq) {
        for key in keys {
            if let Entry::Occupied(mut occupied) = self.shard(*key).lock().entry(*key) {
                let state = occupied.get_mut();
                if state.committed <= seq {
                    state.committed = CommitSeq(0);
                }
                let state = *state;
                remove_if_idle(state.holder, state.committed, || {
                    occupied.remove();
                });
            }
        }
    }

    /// Keys held or remembered.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }
}

fn remove_if_idle(holder: TransactionId, committed: CommitSeq, remove: impl FnOnce()) {
    if holder == NOBODY && committed == CommitSeq(0) {
        remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_held_by_one_and_remembered_for_the_older() {
        let table = LockTable::new();
        let key = LockKey::new(1, b"k");
        assert_eq!(table.lock(key, 1, CommitSeq(5)), LockOutcome::Acquired);
        assert_eq!(table.lock(key, 1, CommitSeq(5)), LockOutcome::AlreadyHeld);
        assert_eq!(table.lock(key, 2, CommitSeq(5)), LockOutcome::Conflict);
        table.commit(vec![key], CommitSeq(6), Some(CommitSeq(5)));
        assert_eq!(table.lock(key, 2, CommitSeq(5)), LockOutcome::Conflict);
        assert_eq!(table.lock(key, 3, CommitSeq(6)), LockOutcome::Acquired);
        table.prune(Some(CommitSeq(6)));
        table.release(&[key]);
        assert_eq!(table.len(), 0);
    }
}
