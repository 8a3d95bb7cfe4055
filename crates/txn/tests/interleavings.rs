//! Locks and commits under a model checker that chooses when threads switch: `cargo test -p persea-txn --features
//! shuttle --test interleavings`.
//!
//! It takes as many random schedules as `PERSEA_SCHEDULES` says, from `SHUTTLE_RANDOM_SEED` on. A wait that nobody ends
//! is a failure of its own: the checker finds that no thread can run. A failure prints its schedule; put into the
//! variable `PERSEA_SCHEDULE` it is run again.
#![cfg(feature = "shuttle")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use persea_txn::{
    Direction, Durability, Engine, Error, LockMode, LockTimeouts, Options, ReadView, Transaction,
    TransactionManager, TransactionOptions, Tree,
};
use persea_wal::simulation::{Fault, Operation, SimulatedStorage};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner, thread};

/// Waits without end: whoever waits for ever is found.
const PATIENT: LockTimeouts = LockTimeouts { collection: Duration::MAX, key: Duration::MAX };
const SHORT: LockTimeouts = LockTimeouts { collection: Duration::from_secs(1), key: Duration::from_secs(1) };
const SEED: u64 = 20_260_901;

fn n_schedules(n: usize) -> usize {
    std::env::var("PERSEA_SCHEDULES").ok().and_then(|text| text.parse().ok()).unwrap_or(n)
}

fn seed() -> u64 {
    std::env::var("SHUTTLE_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED)
}

/// With room on the stacks for a build without optimisations; what overflows one is not told, but kills the process.
fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    config
}

/// Tries so many schedules in which each switch is as likely as any other.
fn check(n: usize, test: impl Fn() + Send + Sync + 'static) {
    if let Ok(schedule) = std::env::var("PERSEA_SCHEDULE") {
        return shuttle::replay(test, &schedule);
    }
    let seed = seed();
    println!("to replay all of it: SHUTTLE_RANDOM_SEED={seed}");
    Runner::new(RandomScheduler::new_from_seed(seed, n_schedules(n)), config()).run(test);
}

/// The same, and as many schedules with few switches in special places, which find what needs a long run of one thread.
fn check_both_ways(n: usize, test: impl Fn() + Send + Sync + 'static) {
    let test = Arc::new(test);
    let again = test.clone();
    check(n, move || test());
    if std::env::var("PERSEA_SCHEDULE").is_err() {
        let scheduler = PctScheduler::new_from_seed(seed(), 4, n_schedules(n));
        Runner::new(scheduler, config()).run(move || again());
    }
}

fn options(lock_timeouts: LockTimeouts) -> Options {
    let mut options = Options::default();
    options.lock_timeouts = lock_timeouts;
    options.sync_interval = None;
    // Else every run would allocate megabytes.
    options.log_segment_bytes = 8 << 10;
    options.delta_bytes_max = 64 << 10;
    options.checkpoint_interval = Duration::from_secs(3600);
    options
}

/// Commits go to the engine at once.
fn direct(lock_timeouts: LockTimeouts) -> TransactionManager {
    TransactionManager::open_with(Engine::memory(), options(lock_timeouts)).unwrap()
}

/// Commits go through a log and a delta.
fn logged(options: Options) -> (TransactionManager, SimulatedStorage) {
    let disk = SimulatedStorage::new(1);
    let manager = TransactionManager::open_on(Engine::memory(), Arc::new(disk.clone()), options).unwrap();
    (manager, disk)
}

/// Runs each piece of work in a thread of its own, and returns what they returned.
fn all<T: Send + 'static>(work: Vec<Box<dyn FnOnce() -> T + Send>>) -> Vec<T> {
    let threads: Vec<_> = work.into_iter().map(thread::spawn).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

fn locking(manager: &TransactionManager, collection: u64, mode: LockMode) -> Result<Transaction, Error> {
    manager.begin_with(&TransactionOptions::locking([(collection, mode)]))
}

fn nothing_is_left(manager: &TransactionManager) {
    let metrics = manager.metrics();
    assert_eq!((metrics.tracked_keys, metrics.locked_collections), (0, 0));
    assert_eq!((metrics.waiting_transactions, metrics.active_transactions), (0, 0));
}

