//! Who waits for whom, and whom to sacrifice when the waits close a circle.
//!
//! Edges are not stored: they follow from the queues, so they are never out of date. A transaction waits for one lock
//! at a time, and can be part of many circles at once, since a collection may have many holders.

use std::collections::VecDeque;
use std::sync::Arc;

use ahash::RandomState;
use hashbrown::{HashMap, HashSet};

use super::collection_lock::CollectionLock;
use super::key_table::LockKey;
use super::ticket::{Ticket, WaitOutcome};
use super::waits::{Resource, Waits};
use super::write_gates::{Entry, WriteGates};
use super::{LockMode, LockOwner, TransactionId};
use crate::CommitSeq;

/// Which edges of the graph are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edges {
    /// Every one.
    All,
    /// Those that reach the same transactions: whoever waits for a waiter waits for what it waits for.
    Reduced,
    /// Like [`Edges::Reduced`] in a graph without this transaction.
    Without(TransactionId),
}

impl Edges {
    pub(super) fn leaves_out(self, transaction: TransactionId) -> bool {
        matches!(self, Edges::Without(left_out) if left_out == transaction)
    }

    pub(super) fn are_implied_left_out(self) -> bool {
        !matches!(self, Edges::All)
    }
}

/// A transaction that waits for a key.
#[derive(Debug)]
pub(super) struct KeyWaiter {
    transaction: TransactionId,
    snapshot: CommitSeq,
    ticket: Arc<Ticket>,
}

/// Holder and waiters of a key that more than one transaction wants.
#[derive(Debug)]
struct KeyQueue {
    holder: TransactionId,
    waiters: VecDeque<KeyWaiter>,
}

/// The locks of the collections that are held or wanted exclusively, and the queues of all contended keys.
#[derive(Debug)]
pub(super) struct WaitGraph {
    gates: Arc<WriteGates>,
    collections: HashMap<u64, CollectionLock, RandomState>,
    keys: HashMap<LockKey, KeyQueue, RandomState>,
    waiting: Waits,
    n_deadlocks: u64,
}

impl WaitGraph {
    pub(super) fn new(gates: Arc<WriteGates>) -> WaitGraph {
        WaitGraph {
            gates,
            collections: HashMap::default(),
            keys: HashMap::default(),
            waiting: Waits::default(),
            n_deadlocks: 0,
        }
    }

    /// The mode in which a transaction holds a collection, before it wants it in another. Its writers are known here
    /// from now on if that is needed to tell who waits for whom.
    pub(super) fn prepare_collection(
        &mut self,
        transaction: TransactionId,
        collection: u64,
        wanted: LockMode,
    ) -> Option<LockMode> {
        if wanted == LockMode::Exclusive {
            let lock = self.collections.entry(collection).or_default();
            for writer in self.gates.close(collection) {
                lock.set_holder(writer, LockMode::Write);
            }
        }
        self.collections.get(&collection)?.mode_of(transaction)
    }

    /// Takes a collection, or queues for it; a ticket that is returned may be decided already.
    pub(super) fn request_collection(
        &mut self,
        owner: &LockOwner,
        collection: u64,
        mode: LockMode,
    ) -> Option<Arc<Ticket>> {
        let transaction = owner.id;
        // It may have been opened since the caller looked.
        if mode == LockMode::Write && self.gates.enter(collection, transaction) != Entry::Closed {
            return None;
        }
        let ticket = self.collections.entry(collection).or_default().request(transaction, mode)?;
        self.waiting.begin(owner, Resource::Collection(collection));
        Some(ticket)
    }

    pub(super) fn release_collection(&mut self, transaction: TransactionId, collection: u64) {
        let Some(lock) = self.collections.get_mut(&collection) else {
            // It was opened since the caller looked for the transaction at the gate.
            self.gates.leave(collection, transaction);
            return;
        };
        let waiting = &mut self.waiting;
        lock.release(transaction, |granted| {
            waiting.end(granted);
        });
        self.open_if_shared(collection);
    }

