//! Random interleavings of transactions against a plain model of snapshot isolation, on both engines.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, RangeBounds};

use persea_txn::{
    Bounds, Direction, Durability, Engine, Error, Options, ReadView, Savepoint, Transaction,
    TransactionManager, Tree,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[path = "../../../tests/support/seeds.rs"]
mod seeds;

type Key = (Tree, u64, Vec<u8>);
type State = BTreeMap<Key, Vec<u8>>;
type OwnedBound = Bound<Vec<u8>>;

const N_SLOTS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    Begin(usize),
    Write { slot: usize, key: Key, value: Option<Vec<u8>>, is_locked: bool },
    Get(usize, Key),
    Scan { slot: usize, tree: Tree, keyspace: u64, low: OwnedBound, high: OwnedBound },
    KeepView(usize),
    KeepSnapshot,
    Savepoint(usize),
    DropSavepoint(usize),
    Rollback(usize, prop::sample::Index),
    Commit(usize, bool),
    Abort(usize),
    Checkpoint,
    Reopen,
}

fn slot() -> impl Strategy<Value = usize> {
    0..N_SLOTS
}

fn tree() -> impl Strategy<Value = Tree> {
    prop_oneof![1 => Just(Tree::Documents), 4 => Just(Tree::Index)]
}

fn keyspace() -> impl Strategy<Value = u64> {
    prop_oneof![1 => Just(1), 6 => Just(2), 1 => Just(u64::MAX - 1)]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(0_u8..2, 0..3)
}

fn key() -> impl Strategy<Value = Key> {
    (tree(), keyspace(), bytes())
}

fn bound() -> impl Strategy<Value = OwnedBound> {
    prop_oneof![bytes().prop_map(Bound::Included), bytes().prop_map(Bound::Excluded), Just(Bound::Unbounded)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => slot().prop_map(Step::Begin),
        20 => (slot(), key(), prop::option::weighted(0.7, vec(any::<u8>(), 0..6)), any::<bool>())
            .prop_map(|(slot, key, value, is_locked)| Step::Write { slot, key, value, is_locked }),
        4 => (slot(), key()).prop_map(|(slot, key)| Step::Get(slot, key)),
        6 => (slot(), tree(), keyspace(), bound(), bound())
            .prop_map(|(slot, tree, keyspace, low, high)| Step::Scan { slot, tree, keyspace, low, high }),
        2 => slot().prop_map(Step::KeepView),
        1 => Just(Step::KeepSnapshot),
        4 => slot().prop_map(Step::Savepoint),
        1 => slot().prop_map(Step::DropSavepoint),
        3 => (slot(), any::<prop::sample::Index>()).prop_map(|(slot, index)| Step::Rollback(slot, index)),
        4 => (slot(), any::<bool>()).prop_map(|(slot, is_synced)| Step::Commit(slot, is_synced)),
        1 => slot().prop_map(Step::Abort),
        2 => Just(Step::Checkpoint),
        1 => Just(Step::Reopen),
    ]
}

/// A running transaction beside what it should see.
struct Running {
    transaction: Transaction,
    snapshot: State,
    own: BTreeMap<Key, Option<Vec<u8>>>,
    locks: BTreeSet<(u64, Vec<u8>)>,
    begun_at: u64,
    savepoints: Vec<SavepointModel>,
}

struct SavepointModel {
    savepoint: Savepoint,
    own: BTreeMap<Key, Option<Vec<u8>>>,
    locks: BTreeSet<(u64, Vec<u8>)>,
}

impl Running {
    fn visible(&self) -> State {
        apply(&self.snapshot, &self.own)
    }
}

fn apply(state: &State, writes: &BTreeMap<Key, Option<Vec<u8>>>) -> State {
    let mut state = state.clone();
    for (key, value) in writes {
        match value {
            Some(value) => drop(state.insert(key.clone(), value.clone())),
            None => drop(state.remove(key)),
        }
    }
    state
}

/// One thread runs all transactions, so nobody may wait.
fn options() -> Options {
    let mut options = Options::default();
    options.lock_timeouts.key = std::time::Duration::ZERO;
    options
}

struct World {
    manager: TransactionManager,
    committed: State,
    clock: u64,
    committed_at: BTreeMap<(u64, Vec<u8>), u64>,
    running: [Option<Running>; N_SLOTS],
    views: Vec<(ReadView, State)>,
}

