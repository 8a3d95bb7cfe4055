//! The lock manager: one door to both levels, with waiting.
//!
//! Order of the internal mutexes: wait graph before key shard. A key marked as contended changes hands under the wait
//! graph's mutex only, so its queue and its entry can't contradict each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::graph::WaitGraph;
use super::key_table::{KeyAttempt, KeyTable};
use super::write_gates::{Entry, WriteGates};
use super::{LockKey, LockMode, LockOwner, OTHER_LOCKS, Ticket, TransactionId, WaitOutcome};
use crate::CommitSeq;
use crate::primitives::Mutex;

/// What became of an attempt to take a lock.
#[derive(Debug)]
pub(crate) enum LockAttempt {
    /// The transaction holds the lock from now on.
    Acquired,
    /// The transaction held it before.
    AlreadyHeld,
    /// Someone has committed the key after the transaction's snapshot.
    Conflict,
    /// The transaction is in the queue; the ticket tells how that ends, and may know already.
    Queued(Arc<Ticket>),
}

/// Whether to queue for a lock that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfTaken {
    Queue,
    Fail,
}

/// The locks of all transactions.
#[derive(Debug)]
pub(crate) struct LockManager {
    keys: KeyTable,
    gates: Arc<WriteGates>,
    graph: Mutex<WaitGraph>,
    /// Whether nobody is to wait any more.
    is_stopped: AtomicBool,
    n_waits: AtomicU64,
    n_timeouts: AtomicU64,
}

impl LockManager {
    pub(crate) fn new() -> LockManager {
        let gates = Arc::<WriteGates>::default();
        LockManager {
            keys: KeyTable::new(),
            graph: Mutex::new(WaitGraph::new(gates.clone())),
            gates,
            is_stopped: AtomicBool::new(false),
            n_waits: AtomicU64::new(0),
            n_timeouts: AtomicU64::new(0),
        }
    }

    /// Takes a key for writing. If another transaction holds it, queues or reports a conflict.
    pub(crate) fn lock_key(
        &self,
        key: LockKey,
        owner: &LockOwner,
        snapshot: CommitSeq,
        if_taken: IfTaken,
    ) -> LockAttempt {
        let transaction = owner.id;
        match self.keys.acquire(key, transaction, snapshot) {
            KeyAttempt::HeldBy(_) if if_taken == IfTaken::Queue => {}
            KeyAttempt::HeldBy(_) | KeyAttempt::Conflict => return LockAttempt::Conflict,
            KeyAttempt::Acquired => return LockAttempt::Acquired,
            KeyAttempt::AlreadyHeld => return LockAttempt::AlreadyHeld,
        }
        let mut graph = self.graph.lock();
        match self.keys.acquire_or_mark(key, transaction, snapshot) {
            KeyAttempt::Acquired => LockAttempt::Acquired,
            KeyAttempt::AlreadyHeld => LockAttempt::AlreadyHeld,
            KeyAttempt::Conflict => LockAttempt::Conflict,
            KeyAttempt::HeldBy(holder) => {
                let ticket = graph.queue_for_key(owner, key, holder, snapshot);
                self.begin_wait(&mut graph, transaction, &ticket);
                LockAttempt::Queued(ticket)
            }
        }
    }

    /// Takes a collection in at least this mode, or queues for it.
    pub(crate) fn lock_collection(&self, collection: u64, mode: LockMode, owner: &LockOwner) -> LockAttempt {
        let transaction = owner.id;
        if mode == LockMode::Read {
            return LockAttempt::AlreadyHeld;
        }
        if mode == LockMode::Write {
            match self.gates.enter(collection, transaction) {
                Entry::Entered => return LockAttempt::Acquired,
                Entry::Present => return LockAttempt::AlreadyHeld,
                Entry::Closed => {}
            }
        }
        let mut graph = self.graph.lock();
        let held = graph.prepare_collection(transaction, collection, mode);
        if held.is_some_and(|held| held >= mode) {
            return LockAttempt::AlreadyHeld;
        }
        match graph.request_collection(owner, collection, mode) {
            None if held.is_some() => LockAttempt::AlreadyHeld,
            None => LockAttempt::Acquired,
            Some(ticket) => {
                self.begin_wait(&mut graph, transaction, &ticket);
                LockAttempt::Queued(ticket)
            }
        }
    }