fn number(bytes: Option<&[u8]>) -> u64 {
    bytes.map_or(0, |bytes| u64::from_be_bytes(bytes.try_into().unwrap()))
}

#[test]
fn an_exclusive_lock_is_held_alone_and_a_shared_one_together() {
    static MOST_TOGETHER: AtomicI64 = AtomicI64::new(0);
    check_both_ways(1500, || {
        let manager = direct(PATIENT);
        // Writers inside count up, someone alone counts down from zero.
        let inside = Arc::new(AtomicI64::new(0));
        let modes = [LockMode::Exclusive, LockMode::Write, LockMode::Write, LockMode::Exclusive];
        let work = modes.map(|mode| {
            let (manager, inside) = (manager.clone(), inside.clone());
            let work = move || {
                let transaction = locking(&manager, 5, mode).unwrap();
                if mode == LockMode::Exclusive {
                    assert_eq!(inside.swap(-1, Ordering::SeqCst), 0);
                } else {
                    let n_before = inside.fetch_add(1, Ordering::SeqCst);
                    assert!(n_before >= 0);
                    MOST_TOGETHER.fetch_max(n_before + 1, Ordering::SeqCst);
                }
                thread::yield_now();
                let left = if mode == LockMode::Exclusive { 1 } else { -1 };
                inside.fetch_add(left, Ordering::SeqCst);
                transaction.abort();
            };
            Box::new(work) as Box<dyn FnOnce() + Send>
        });
        all(Vec::from(work));
        assert_eq!(manager.metrics().deadlocks, 0);
        nothing_is_left(&manager);
    });
    assert_eq!(MOST_TOGETHER.load(Ordering::SeqCst), 2, "writers never met");
}

fn increment(manager: &TransactionManager, key: &[u8]) {
    loop {
        let mut transaction = manager.begin().unwrap();
        match transaction.lock_key(1, key) {
            Ok(()) => {}
            Err(Error::Conflict { .. }) => continue,
            Err(error) => panic!("{error}"),
        }
        let next = number(transaction.get(Tree::Documents, 1, key).unwrap()) + 1;
        transaction.put(Tree::Documents, 1, key, &next.to_be_bytes()).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
        return;
    }
}

fn no_increment_is_lost(open: fn() -> TransactionManager) {
    let manager = open();
    let work = (0..3).map(|_| {
        let manager = manager.clone();
        let work = move || (0..2).for_each(|_| increment(&manager, b"k"));
        Box::new(work) as Box<dyn FnOnce() + Send>
    });
    all(work.collect());
    let found = number(manager.snapshot().unwrap().get(Tree::Documents, 1, b"k").unwrap());
    assert_eq!(found, 6);
    nothing_is_left(&manager);
}

#[test]
fn keys_have_one_writer_at_a_time_and_late_ones_conflict() {
    check(1500, || no_increment_is_lost(|| direct(PATIENT)));
    check(1500, || no_increment_is_lost(|| logged(options(PATIENT)).0));
}

#[test]
fn whoever_queued_first_is_served_first() {
    check(1500, || {
        let manager = direct(PATIENT);
        // Shared, so that a writer among those that wait could overtake who wants it alone.
        let holder = locking(&manager, 5, LockMode::Write).unwrap();
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let wait_for = |n_waits: u64| {
            while manager.metrics().lock_waits < n_waits {
                thread::yield_now();
            }
        };
        let mut threads = Vec::new();
        for (number, mode) in
            [LockMode::Exclusive, LockMode::Write, LockMode::Exclusive].into_iter().enumerate()
        {
            let (manager, order) = (manager.clone(), order.clone());
            threads.push(thread::spawn(move || {
                let transaction = locking(&manager, 5, mode).unwrap();
                order.lock().unwrap().push(number);
                transaction.abort();
            }));
            wait_for(number as u64 + 1);
        }
        let newcomer = {
            let (manager, order) = (manager.clone(), order.clone());
            thread::spawn(move || {
                let transaction = locking(&manager, 5, LockMode::Write).unwrap();
                order.lock().unwrap().push(3);
                transaction.abort();
            })
        };
        holder.abort();
        threads.into_iter().chain([newcomer]).for_each(|thread| thread.join().unwrap());
        let order = order.lock().unwrap();
        let early: Vec<usize> = order.iter().copied().filter(|number| *number < 3).collect();
        assert_eq!(early, [0, 1, 2]);
    });
}

