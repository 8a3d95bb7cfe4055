//! Random work on a simulated disk that crashes, loses, tears and refuses, beside a model of what must be there.
//!
//! Every run follows from its seed; `tests/support/seeds.rs` tells how to replay one.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that can't go on may panic, and say why"
)]

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use persea_txn::{
    Bounds, Direction, Durability, Engine, Error, Options, ReadView, Transaction, TransactionManager, Tree,
};
use persea_wal::simulation::{Random, SimulatedStorage};

#[path = "../../../tests/support/crashes.rs"]
mod crashes;
#[path = "../../../tests/support/seeds.rs"]
mod seeds;

use crashes::{await_healthy, fault, fork};

const ALL: Bounds<'static> = (Bound::Unbounded, Bound::Unbounded);
const KEYSPACE: u64 = 5;
const BULK_BYTES: usize = 3000;

type State = BTreeMap<(Tree, Vec<u8>), Vec<u8>>;
type Writes = Vec<(Tree, Vec<u8>, Option<Vec<u8>>)>;

fn options() -> Options {
    let mut options = Options::default();
    // Nothing happens by itself, so that a seed gives the same run again.
    options.sync_interval = None;
    options.checkpoint_interval = Duration::from_secs(3600);
    options.bulk_bytes_min = BULK_BYTES;
    // Else every run would allocate megabytes.
    options.delta_bytes_max = 256 << 10;
    options.lock_timeouts.key = Duration::ZERO;
    options.log_segment_bytes = 4096;
    options
}

fn apply(state: &State, writes: &Writes) -> State {
    let mut state = state.clone();
    for (tree, key, value) in writes {
        match value {
            Some(value) => drop(state.insert((*tree, key.clone()), value.clone())),
            None => drop(state.remove(&(*tree, key.clone()))),
        }
    }
    state
}

fn read(view: &ReadView, direction: Direction) -> State {
    let mut state = State::new();
    for tree in [Tree::Documents, Tree::Index] {
        for entry in view.range(tree, KEYSPACE, ALL, direction).unwrap() {
            let (key, value) = entry.unwrap();
            state.insert((tree, key.to_vec()), value.to_vec());
        }
    }
    state
}

fn check_view(view: &ReadView, state: &State) {
    assert_eq!(read(view, Direction::Forward), *state);
    assert_eq!(read(view, Direction::Reverse), *state);
    for tree in [Tree::Documents, Tree::Index] {
        for number in 0..12_u8 {
            let key = vec![number];
            let found = view.get(tree, KEYSPACE, &key).unwrap().map(<[u8]>::to_vec);
            assert_eq!(found, state.get(&(tree, key)).cloned());
        }
    }
}

struct World {
    random: Random,
    disk: SimulatedStorage,
    engine: Engine,
    manager: Option<TransactionManager>,
    /// The state after each commit since the start of this run of the database; the first is what it began with.
    states: Vec<State>,
    /// How many of them a power failure can't take back.
    n_durable: usize,
    /// Commits that failed, and may yet turn up whole after a crash.
    doubtful: Vec<Writes>,
    views: Vec<(ReadView, State)>,
    running: Vec<Running>,
}

/// A transaction that is under way while others commit.
struct Running {
    transaction: Transaction,
    snapshot: State,
    writes: Writes,
}

impl World {
    fn new(seed: u64) -> World {
        let disk = SimulatedStorage::new(seed);
        let engine = Engine::memory();
        let manager = TransactionManager::open_on(engine.clone(), Arc::new(disk.clone()), options()).unwrap();
        World {
            random: Random::new(seed),
            disk,
            engine,
            manager: Some(manager),
            states: vec![State::new()],
            n_durable: 1,
            doubtful: Vec::new(),
            views: Vec::new(),
            running: Vec::new(),
        }
    }

    fn manager(&self) -> &TransactionManager {
        self.manager.as_ref().unwrap()
    }

    fn last(&self) -> &State {
        self.states.last().unwrap()
    }