impl World {
    fn new(engine: Engine) -> World {
        World {
            manager: TransactionManager::open_with(engine, options()).unwrap(),
            committed: State::new(),
            clock: 0,
            committed_at: BTreeMap::new(),
            running: [const { None }; N_SLOTS],
            views: Vec::new(),
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Begin(slot) if self.running[*slot].is_none() => self.begin(*slot),
            Step::Begin(_) | Step::Reopen => {}
            Step::Checkpoint => self.manager.checkpoint().unwrap(),
            Step::KeepSnapshot => {
                self.views.push((self.manager.snapshot().unwrap(), self.committed.clone()));
            }
            Step::Write { slot, key, value, is_locked } => {
                if *is_locked && !self.lock(*slot, key) {
                    return;
                }
                let Some(running) = &mut self.running[*slot] else { return };
                match value {
                    Some(value) => running.transaction.put(key.0, key.1, &key.2, value).unwrap(),
                    None => running.transaction.delete(key.0, key.1, &key.2).unwrap(),
                }
                running.own.insert(key.clone(), value.clone());
            }
            Step::Commit(slot, is_synced) => self.commit(*slot, *is_synced),
            Step::Abort(slot) => self.running[*slot] = None,
            Step::Get(slot, _)
            | Step::Scan { slot, .. }
            | Step::KeepView(slot)
            | Step::Savepoint(slot)
            | Step::DropSavepoint(slot)
            | Step::Rollback(slot, _) => {
                let Some(running) = &mut self.running[*slot] else { return };
                within(running, step, &mut self.views);
            }
        }
    }

    fn begin(&mut self, slot: usize) {
        self.running[slot] = Some(Running {
            transaction: self.manager.begin().unwrap(),
            snapshot: self.committed.clone(),
            own: BTreeMap::new(),
            locks: BTreeSet::new(),
            begun_at: self.clock,
            savepoints: Vec::new(),
        });
    }

    /// Locks the key if the model says it can be; false if the slot can't write it.
    fn lock(&mut self, slot: usize, (_, keyspace, key): &Key) -> bool {
        let lock = (*keyspace, key.clone());
        let is_held_elsewhere = (0..N_SLOTS)
            .filter(|other| *other != slot)
            .any(|other| self.running[other].as_ref().is_some_and(|other| other.locks.contains(&lock)));
        let committed_at = self.committed_at.get(&lock).copied().unwrap_or(0);
        let Some(running) = &mut self.running[slot] else { return false };
        let is_free =
            running.locks.contains(&lock) || (!is_held_elsewhere && committed_at <= running.begun_at);
        match running.transaction.lock_key(*keyspace, key) {
            Ok(()) => assert!(is_free, "{lock:?} was locked though it is taken"),
            Err(Error::Conflict { .. }) => {
                assert!(!is_free, "{lock:?} could not be locked though it is free")
            }
            Err(error) => panic!("{error}"),
        }
        if is_free {
            running.locks.insert(lock);
        }
        is_free
    }

    fn commit(&mut self, slot: usize, is_synced: bool) {
        let Some(running) = self.running[slot].take() else { return };
        let durability = if is_synced { Durability::Synced } else { Durability::Buffered };
        let begun_at = running.transaction.snapshot_seq();
        assert_eq!(running.transaction.is_read_only(), running.own.is_empty());
        let before = self.manager.latest_commit();
        assert!(running.transaction.commit(durability).unwrap() >= begun_at);
        let has_place = self.manager.latest_commit() > before;
        // Without a log a commit that changes nothing (deletes of absent keys) takes no place in the order of commits.
        let changes = self.manager.engine().path().is_some() && !running.own.is_empty()
            || running.own.iter().any(|(key, value)| value.is_some() || self.committed.contains_key(key));
        // What was put and, behind a view, deleted again changes nothing either, and may take a place.
        assert!(if running.own.is_empty() { !has_place } else { has_place || !changes });
        if has_place {
            self.clock += 1;
            self.committed = apply(&self.committed, &running.own);
        }
        // One that changes nothing counts like the commit before it.
        if !running.own.is_empty() {
            self.committed_at.extend(running.locks.into_iter().map(|lock| (lock, self.clock)));
        }
    }

    fn check(&self) {
        check_view(&self.manager.snapshot().unwrap(), &self.committed);
        for (view, state) in &self.views {
            check_view(view, state);
        }
    }

    fn finish(mut self) {
        self.check();
        self.views.clear();
        self.running = [const { None }; N_SLOTS];
        let metrics = self.manager.metrics();
        assert_eq!(metrics.active_transactions, 0);
        assert_eq!(metrics.tracked_keys, 0);
        assert_eq!(metrics.live_snapshots, 0);
    }
}