/// One waits for three and four, two for one, three and four for two; they come in any order.
#[test]
fn a_deadlock_of_four_costs_one() {
    use LockMode::{Exclusive, Write};
    check_both_ways(1500, || {
        let manager = direct(PATIENT);
        let roles = [
            (20, Exclusive, 10, Exclusive),
            (30, Exclusive, 20, Write),
            (10, Write, 30, Write),
            (10, Write, 30, Write),
        ];
        let work = roles.map(|(held, mode, wanted, wanted_mode)| {
            let mut transaction = locking(&manager, held, mode).unwrap();
            let work = move || {
                transaction.lock_collection(wanted, wanted_mode)?;
                transaction.commit(Durability::Buffered).map(drop)
            };
            Box::new(work) as Box<dyn FnOnce() -> Result<(), Error> + Send>
        });
        let outcomes = all(Vec::from(work));
        let n_victims = outcomes.iter().filter(|outcome| matches!(outcome, Err(Error::Deadlock))).count();
        assert_eq!((n_victims, manager.metrics().deadlocks), (1, 1), "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 3, "{outcomes:?}");
        nothing_is_left(&manager);
    });
}

/// Two take the same two locks of both levels in opposite order: at most one gives way, and only if both wait.
#[test]
fn opposite_orders_end_with_one_winner_at_least() {
    static N_DEADLOCKS: AtomicU64 = AtomicU64::new(0);
    check_both_ways(1500, || {
        let manager = direct(PATIENT);
        let work = [false, true].map(|is_key_first| {
            let manager = manager.clone();
            let work = move || {
                let mut transaction = manager.begin()?;
                for step in 0..2 {
                    if (step == 0) == is_key_first {
                        transaction.lock_key(1, b"k")?;
                    } else {
                        transaction.lock_collection(5, LockMode::Exclusive)?;
                    }
                }
                transaction.put(Tree::Documents, 1, b"k", b"v")?;
                transaction.commit(Durability::Buffered).map(drop)
            };
            Box::new(work) as Box<dyn FnOnce() -> Result<(), Error> + Send>
        });
        let outcomes = all(Vec::from(work));
        let n_victims = outcomes.iter().filter(|outcome| matches!(outcome, Err(Error::Deadlock))).count();
        assert!(outcomes.iter().any(Result::is_ok), "{outcomes:?}");
        assert_eq!(manager.metrics().deadlocks, n_victims as u64);
        N_DEADLOCKS.fetch_add(n_victims as u64, Ordering::SeqCst);
        nothing_is_left(&manager);
    });
    assert!(N_DEADLOCKS.load(Ordering::SeqCst) > 0, "they never met");
}

#[test]
fn nobody_is_sacrificed_where_all_keep_one_order() {
    check(1500, || {
        let manager = direct(PATIENT);
        let work = (0..3).map(|_| {
            let manager = manager.clone();
            let work = move || {
                let mut transaction = manager.begin().unwrap();
                transaction.lock_collection(1, LockMode::Write).unwrap();
                transaction.lock_collection(2, LockMode::Exclusive).unwrap();
                transaction.lock_collection(3, LockMode::Exclusive).unwrap();
                transaction.abort();
            };
            Box::new(work) as Box<dyn FnOnce() + Send>
        });
        all(work.collect());
        assert_eq!(manager.metrics().deadlocks, 0);
        nothing_is_left(&manager);
    });
}

#[test]
fn who_gives_up_leaves_nothing_behind() {
    static N_TIMEOUTS: AtomicU64 = AtomicU64::new(0);
    check_both_ways(1500, || {
        let manager = direct(SHORT);
        let work = (0..3).map(|_| {
            let manager = manager.clone();
            let work = move || {
                let mut transaction = manager.begin().unwrap();
                match transaction.lock_collection(1, LockMode::Exclusive) {
                    Ok(()) | Err(Error::LockTimeout { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                match transaction.lock_key(1, b"k") {
                    Ok(()) => transaction.put(Tree::Documents, 1, b"k", b"v").unwrap(),
                    Err(Error::Conflict { .. } | Error::Deadlock) => return,
                    Err(error) => panic!("{error}"),
                }
                transaction.commit(Durability::Buffered).unwrap();
            };
            Box::new(work) as Box<dyn FnOnce() + Send>
        });
        all(work.collect());
        N_TIMEOUTS.fetch_add(manager.metrics().lock_timeouts, Ordering::SeqCst);
        nothing_is_left(&manager);
    });
    assert!(N_TIMEOUTS.load(Ordering::SeqCst) > 0, "nobody gave up");
}

fn keys_of(view: &ReadView) -> BTreeSet<Vec<u8>> {
    let entries =
        view.range(Tree::Documents, 1, (Bound::Unbounded, Bound::Unbounded), Direction::Forward).unwrap();
    entries.map(|entry| entry.unwrap().0.to_vec()).collect()
}

/// What a view saw: its place in the order of commits, and the keys that were there.
type Sight = (u64, BTreeSet<Vec<u8>>);

enum Deed {
    Committed(u64, Vec<u8>),
    Refused(Vec<u8>),
    Seen(Vec<Sight>),
}

fn commit(manager: &TransactionManager, key: &[u8], value: &[u8]) -> Result<u64, Error> {
    let mut transaction = manager.begin()?;
    transaction.put(Tree::Documents, 1, key, value)?;
    let seq = transaction.commit(Durability::Buffered)?.0;
    // Who begins after a commit sees it.
    let view = manager.snapshot()?;
    assert!(view.commit_seq().0 >= seq);
    assert!(view.get(Tree::Documents, 1, key)?.is_some());
    Ok(seq)
}

/// Committers and a reader; a view of commit number n has exactly the commits up to n.
fn commits_become_visible_in_order(
    manager: &TransactionManager,
    value_bytes: [usize; 3],
    n_checkpoints: usize,
) {
    let mut work: Vec<Box<dyn FnOnce() -> Deed + Send>> = Vec::new();
    for (number, len) in value_bytes.into_iter().enumerate() {
        let manager = manager.clone();
        work.push(Box::new(move || {
            let key = vec![number as u8];
            match commit(&manager, &key, &vec![7; len]) {
                Ok(seq) => Deed::Committed(seq, key),
                Err(Error::ReadOnly(_)) => Deed::Refused(key),
                Err(error) => panic!("{error}"),
            }
        }));
    }
    let reader = manager.clone();
    work.push(Box::new(move || {
        let see = |_| {
            let view = reader.snapshot().unwrap();
            let first = keys_of(&view);
            thread::yield_now();
            assert_eq!(first, keys_of(&view), "a view has changed");
            (view.commit_seq().0, first)
        };
        Deed::Seen((0..4).map(see).collect())
    }));
    let tender = manager.clone();
    work.push(Box::new(move || {
        (0..n_checkpoints).for_each(|_| tender.checkpoint().unwrap());
        Deed::Seen(Vec::new())
    }));
    let mut commits: BTreeMap<u64, BTreeSet<Vec<u8>>> = BTreeMap::new();
    let mut sights = Vec::new();
    let mut refused = BTreeSet::new();
    for deed in all(work) {
        match deed {
            Deed::Committed(seq, key) => drop(commits.entry(seq).or_default().insert(key)),
            Deed::Refused(key) => drop(refused.insert(key)),
            Deed::Seen(seen) => sights.extend(seen),
        }
    }
    let view = manager.snapshot().unwrap();
    sights.push((view.commit_seq().0, keys_of(&view)));
    for (seq, seen) in sights {
        let expected: BTreeSet<Vec<u8>> = commits.range(..=seq).flat_map(|(_, keys)| keys.clone()).collect();
        assert_eq!(seen, expected, "seen at {seq}, of {commits:?}");
    }
    if manager.metrics().log_written_bytes > 0 {
        assert!(commits.values().all(|keys| keys.len() == 1), "two commits have one number");
    }
}

#[test]
fn commits_become_visible_in_their_order() {
    static LARGEST_GROUP: AtomicU64 = AtomicU64::new(0);
    let note = |manager: &TransactionManager| {
        LARGEST_GROUP.fetch_max(manager.metrics().group_commits_max, Ordering::SeqCst);
    };
    check(1500, move || {
        let manager = direct(PATIENT);
        commits_become_visible_in_order(&manager, [8, 8, 8], 0);
        note(&manager);
    });
    check(1500, move || {
        let (manager, _) = logged(options(PATIENT));
        commits_become_visible_in_order(&manager, [8, 8, 8], 1);
        note(&manager);
    });
    // The lead was passed on, to one who took the other along.
    assert!(LARGEST_GROUP.load(Ordering::SeqCst) >= 2, "no commits were ever grouped");
}

#[test]
fn large_commits_become_visible_in_their_order_too() {
    check(1500, || {
        let mut options = options(PATIENT);
        options.bulk_bytes_min = 1000;
        let (manager, _) = logged(options);
        commits_become_visible_in_order(&manager, [8, 2000, 8], 1);
        assert_eq!(manager.metrics().bulk_commits, 1);
    });
}

/// A delta that is full after each commit: commits wait for checkpoints, and are woken.
#[test]
fn commits_that_wait_for_room_go_on() {
    static N_CHECKPOINTS: AtomicU64 = AtomicU64::new(0);
    check(1500, || {
        let mut options = options(PATIENT);
        options.delta_bytes_max = 1;
        let (manager, _) = logged(options);
        commits_become_visible_in_order(&manager, [8, 8, 8], 0);
        N_CHECKPOINTS.fetch_add(manager.metrics().checkpoints, Ordering::SeqCst);
    });
    assert!(N_CHECKPOINTS.load(Ordering::SeqCst) > 0, "nobody had to wait");
}

/// The disk refuses a write or two: the commits that were in that group are tried one by one, each is there or refused,
/// and commits are taken again afterwards.
#[test]
fn a_group_that_fails_takes_nobody_along() {
    static N_REFUSED: AtomicU64 = AtomicU64::new(0);
    let fails = |error: ErrorKind, n_spared: u32, n_failing: u32| {
        move || {
            let (manager, disk) = logged(options(PATIENT));
            commit(&manager, b"first", b"").unwrap();
            disk.inject(Fault { operation: Operation::Write, n_spared, n_failing, error });
            let work = (0..4_u8).map(|number| {
                let manager = manager.clone();
                let work = move || (number, commit(&manager, &[number], b"v"));
                Box::new(work) as Box<dyn FnOnce() -> (u8, Result<u64, Error>) + Send>
            });
            let outcomes = all(work.collect());
            let n_refused = outcomes.iter().filter(|(_, outcome)| outcome.is_err()).count();
            // A full disk leaves the log as it was, so it costs no more commits than writes.
            assert!(error != ErrorKind::StorageFull || n_refused <= n_failing as usize, "{outcomes:?}");
            N_REFUSED.fetch_add(n_refused as u64, Ordering::SeqCst);
            let mut expected = BTreeSet::from([b"first".to_vec()]);
            for (number, outcome) in outcomes {
                match outcome {
                    Ok(_) => drop(expected.insert(vec![number])),
                    Err(Error::ReadOnly(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(keys_of(&manager.snapshot().unwrap()), expected);
            disk.heal();
            while manager.health().is_err() {
                thread::yield_now();
            }
            commit(&manager, b"last", b"").unwrap();
            expected.insert(b"last".to_vec());
            assert_eq!(keys_of(&manager.snapshot().unwrap()), expected);
        }
    };
    check(1000, fails(ErrorKind::StorageFull, 0, 1));
    // The first commit goes alone, so this one finds a group more often.
    check(1000, fails(ErrorKind::StorageFull, 1, 1));
    check(1000, fails(ErrorKind::Other, 1, 2));
    assert!(N_REFUSED.load(Ordering::SeqCst) > 0, "nothing was refused");
}
