//! Write-write conflict detection: who holds which key, and which keys were committed recently.
//!
//! Keys are kept as 128-bit hashes, so an entry costs 32 bytes whatever the key. Should two keys ever share a hash, one
//! of two concurrent transactions waits for the other, or is told of a conflict that is none, and retries.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use ahash::RandomState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::TransactionId;
use crate::CommitSeq;
use crate::primitives::Mutex;

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

const NOBODY: TransactionId = 0;
/// Set beside the holder's id while others wait for the key: then only the wait graph's owner may change the entry.
const CONTENDED: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
struct KeyState {
    /// The holder's id, and [`CONTENDED`].
    owner: u64,
    /// Latest commit of the key that some active transaction may not have seen; 0 if there is none.
    committed: CommitSeq,
}

impl KeyState {
    fn holder(self) -> TransactionId {
        self.owner & !CONTENDED
    }

    fn is_contended(self) -> bool {
        self.owner & CONTENDED != 0
    }

    fn is_idle(self) -> bool {
        self.owner == NOBODY && self.committed == CommitSeq(0)
    }
}

type Shard = HashMap<LockKey, KeyState, RandomState>;

/// What became of an attempt to take a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyAttempt {
    /// The transaction holds the key from now on.
    Acquired,
    /// The transaction held it before.
    AlreadyHeld,
    /// Someone has committed it after the snapshot.
    Conflict,
    /// This other transaction holds it.
    HeldBy(TransactionId),
}

/// Keys held by active transactions and keys committed recently.
#[derive(Debug)]
pub(super) struct KeyTable {
    shards: [Mutex<Shard>; N_SHARDS],
    /// Committed keys in about the order of their commits, until no active transaction is older.
    recent: Mutex<VecDeque<(CommitSeq, Vec<LockKey>)>>,
    n_recent: AtomicUsize,
}

impl KeyTable {
    pub(super) fn new() -> KeyTable {
        KeyTable {
            shards: std::array::from_fn(|_| Mutex::default()),
            recent: Mutex::default(),
            n_recent: AtomicUsize::new(0),
        }
    }

    fn shard(&self, key: LockKey) -> &Mutex<Shard> {
        // `shard()` is below the number of shards by construction.
        &self.shards[key.shard()]
    }

    pub(super) fn acquire(&self, key: LockKey, holder: TransactionId, snapshot: CommitSeq) -> KeyAttempt {
        match self.shard(key).lock().entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(KeyState { owner: holder, committed: CommitSeq(0) });
                KeyAttempt::Acquired
            }
            Entry::Occupied(mut occupied) => {
                let state = occupied.get_mut();
                if state.holder() == holder {
                    KeyAttempt::AlreadyHeld
                } else if state.committed > snapshot {
                    KeyAttempt::Conflict
                } else if state.owner != NOBODY {
                    KeyAttempt::HeldBy(state.holder())
                } else {
                    state.owner = holder;
                    KeyAttempt::Acquired
                }
            }
        }
    }

    /// Like [`KeyTable::acquire`], and marks a key that someone else holds as contended.
    pub(super) fn acquire_or_mark(
        &self,
        key: LockKey,
        holder: TransactionId,
        snapshot: CommitSeq,
    ) -> KeyAttempt {
        let attempt = self.acquire(key, holder, snapshot);
        if let KeyAttempt::HeldBy(other) = attempt {
            if let Some(state) = self.shard(key).lock().get_mut(&key)
                && state.holder() == other
            {
                state.owner |= CONTENDED;
                return attempt;
            }
            // It was given back in between.
            return self.acquire_or_mark(key, holder, snapshot);
        }
        attempt
    }

    /// Gives a key back unless it is contended; false if it is.
    pub(super) fn release_if_uncontended(&self, key: LockKey, committed: Option<CommitSeq>) -> bool {
        let mut shard = self.shard(key).lock();
        let Entry::Occupied(mut occupied) = shard.entry(key) else { return true };
        let state = occupied.get_mut();
        if let Some(committed) = committed {
            state.committed = state.committed.max(committed);
        }
        if state.is_contended() {
            return false;
        }
        state.owner = NOBODY;
        if state.is_idle() {
            occupied.remove();
        }
        true
    }

    /// Latest remembered commit of a key.
    pub(super) fn committed(&self, key: LockKey) -> CommitSeq {
        self.shard(key).lock().get(&key).map_or(CommitSeq(0), |state| state.committed)
    }

    /// Gives a key a new holder, or none.
    pub(super) fn set_holder(&self, key: LockKey, holder: Option<(TransactionId, bool)>) {
        if let Entry::Occupied(mut occupied) = self.shard(key).lock().entry(key) {
            let state = occupied.get_mut();
            state.owner = match holder {
                Some((holder, true)) => holder | CONTENDED,
                Some((holder, false)) => holder,
                None => NOBODY,
            };
            if state.is_idle() {
                occupied.remove();
            }
        }
    }

    /// Nobody waits for the key any more.
    pub(super) fn unmark(&self, key: LockKey) {
        if let Some(state) = self.shard(key).lock().get_mut(&key) {
            state.owner &= !CONTENDED;
        }
    }

    /// Remembers the keys of a commit until [`KeyTable::prune`] finds that everybody has seen it.
    pub(super) fn remember(&self, keys: Vec<LockKey>, seq: CommitSeq) {
        if !keys.is_empty() {
            self.n_recent.fetch_add(keys.len(), Ordering::Relaxed);
            self.recent.lock().push_back((seq, keys));
        }
    }

    /// Forgets commits up to `horizon`, which every transaction sees.
    pub(super) fn prune(&self, horizon: CommitSeq) {
        while self.n_recent.load(Ordering::Relaxed) > 0 {
            let mut recent = self.recent.lock();
            if recent.front().is_none_or(|(seq, _)| *seq > horizon) {
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
                if state.is_idle() {
                    occupied.remove();
                }
            }
        }
    }

    /// Keys held or remembered.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }
}