/// Steps that touch one transaction only.
fn within(running: &mut Running, step: &Step, views: &mut Vec<(ReadView, State)>) {
    match step {
        Step::Get(_, key) => {
            let found = running.transaction.get(key.0, key.1, &key.2).unwrap().map(<[u8]>::to_vec);
            assert_eq!(found.as_ref(), running.visible().get(key));
        }
        Step::Scan { tree, keyspace, low, high, .. } => {
            let view = running.transaction.view().unwrap();
            check_scan(&view, &running.visible(), *tree, *keyspace, low, high);
        }
        Step::KeepView(_) => views.push((running.transaction.view().unwrap(), running.visible())),
        Step::Savepoint(_) => {
            let savepoint = running.transaction.savepoint();
            running.savepoints.push(SavepointModel {
                savepoint,
                own: running.own.clone(),
                locks: running.locks.clone(),
            });
        }
        Step::DropSavepoint(_) => drop(running.savepoints.pop()),
        Step::Rollback(_, index) if !running.savepoints.is_empty() => {
            let position = index.index(running.savepoints.len());
            let discarded = running.savepoints.split_off(position + 1);
            let model = &running.savepoints[position];
            running.transaction.rollback_to(&model.savepoint).unwrap();
            running.own = model.own.clone();
            running.locks = model.locks.clone();
            for model in discarded {
                let outcome = running.transaction.rollback_to(&model.savepoint);
                assert!(matches!(outcome, Err(Error::SavepointInvalid)));
            }
        }
        _ => {}
    }
}

fn borrow<'b>(low: &'b OwnedBound, high: &'b OwnedBound) -> Bounds<'b> {
    (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice))
}

fn check_scan(
    view: &ReadView,
    state: &State,
    tree: Tree,
    keyspace: u64,
    low: &OwnedBound,
    high: &OwnedBound,
) {
    let mut expected: Vec<(&[u8], &[u8])> = state
        .iter()
        .filter(|((key_tree, key_space, key), _)| {
            *key_tree == tree && *key_space == keyspace && borrow(low, high).contains(&key[..])
        })
        .map(|((_, _, key), value)| (key.as_slice(), value.as_slice()))
        .collect();
    for direction in [Direction::Forward, Direction::Reverse] {
        let found: Vec<_> = view
            .range(tree, keyspace, borrow(low, high), direction)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(found, expected, "{direction:?} {low:?} {high:?}");
        expected.reverse();
    }
}

fn check_view(view: &ReadView, state: &State) {
    for tree in Tree::ALL {
        for keyspace in [1, 2, u64::MAX - 1] {
            check_scan(view, state, tree, keyspace, &Bound::Unbounded, &Bound::Unbounded);
        }
    }
    let mut values = Vec::new();
    let keys: Vec<&[u8]> = vec![b"", b"\0", b"\0\0", b"\x01", b"\x01\x01"];
    view.multi_get(Tree::Index, 2, keys.iter().copied(), &mut values).unwrap();
    for (key, value) in keys.iter().zip(values) {
        assert_eq!(value, state.get(&(Tree::Index, 2, key.to_vec())).map(Vec::as_slice));
    }
}

fn run(steps: &[Step], engine: Engine, reopen: impl Fn() -> Engine) {
    let mut world = World::new(engine);
    for step in steps {
        if matches!(step, Step::Reopen) {
            let committed = world.committed.clone();
            world.finish();
            world = World::new(reopen());
            world.committed = committed;
        }
        world.step(step);
    }
    world.finish();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: seeds::n_cases(256), rng_seed: RngSeed::Fixed(seeds::of_cases()), ..ProptestConfig::default() })]

    #[test]
    fn memory_isolates_snapshots(steps in vec(step(), 1..200)) {
        let engine = Engine::memory();
        run(&steps, engine.clone(), || engine.clone());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: seeds::n_cases(48), rng_seed: RngSeed::Fixed(seeds::of_cases()), ..ProptestConfig::default() })]

    #[test]
    fn lmdb_isolates_snapshots(steps in vec(step(), 1..200)) {
        let folder = tempfile::tempdir().unwrap();
        let mut options = persea_kv::Options::default();
        options.write_sync = persea_kv::WriteSync::OnDemand;
        let open = || Engine::open_lmdb(folder.path(), &options).unwrap();
        run(&steps, open(), open);
    }
}
