//! The lock manager without threads: random lock graphs beside a model that stores every edge.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::CommitSeq;

#[path = "../../../../tests/support/seeds.rs"]
mod seeds;

const N_COLLECTIONS: u64 = 3;
const N_KEYS: u64 = 4;
/// From a transaction's number to that of another one inside of it.
const INNER: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Collection(u64),
    Key(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ModelWaiter {
    transaction: u64,
    mode: LockMode,
    is_upgrade: bool,
}

/// Holders and waiters of one resource; keys are held exclusively.
#[derive(Clone, Debug, Default)]
struct ModelLock {
    holders: BTreeMap<u64, LockMode>,
    waiters: Vec<ModelWaiter>,
}

impl ModelLock {
    fn blockers(&self, position: usize) -> BTreeSet<u64> {
        let waiter = self.waiters[position];
        let holders = self.holders.iter().map(|(holder, mode)| (*holder, *mode));
        let earlier = self.waiters[..position].iter().map(|other| (other.transaction, other.mode));
        holders
            .chain(earlier)
            .filter(|(other, mode)| *other != waiter.transaction && !waiter.mode.is_compatible_with(*mode))
            .map(|(other, _)| other)
            .collect()
    }
}

#[derive(Debug, Default)]
struct Model {
    locks: BTreeMap<Resource, ModelLock>,
    /// Transactions inside of another one, which can't go on while they wait.
    outer: BTreeMap<u64, u64>,
}

impl Model {
    fn request(&mut self, transaction: u64, resource: Resource, mode: LockMode) {
        let lock = self.locks.entry(resource).or_default();
        let is_upgrade = lock.holders.contains_key(&transaction);
        let place = if is_upgrade {
            lock.waiters.iter().take_while(|waiter| waiter.is_upgrade).count()
        } else {
            lock.waiters.len()
        };
        lock.waiters.insert(place, ModelWaiter { transaction, mode, is_upgrade });
    }

    fn remove(&mut self, transaction: u64) {
        for lock in self.locks.values_mut() {
            lock.holders.remove(&transaction);
            lock.waiters.retain(|waiter| waiter.transaction != transaction);
        }
    }

    /// Grants whatever can be granted, in order.
    fn settle(&mut self) {
        for lock in self.locks.values_mut() {
            let mut position = 0;
            while position < lock.waiters.len() {
                if lock.blockers(position).is_empty() {
                    let waiter = lock.waiters.remove(position);
                    let mode = lock.holders.entry(waiter.transaction).or_insert(waiter.mode);
                    *mode = (*mode).max(waiter.mode);
                    position = 0;
                } else {
                    position += 1;
                }
            }
        }
    }

    fn is_waiting(&self, transaction: u64) -> bool {
        self.locks.values().any(|lock| lock.waiters.iter().any(|waiter| waiter.transaction == transaction))
    }

    fn edges(&self) -> BTreeMap<u64, BTreeSet<u64>> {
        let mut edges: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for lock in self.locks.values() {
            for (position, waiter) in lock.waiters.iter().enumerate() {
                edges.entry(waiter.transaction).or_default().extend(lock.blockers(position));
                if let Some(outer) = self.outer.get(&waiter.transaction) {
                    edges.entry(*outer).or_default().insert(waiter.transaction);
                }
            }
        }
        edges
    }

    /// Takes away whoever waits for nobody until nothing changes: what is left waits in circles.
    fn has_cycle(&self) -> bool {
        let mut edges = self.edges();
        loop {
            let n_before = edges.len();
            let waiting: BTreeSet<u64> = edges.keys().copied().collect();
            edges.retain(|_, blockers| blockers.iter().any(|blocker| waiting.contains(blocker)));
            if edges.len() == n_before {
                return n_before > 0;
            }
        }
    }
}

struct World {
    locks: LockManager,
    model: Model,
    tickets: BTreeMap<u64, (Resource, Arc<Ticket>)>,
    keys: BTreeMap<u64, Vec<LockKey>>,
    collections: BTreeMap<u64, BTreeSet<u64>>,
    n_deadlocks: usize,
}

impl World {
    fn new() -> World {
        World {
            locks: LockManager::new(),
            model: Model::default(),
            tickets: BTreeMap::new(),
            keys: BTreeMap::new(),
            collections: BTreeMap::new(),
            n_deadlocks: 0,
        }
    }

    fn request(&mut self, transaction: u64, resource: Resource, mode: LockMode) {
        let owner = LockOwner {
            inside_of: self.model.outer.get(&transaction).copied().into_iter().collect(),
            yields: self.model.outer.contains_key(&transaction),
            ..LockOwner::alone(transaction)
        };
        let attempt = match resource {
            Resource::Collection(collection) => self.locks.lock_collection(collection, mode, &owner),
            Resource::Key(key) => {
                let key = LockKey::new(key, b"");
                self.locks.lock_key(key, &owner, CommitSeq(0), IfTaken::Queue)
            }
        };
        match attempt {
            LockAttempt::AlreadyHeld if !self.is_stronger(transaction, resource, mode) => return,
            LockAttempt::Acquired | LockAttempt::AlreadyHeld => self.note_held(transaction, resource),
            LockAttempt::Queued(ticket) => drop(self.tickets.insert(transaction, (resource, ticket))),
            LockAttempt::Conflict => panic!("nothing was committed"),
        }
        self.model.request(transaction, resource, mode);
        self.model.settle();
        let closes_a_circle = self.model.has_cycle();
        let victims = self.victims();
        assert_eq!(closes_a_circle, !victims.is_empty(), "{transaction} {resource:?}");
        self.n_deadlocks += victims.len();
        for victim in victims {
            self.tickets.remove(&victim);
            self.end(victim);
        }
        self.check();
    }

    fn is_stronger(&self, transaction: u64, resource: Resource, mode: LockMode) -> bool {
        let held = self.model.locks.get(&resource).and_then(|lock| lock.holders.get(&transaction));
        held.is_none_or(|held| *held < mode)
    }

    fn victims(&self) -> Vec<u64> {
        let is_victim = |ticket: &Ticket| ticket.outcome() == Some(WaitOutcome::Deadlock);
        self.tickets.iter().filter(|(_, (_, ticket))| is_victim(ticket)).map(|(victim, _)| *victim).collect()
    }

    fn note_held(&mut self, transaction: u64, resource: Resource) {
        match resource {
            Resource::Collection(collection) => {
                self.collections.entry(transaction).or_default().insert(collection);
            }
            Resource::Key(key) => self.keys.entry(transaction).or_default().push(LockKey::new(key, b"")),
        }
    }

    /// Whether the transaction can be asked for something.
    fn can_go_on(&self, transaction: u64) -> bool {
        let has_waiting_inner =
            self.tickets.keys().any(|waiting| self.model.outer.get(waiting) == Some(&transaction));
        !self.tickets.contains_key(&transaction) && !has_waiting_inner
    }

    fn end(&mut self, transaction: u64) {
        self.model.remove(transaction);
        self.model.settle();
        self.locks.release_keys(&self.keys.remove(&transaction).unwrap_or_default());
        let collections = self.collections.remove(&transaction).unwrap_or_default();
        self.locks.release_collections(collections, transaction);
        self.collect_grants();
    }

    fn collect_grants(&mut self) {
        let granted: Vec<u64> = self
            .tickets
            .iter()
            .filter(|(_, (_, ticket))| ticket.outcome() == Some(WaitOutcome::Granted))
            .map(|(transaction, _)| *transaction)
            .collect();
        for transaction in granted {
            let (resource, _) = self.tickets.remove(&transaction).unwrap();
            self.note_held(transaction, resource);
        }
    }

    fn give_up(&mut self, transaction: u64) {
        let (_, ticket) = self.tickets.remove(&transaction).unwrap();
        assert_eq!(self.locks.give_up(transaction, &ticket), None);
        for lock in self.model.locks.values_mut() {
            lock.waiters.retain(|waiter| waiter.transaction != transaction);
        }
        self.model.settle();
        self.collect_grants();
        self.check();
    }

    /// No circle is left, and exactly those wait who have to.
    fn check(&mut self) {
        self.collect_grants();
        assert!(!self.model.has_cycle());
        for transaction in self.tickets.keys() {
            assert!(self.model.is_waiting(*transaction), "{transaction} waits for nothing");
        }
        let n_waiters: usize = self.model.locks.values().map(|lock| lock.waiters.len()).sum();
        assert_eq!(n_waiters, self.tickets.len());
        assert_eq!(self.locks.n_waiting(), n_waiters);
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn no_circle_stays_and_nobody_is_sacrificed_without_one() {
    let (mut n_runs, mut n_deadlocks) = (0, 0);
    seeds::for_each(400, |seed| {
        let mut state = seed;
        let mut world = World::new();
        let mut ids: Vec<u64> = (1..=7).collect();
        let mut next_id = 8;
        for _ in 0..120 {
            let slot = random(&mut state) as usize % ids.len();
            let mut transaction = ids[slot];
            let choice = random(&mut state) % 12;
            // At times something inside of the transaction is asked for, rather than the transaction.
            if random(&mut state).is_multiple_of(4) {
                transaction += INNER;
                world.model.outer.insert(transaction, ids[slot]);
            }
            if !world.tickets.contains_key(&transaction) && !world.can_go_on(ids[slot]) {
                continue;
            }
            if world.tickets.contains_key(&transaction) {
                if choice == 0 {
                    world.give_up(transaction);
                }
                continue;
            }
            match choice {
                0 => {
                    world.end(transaction);
                    if transaction == ids[slot] {
                        world.end(transaction + INNER);
                        ids[slot] = next_id;
                        next_id += 1;
                    }
                    world.check();
                }
                1..=3 => {
                    let collection = random(&mut state) % N_COLLECTIONS;
                    world.request(transaction, Resource::Collection(collection), LockMode::Write);
                }
                4 | 5 => {
                    let collection = random(&mut state) % N_COLLECTIONS;
                    world.request(transaction, Resource::Collection(collection), LockMode::Exclusive);
                }
                _ => {
                    let key = random(&mut state) % N_KEYS;
                    world.request(transaction, Resource::Key(key), LockMode::Exclusive);
                }
            }
        }
        n_deadlocks += world.n_deadlocks;
        let mut all: Vec<u64> = ids.iter().flat_map(|id| [*id, *id + INNER]).collect();
        while let Some(transaction) = all.iter().copied().find(|id| world.can_go_on(*id)) {
            world.end(transaction);
            all.retain(|id| *id != transaction);
        }
        assert!(all.is_empty(), "{all:?} wait for ever");
        assert_eq!((world.locks.n_keys(), world.locks.n_collections(), world.locks.n_waiting()), (0, 0, 0));
        n_runs += 1;
    });
    assert!(n_runs < 100 || n_deadlocks > 100, "only {n_deadlocks} deadlocks were made");
}

/// One waits for two, so two circles share two members: whatever closes first, one victim is enough.
#[test]
fn four_transactions_in_two_circles_cost_one_victim() {
    let waits: [(u64, Resource, LockMode); 4] = [
        (1, Resource::Collection(0), LockMode::Exclusive),
        (2, Resource::Key(1), LockMode::Exclusive),
        (3, Resource::Key(2), LockMode::Exclusive),
        (4, Resource::Key(2), LockMode::Exclusive),
    ];
    for order in permutations(&[0, 1, 2, 3]) {
        let mut world = World::new();
        world.request(3, Resource::Collection(0), LockMode::Write);
        world.request(4, Resource::Collection(0), LockMode::Write);
        world.request(1, Resource::Key(1), LockMode::Exclusive);
        world.request(2, Resource::Key(2), LockMode::Exclusive);
        let mut gone = BTreeSet::new();
        for position in order {
            let (transaction, resource, mode) = waits[position];
            if gone.contains(&transaction) {
                continue;
            }
            let alive: BTreeSet<u64> = world.tickets.keys().copied().chain([transaction]).collect();
            world.request(transaction, resource, mode);
            let holds = |id: &u64| world.collections.contains_key(id) || world.keys.contains_key(id);
            gone.extend(alive.into_iter().filter(|id| !world.tickets.contains_key(id) && !holds(id)));
        }
        assert_eq!(world.n_deadlocks, 1);
        assert_eq!(gone.len(), 1);
        let mut left: BTreeSet<u64> = (1..=4).filter(|id| !gone.contains(id)).collect();
        while let Some(transaction) = left.iter().copied().find(|id| !world.tickets.contains_key(id)) {
            world.end(transaction);
            left.remove(&transaction);
        }
        assert!(left.is_empty(), "{left:?} could not commit");
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (position, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(position);
        all.extend(permutations(&rest).into_iter().map(|tail| [vec![*first], tail].concat()));
    }
    all
}

#[test]
fn a_key_is_held_by_one_and_remembered_for_the_older() {
    let locks = LockManager::new();
    let key = LockKey::new(1, b"k");
    let attempt =
        |id, snapshot| locks.lock_key(key, &LockOwner::alone(id), CommitSeq(snapshot), IfTaken::Fail);
    assert!(matches!(attempt(1, 5), LockAttempt::Acquired));
    assert!(matches!(attempt(1, 5), LockAttempt::AlreadyHeld));
    assert!(matches!(attempt(2, 5), LockAttempt::Conflict));
    locks.commit_keys(vec![key], CommitSeq(6), CommitSeq(5));
    assert!(matches!(attempt(2, 5), LockAttempt::Conflict));
    assert!(matches!(attempt(3, 6), LockAttempt::Acquired));
    locks.prune(CommitSeq(6));
    locks.release_keys(&[key]);
    assert_eq!(locks.n_keys(), 0);
}

#[test]
fn a_commit_conflicts_all_who_wait_and_an_abort_lets_the_first_in() {
    let locks = LockManager::new();
    let key = LockKey::new(1, b"k");
    let queue = |id| match locks.lock_key(key, &LockOwner::alone(id), CommitSeq(5), IfTaken::Queue) {
        LockAttempt::Queued(ticket) => ticket,
        attempt => panic!("{attempt:?}"),
    };
    let attempt = locks.lock_key(key, &LockOwner::alone(1), CommitSeq(5), IfTaken::Queue);
    assert!(matches!(attempt, LockAttempt::Acquired));
    let (second, third, fourth) = (queue(2), queue(3), queue(4));
    locks.release_keys(&[key]);
    let outcomes = [second.outcome(), third.outcome(), fourth.outcome()];
    assert_eq!(outcomes, [Some(WaitOutcome::Granted), None, None]);
    locks.commit_keys(vec![key], CommitSeq(6), CommitSeq(5));
    assert_eq!(third.outcome(), Some(WaitOutcome::Conflict));
    assert_eq!(fourth.outcome(), Some(WaitOutcome::Conflict));
    locks.prune(CommitSeq(6));
    assert_eq!((locks.n_keys(), locks.n_waiting()), (0, 0));
}