    /// Leaves a collection to the gates once nobody holds or wants it exclusively; nobody waits for it then.
    fn open_if_shared(&mut self, collection: u64) {
        if self.collections.get(&collection).is_none_or(CollectionLock::has_exclusive) {
            return;
        }
        if let Some(lock) = self.collections.remove(&collection) {
            self.gates.open(collection, lock.into_holders());
        }
    }

    /// Queues for a key that `holder` holds; the ticket that is returned may be decided already.
    pub(super) fn queue_for_key(
        &mut self,
        owner: &LockOwner,
        key: LockKey,
        holder: TransactionId,
        snapshot: CommitSeq,
    ) -> Arc<Ticket> {
        let transaction = owner.id;
        let ticket = Ticket::new();
        let queue = self.keys.entry(key).or_insert_with(|| KeyQueue { holder, waiters: VecDeque::new() });
        queue.waiters.push_back(KeyWaiter { transaction, snapshot, ticket: ticket.clone() });
        self.waiting.begin(owner, Resource::Key(key));
        ticket
    }

    /// Hands a contended key on to the first waiter that has seen the latest commit of it; the others before it are
    /// told of the conflict. Returns the new holder and whether more are waiting.
    pub(super) fn hand_on_key(
        &mut self,
        key: LockKey,
        committed: CommitSeq,
    ) -> Option<(TransactionId, bool)> {
        let queue = self.keys.get_mut(&key)?;
        while let Some(waiter) = queue.waiters.pop_front() {
            self.waiting.end(waiter.transaction);
            if committed > waiter.snapshot {
                waiter.ticket.decide(WaitOutcome::Conflict);
                continue;
            }
            queue.holder = waiter.transaction;
            let has_more = !queue.waiters.is_empty();
            if !has_more {
                self.keys.remove(&key);
            }
            waiter.ticket.decide(WaitOutcome::Granted);
            return Some((waiter.transaction, has_more));
        }
        self.keys.remove(&key);
        None
    }

    pub(super) fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn n_deadlocks(&self) -> u64 {
        self.n_deadlocks
    }

    /// The collections that are locked here.
    pub(super) fn collections(&self) -> impl Iterator<Item = u64> {
        self.collections.keys().copied()
    }

    /// Wakes all that wait, without what they wait for.
    pub(super) fn interrupt_all(&self) {
        let of_collections = self.collections.values().flat_map(CollectionLock::tickets);
        let of_keys = self.keys.values().flat_map(|queue| queue.waiters.iter().map(|waiter| &waiter.ticket));
        for ticket in of_collections.chain(of_keys) {
            ticket.interrupt();
        }
    }

    /// Ends a wait without the lock; the ticket, unless the wait has ended already, and the key if nobody waits for it
    /// any more.
    pub(super) fn leave(&mut self, transaction: TransactionId) -> Option<(Arc<Ticket>, Option<LockKey>)> {
        match self.waiting.end(transaction)? {
            Resource::Collection(collection) => {
                let lock = self.collections.get_mut(&collection)?;
                let waiting = &mut self.waiting;
                let ticket = lock.leave_queue(transaction, |granted| {
                    waiting.end(granted);
                });
                self.open_if_shared(collection);
                Some((ticket?, None))
            }
            Resource::Key(key) => {
                let queue = self.keys.get_mut(&key)?;
                let position = queue.waiters.iter().position(|waiter| waiter.transaction == transaction)?;
                let waiter = queue.waiters.remove(position)?;
                let is_last = queue.waiters.is_empty();
                if is_last {
                    self.keys.remove(&key);
                }
                Some((waiter.ticket, is_last.then_some(key)))
            }
        }
    }