    fn begin_wait(&self, graph: &mut WaitGraph, transaction: TransactionId, ticket: &Ticket) {
        self.n_waits.fetch_add(1, Ordering::Relaxed);
        if self.is_stopped() {
            ticket.interrupt();
        }
        graph.break_cycles(transaction, |key| self.keys.unmark(key));
    }

    /// Ends all waits, and those that would begin later at once.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        // Who queued before finds its ticket interrupted, who queues later sees the flag.
        self.graph.lock().interrupt_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Ends a wait that took too long or was interrupted. The outcome, if there is one after all.
    pub(crate) fn give_up(&self, transaction: TransactionId, ticket: &Ticket) -> Option<WaitOutcome> {
        let mut graph = self.graph.lock();
        let outcome = ticket.outcome();
        if outcome.is_some() {
            return outcome;
        }
        if !ticket.is_interrupted() {
            self.n_timeouts.fetch_add(1, Ordering::Relaxed);
        }
        if let Some((_, Some(key))) = graph.leave(transaction) {
            self.keys.unmark(key);
        }
        None
    }

    /// Gives collections back.
    pub(crate) fn release_collections(
        &self,
        collections: impl IntoIterator<Item = u64>,
        transaction: TransactionId,
    ) {
        let is_in_graph = |collection: &u64| !self.gates.leave(*collection, transaction);
        let mut in_graph = collections.into_iter().filter(is_in_graph);
        if let Some(first) = in_graph.next() {
            // Not held while the gates are asked, since gates come after the graph only.
            let in_graph: Vec<u64> = std::iter::once(first).chain(in_graph).collect();
            let mut graph = self.graph.lock();
            for collection in in_graph {
                graph.release_collection(transaction, collection);
            }
        }
    }

    /// Gives keys back that were not written after all.
    pub(crate) fn release_keys(&self, keys: &[LockKey]) {
        self.give_back(keys, None);
    }

    /// Gives committed keys back. They are remembered until every transaction sees the commit; `horizon` tells up to
    /// which commit they all see everything.
    pub(crate) fn commit_keys(&self, keys: Vec<LockKey>, seq: CommitSeq, horizon: CommitSeq) {
        if horizon < seq {
            self.give_back(&keys, Some(seq));
            self.keys.remember(keys, seq);
        } else {
            self.give_back(&keys, None);
        }
    }

    fn give_back(&self, keys: &[LockKey], committed: Option<CommitSeq>) {
        for key in keys {
            if self.keys.release_if_uncontended(*key, committed) {
                continue;
            }
            let mut graph = self.graph.lock();
            let next = graph.hand_on_key(*key, self.keys.committed(*key));
            self.keys.set_holder(*key, next);
        }
    }

    /// Forgets commits that every transaction sees.
    pub(crate) fn prune(&self, horizon: CommitSeq) {
        self.keys.prune(horizon);
    }

    /// Keys held or remembered.
    pub(crate) fn n_keys(&self) -> usize {
        self.keys.len()
    }

    /// Collections locked.
    pub(crate) fn n_collections(&self) -> usize {
        let mut locked: Vec<u64> = self.graph.lock().collections().chain(self.gates.collections()).collect();
        locked.retain(|number| *number < OTHER_LOCKS);
        locked.sort_unstable();
        locked.dedup();
        locked.len()
    }

    /// Transactions waiting now.
    pub(crate) fn n_waiting(&self) -> usize {
        self.graph.lock().n_waiting()
    }

    /// Waits begun, waits that took too long, and deadlocks ended, since the start.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (count(&self.n_waits), count(&self.n_timeouts), self.graph.lock().n_deadlocks())
    }
}