    fn writes(&mut self) -> Writes {
        let is_bulk = self.random.percent(6);
        let n_writes = self.random.below(5) + 1;
        (0..n_writes)
            .map(|_| {
                let tree = if self.random.percent(50) { Tree::Documents } else { Tree::Index };
                let key = vec![self.random.below(12) as u8];
                let len = if is_bulk { BULK_BYTES } else { self.random.below(60) as usize };
                let byte = self.random.below(256) as u8;
                let value = self.random.percent(75).then(|| vec![byte; len]);
                (tree, key, value)
            })
            .collect()
    }

    fn commit(&mut self) {
        let writes = self.writes();
        let is_synced = self.random.percent(30);
        let mut transaction = self.manager().begin().unwrap();
        for (tree, key, value) in &writes {
            match value {
                Some(value) => transaction.put(*tree, KEYSPACE, key, value).unwrap(),
                None => transaction.delete(*tree, KEYSPACE, key).unwrap(),
            }
            if self.random.percent(20) {
                transaction.view().unwrap();
            }
        }
        self.finish(transaction, writes, is_synced);
    }

    fn finish(&mut self, transaction: Transaction, writes: Writes, is_synced: bool) {
        let durability = if is_synced { Durability::Synced } else { Durability::Buffered };
        let after = apply(self.last(), &writes);
        match transaction.commit(durability) {
            Ok(_) => {
                self.states.push(after);
                if is_synced {
                    self.n_durable = self.states.len();
                }
            }
            Err(Error::SyncFailed(_)) => self.states.push(after),
            Err(Error::ReadOnly(_)) => {
                assert_eq!(read(&self.manager().snapshot().unwrap(), Direction::Forward), *self.last());
                if self.disk.has_crashed() {
                    self.doubtful.push(writes);
                }
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Begins a transaction, or goes on with one: it writes what it can lock, reads, commits or aborts.
    fn interleave(&mut self) {
        if self.running.len() < 3 {
            let transaction = self.manager().begin().unwrap();
            let snapshot = self.last().clone();
            return self.running.push(Running { transaction, snapshot, writes: Writes::new() });
        }
        let slot = self.random.below(3) as usize;
        if self.random.percent(70) {
            let writes = self.writes();
            let running = &mut self.running[slot];
            for (tree, key, value) in writes {
                match running.transaction.lock_key(tree.ordinal() as u64, &key) {
                    Ok(()) => {}
                    Err(Error::Conflict { .. }) => continue,
                    Err(error) => panic!("{error}"),
                }
                match &value {
                    Some(value) => running.transaction.put(tree, KEYSPACE, &key, value).unwrap(),
                    None => running.transaction.delete(tree, KEYSPACE, &key).unwrap(),
                }
                running.writes.push((tree, key, value));
            }
            let expected = apply(&running.snapshot, &running.writes);
            return check_view(&running.transaction.view().unwrap(), &expected);
        }
        let Running { transaction, writes, .. } = self.running.swap_remove(slot);
        if self.random.percent(25) {
            return transaction.abort();
        }
        let is_synced = self.random.percent(30);
        // Without writes there is nothing that could fail, or that would be a commit.
        if writes.is_empty() {
            transaction.commit(Durability::Buffered).unwrap();
        } else {
            self.finish(transaction, writes, is_synced);
        }
    }

    fn checkpoint(&mut self) {
        self.manager().checkpoint().unwrap();
        self.n_durable = self.states.len();
    }

    fn sync(&mut self) {
        if self.manager().sync().is_ok() {
            self.n_durable = self.states.len();
        }
    }

    fn crash(&mut self, is_power_failure: bool) {
        // From here on nothing of the old process reaches the log. What a checkpoint under way brings to the engine until
        // it is copied was visible before.
        let disk = if is_power_failure { self.disk.power_failure() } else { self.disk.kill() };
        let engine = fork(&self.engine);
        self.views.clear();
        self.running.clear();
        self.manager = None;
        (self.engine, self.disk) = (engine, disk);
        let n_sure = if is_power_failure { self.n_durable } else { self.states.len() };
        let mut possible: Vec<State> = self.states[n_sure - 1..].to_vec();
        possible.extend(self.doubtful.iter().map(|writes| apply(self.last(), writes)));
        self.open();
        let found = read(&self.manager().snapshot().unwrap(), Direction::Forward);
        assert!(
            possible.contains(&found),
            "of {} sure commits some are lost, or half of one is there",
            n_sure - 1
        );
        self.begin_with(found);
    }

    fn close(&mut self) {
        self.views.clear();
        self.running.clear();
        self.manager = None;
        let state = self.last().clone();
        self.open();
        assert_eq!(self.manager().metrics().replayed_commits, 0);
        self.begin_with(state);
    }

    fn open(&mut self) {
        let storage = Arc::new(self.disk.clone());
        self.manager = Some(TransactionManager::open_on(self.engine.clone(), storage, options()).unwrap());
    }

    fn begin_with(&mut self, state: State) {
        check_view(&self.manager().snapshot().unwrap(), &state);
        // What was recovered is durable: a second crash must not lose it. It is read from a log that was synced.
        self.states = vec![state];
        self.n_durable = 1;
        self.doubtful.clear();
    }

    fn refuse(&mut self) {
        self.disk.inject(fault(&mut self.random));
        for _ in 0..self.random.below(6) {
            self.commit();
        }
        self.disk.heal();
        // Commits are taken again soon, and everything acknowledged is still there.
        await_healthy(self.manager());
        check_view(&self.manager().snapshot().unwrap(), &self.last().clone());
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..40 => self.commit(),
            40..64 => self.interleave(),
            64..72 => {
                let view = self.manager().snapshot().unwrap();
                check_view(&view, self.last());
                let state = self.last().clone();
                self.views.push((view, state));
            }
            72..76 => drop(self.views.pop()),
            76..82 => self.checkpoint(),
            82..85 => self.sync(),
            85..87 => self.close(),
            87..90 => {
                let is_power_failure = self.random.percent(60);
                self.crash(is_power_failure);
            }
            90..96 => {
                self.disk.crash_after(self.random.below(12));
                for _ in 0..20 {
                    self.commit();
                    if self.disk.has_crashed() {
                        break;
                    }
                }
                let is_power_failure = self.random.percent(60);
                self.crash(is_power_failure);
            }
            _ => self.refuse(),
        }
        for (view, state) in &self.views {
            assert_eq!(read(view, Direction::Forward), *state);
        }
    }
}

fn run(seed: u64) {
    let mut world = World::new(seed);
    for _ in 0..80 {
        world.step();
    }
    world.crash(true);
}

#[test]
fn acknowledged_commits_outlive_crashes_and_failures() {
    seeds::for_each(60, run);
}

/// The same few commits again and again, with a crash at the first thing done to the disk, at the second, and so on to
/// the last: no place is left out. What is there afterwards is continued and crashed once more.
#[test]
fn a_crash_at_every_single_operation() {
    seeds::for_each(8, |seed| {
        let work = |world: &mut World| {
            for step in 0..45 {
                match step % 15 {
                    5 | 11 => world.checkpoint(),
                    8 => world.sync(),
                    4 | 7 | 9 => world.interleave(),
                    _ => world.commit(),
                }
                if world.disk.has_crashed() {
                    return;
                }
            }
        };
        let mut whole = World::new(seed);
        let n_before = whole.disk.n_operations();
        work(&mut whole);
        let n_operations = whole.disk.n_operations() - n_before;
        assert!(n_operations > 25, "only {n_operations} operations");
        for is_power_failure in [true, false] {
            for crash_at in 0..n_operations {
                let mut world = World::new(seed);
                world.disk.crash_after(crash_at);
                work(&mut world);
                assert!(world.disk.has_crashed(), "the same seed did something else");
                world.crash(is_power_failure);
                world.commit();
                world.crash(!is_power_failure);
            }
        }
    });
}