    fn blockers_of(&self, transaction: TransactionId, edges: Edges) -> Vec<TransactionId> {
        let mut found = Vec::new();
        match self.waiting.resource_of(transaction) {
            Some(Resource::Collection(collection)) => {
                if let Some(lock) = self.collections.get(&collection) {
                    lock.blockers_of(transaction, edges, &mut found);
                }
            }
            Some(Resource::Key(key)) => {
                if let Some(queue) = self.keys.get(&key) {
                    queue.blockers_of(transaction, edges, &mut found);
                }
            }
            None => {}
        }
        found.extend(self.waiting.inside_of(transaction).filter(|inner| !edges.leaves_out(*inner)));
        found
    }

    /// Ends every circle that goes through a transaction whose wait has just begun; `left` is told the keys that nobody
    /// waits for any more.
    ///
    /// New edges begin or end at that transaction only, so no other circle can have come into being.
    pub(super) fn break_cycles(&mut self, transaction: TransactionId, mut left: impl FnMut(LockKey)) {
        while let Some(cycle) = self.cycle_through(transaction, Edges::Reduced) {
            let Some((ticket, key)) =
                self.victim_of(transaction, cycle).and_then(|victim| self.leave(victim))
            else {
                return;
            };
            self.n_deadlocks += 1;
            if let Some(key) = key {
                left(key);
            }
            ticket.decide(WaitOutcome::Deadlock);
        }
    }

    /// The transactions of a circle of waits that begins and ends at `start`.
    fn cycle_through(&self, start: TransactionId, edges: Edges) -> Option<Vec<TransactionId>> {
        // Depth first, without recursion: each step holds a transaction and the blockers not looked at yet.
        let mut path = vec![(start, self.blockers_of(start, edges))];
        let mut visited: HashSet<TransactionId, RandomState> = HashSet::default();
        loop {
            let (_, blockers) = path.last_mut()?;
            match blockers.pop() {
                None => drop(path.pop()),
                Some(next) if next == start => {
                    return Some(path.into_iter().map(|(transaction, _)| transaction).collect());
                }
                Some(next) => {
                    if visited.insert(next) {
                        path.push((next, self.blockers_of(next, edges)));
                    }
                }
            }
        }
    }

    /// Whom to sacrifice: someone who is part of every circle through `start`, so that one is enough; of these one who
    /// offers to give way, else the one with the most edges, who is likely to close more circles later; of several the
    /// youngest.
    fn victim_of(&self, start: TransactionId, mut cycle: Vec<TransactionId>) -> Option<TransactionId> {
        cycle.retain(|member| {
            // Who is suspended while another one waits has no wait to be ended.
            let can_end = *member == start || self.waiting.is_waiting(*member);
            can_end && (*member == start || self.cycle_through(start, Edges::Without(*member)).is_none())
        });
        let mut n_edges: HashMap<TransactionId, usize, RandomState> =
            cycle.iter().map(|transaction| (*transaction, 0)).collect();
        for waiting in self.waiting.transactions() {
            let blockers = self.blockers_of(waiting, Edges::All);
            for end in std::iter::repeat_n(waiting, blockers.len()).chain(blockers.iter().copied()) {
                if let Some(count) = n_edges.get_mut(&end) {
                    *count += 1;
                }
            }
        }
        let rank =
            |member: &TransactionId| (self.waiting.yields(*member), n_edges.get(member).copied(), *member);
        cycle.into_iter().max_by_key(rank)
    }
}

impl KeyQueue {
    fn blockers_of(&self, transaction: TransactionId, edges: Edges, found: &mut Vec<TransactionId>) {
        let Some(position) = self.waiters.iter().position(|waiter| waiter.transaction == transaction) else {
            return;
        };
        let earlier = self.waiters.iter().take(position).rev().map(|waiter| waiter.transaction);
        for other in earlier.chain([self.holder]).filter(|other| !edges.leaves_out(*other)) {
            found.push(other);
            if edges.are_implied_left_out() {
                return;
            }
        }
    }
}
