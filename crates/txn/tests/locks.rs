//! Transactions that wait for each other: order, timeouts, and deadlocks on both levels.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::time::{Duration, Instant};

use persea_txn::{
    Durability, Engine, Error, LockMode, LockTimeouts, Metrics, Options, Transaction, TransactionManager,
    TransactionOptions, Tree,
};

const PATIENT: LockTimeouts =
    LockTimeouts { collection: Duration::from_secs(60), key: Duration::from_secs(60) };

fn manager() -> TransactionManager {
    let mut options = Options::default();
    options.lock_timeouts = PATIENT;
    TransactionManager::open_with(Engine::memory(), options).unwrap()
}

fn impatient(milliseconds: u64) -> TransactionOptions {
    let timeout = Duration::from_millis(milliseconds);
    TransactionOptions::default().with_lock_timeouts(LockTimeouts { collection: timeout, key: timeout })
}

/// A transaction that has written `key` and holds these collections.
fn writer(manager: &TransactionManager, key: &[u8], collections: &[(u64, LockMode)]) -> Transaction {
    let options = TransactionOptions::locking(collections.iter().copied());
    let mut transaction = manager.begin_with(&options).unwrap();
    transaction.lock_key(1, key).unwrap();
    transaction.put(Tree::Documents, 1, key, b"written").unwrap();
    transaction
}

/// Returns when so many waits have begun, or when a deadlock has let somebody go on.
fn wait_for(manager: &TransactionManager, n_waits: u64) {
    let deadline = Instant::now() + Duration::from_secs(10);
    let is_over = |metrics: Metrics| metrics.lock_waits >= n_waits || metrics.deadlocks > 0;
    while !is_over(manager.metrics()) {
        assert!(Instant::now() < deadline, "nobody waits");
        std::thread::yield_now();
    }
}

#[derive(Clone, Copy)]
enum Wish {
    Collection(u64, LockMode),
    Key(&'static [u8]),
}

/// Each transaction in a thread of its own takes what it wishes, begun when those before it wait, and commits.
fn run(manager: &TransactionManager, wishes: Vec<(Transaction, Wish)>) -> Vec<Result<(), Error>> {
    let n_waits = manager.metrics().lock_waits;
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (mut transaction, wish) in wishes {
            threads.push(scope.spawn(move || {
                match wish {
                    Wish::Collection(collection, mode) => transaction.lock_collection(collection, mode)?,
                    Wish::Key(key) => transaction.lock_key(1, key)?,
                }
                transaction.commit(Durability::Buffered).map(drop)
            }));
            wait_for(manager, n_waits + threads.len() as u64);
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn is_deadlock(outcome: &Result<(), Error>) -> bool {
    matches!(outcome, Err(Error::Deadlock))
}

#[test]
fn of_four_transactions_in_a_deadlock_one_is_rolled_back_and_three_commit() {
    use LockMode::{Exclusive, Write};
    let manager = manager();
    let one = writer(&manager, b"1", &[(20, Exclusive)]);
    let two = writer(&manager, b"2", &[(30, Exclusive)]);
    let three = writer(&manager, b"3", &[(10, Write)]);
    let four = writer(&manager, b"4", &[(10, Write)]);
    // One waits for three and four, two for one, three and four for two.
    let outcomes = run(
        &manager,
        vec![
            (one, Wish::Collection(10, Exclusive)),
            (two, Wish::Collection(20, Write)),
            (three, Wish::Collection(30, Write)),
            (four, Wish::Collection(30, Write)),
        ],
    );
    assert_eq!(outcomes.iter().filter(|outcome| is_deadlock(outcome)).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 3, "{outcomes:?}");
    let view = manager.snapshot().unwrap();
    for (outcome, key) in outcomes.iter().zip([b"1", b"2", b"3", b"4"]) {
        assert_eq!(view.get(Tree::Documents, 1, key).unwrap().is_some(), outcome.is_ok());
    }
    let metrics = manager.metrics();
    assert_eq!((metrics.deadlocks, metrics.lock_timeouts), (1, 0));
    assert_eq!((metrics.tracked_keys, metrics.locked_collections, metrics.active_transactions), (0, 0, 0));
}

#[test]
fn a_long_circle_over_both_levels_ends() {
    const LENGTH: usize = 12;
    static KEYS: [[u8; 1]; LENGTH] = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]];
    let manager = manager();
    let wishes = (0..LENGTH)
        .map(|number| {
            let collection = [(100 + number as u64, LockMode::Exclusive)];
            let next = (number + 1) % LENGTH;
            let wish = match number % 2 {
                0 => Wish::Collection(100 + next as u64, LockMode::Write),
                _ => Wish::Key(&KEYS[next]),
            };
            (writer(&manager, &KEYS[number], &collection), wish)
        })
        .collect();
    let outcomes = run(&manager, wishes);
    assert_eq!(outcomes.iter().filter(|outcome| is_deadlock(outcome)).count(), 1, "{outcomes:?}");
    // Who waited for a key of a transaction that then committed is in conflict: its snapshot is older.
    let others = |outcome: &&Result<(), Error>| matches!(outcome, Ok(()) | Err(Error::Conflict { .. }));
    assert_eq!(outcomes.iter().filter(others).count(), LENGTH - 1, "{outcomes:?}");
    assert_eq!(manager.metrics().deadlocks, 1);
}

#[test]
fn a_victim_is_rolled_back_whole_and_stays_so() {
    let manager = manager();
    let (one, two) = (writer(&manager, b"1", &[]), writer(&manager, b"2", &[]));
    let lock = |mut transaction: Transaction, key: &'static [u8]| {
        std::thread::spawn(move || {
            let outcome = transaction.lock_key(1, key);
            (transaction, outcome)
        })
    };
    let waiting = lock(one, b"2");
    wait_for(&manager, 1);
    let closing = lock(two, b"1");
    let (mut victim, mut other) = (None, None);
    for thread in [waiting, closing] {
        let (transaction, outcome) = thread.join().unwrap();
        match outcome {
            Err(Error::Deadlock) => victim = Some(transaction),
            outcome => other = Some((transaction, outcome)),
        }
    }
    let mut victim = victim.unwrap();
    assert!(matches!(victim.put(Tree::Meta, 1, b"k", b"v"), Err(Error::Deadlock)));
    assert!(matches!(victim.get(Tree::Meta, 1, b"k"), Err(Error::Deadlock)));
    assert!(matches!(victim.view(), Err(Error::Deadlock)));
    assert!(matches!(victim.lock_key(1, b"k"), Err(Error::Deadlock)));
    assert!(matches!(victim.lock_collection(1, LockMode::Write), Err(Error::Deadlock)));
    assert!(matches!(victim.commit(Durability::Buffered), Err(Error::Deadlock)));
    // The victim's key went to the other without a conflict, since nothing of the victim was committed.
    let (other, outcome) = other.unwrap();
    outcome.unwrap();
    other.commit(Durability::Buffered).unwrap();
}

#[test]
fn waiters_are_served_in_order() {
    let manager = manager();
    let holder = writer(&manager, b"k", &[(5, LockMode::Exclusive)]);
    let order = parking_lot::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for number in 0..6_u64 {
            let (manager, order) = (&manager, &order);
            // Writers among those that want it for themselves must not overtake them.
            let mode = if number % 2 == 0 { LockMode::Exclusive } else { LockMode::Write };
            scope.spawn(move || {
                let options = TransactionOptions::locking([(5, mode)]);
                let transaction = manager.begin_with(&options).unwrap();
                order.lock().push(number);
                transaction.abort();
            });
            wait_for(manager, number + 1);
        }
        holder.abort();
    });
    assert_eq!(*order.lock(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn an_exclusive_lock_taken_up_front_sees_everything_committed_before_it() {
    let manager = manager();
    let first = writer(&manager, b"k", &[(5, LockMode::Write)]);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let options = TransactionOptions::locking([(5, LockMode::Write), (5, LockMode::Exclusive)]);
            let mut second = manager.begin_with(&options).unwrap();
            assert_eq!(second.get(Tree::Documents, 1, b"k").unwrap(), Some(&b"written"[..]));
            second.lock_key(1, b"k").unwrap();
        });
        wait_for(&manager, 1);
        first.commit(Durability::Buffered).unwrap();
        second.join().unwrap();
    });
}

#[test]
fn waits_end_at_their_timeout() {
    let manager = manager();
    let _holder = writer(&manager, b"k", &[(5, LockMode::Write)]);
    let mut transaction = manager.begin_with(&impatient(20)).unwrap();
    let outcome = transaction.lock_collection(5, LockMode::Exclusive);
    assert!(matches!(outcome, Err(Error::LockTimeout { collection: 5, .. })));
    assert!(matches!(transaction.lock_key(1, b"k"), Err(Error::Conflict { .. })));
    // It goes on with what is free.
    transaction.lock_collection(5, LockMode::Write).unwrap();
    transaction.lock_key(1, b"l").unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    let mut at_once = manager.begin_with(&impatient(0)).unwrap();
    assert!(matches!(at_once.lock_key(1, b"k"), Err(Error::Conflict { .. })));
    assert_eq!(manager.metrics().lock_timeouts, 2);
    assert_eq!(manager.metrics().waiting_transactions, 0);
}

#[test]
fn readers_never_wait() {
    let manager = manager();
    let _holder = writer(&manager, b"k", &[(5, LockMode::Exclusive)]);
    let reader = TransactionOptions::locking([(5, LockMode::Read)]);
    manager.begin_with(&reader).unwrap().commit(Durability::Buffered).unwrap();
    assert_eq!(manager.metrics().lock_waits, 0);
}

#[test]
fn collections_locked_up_front_never_deadlock() {
    let manager = manager();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let manager = &manager;
            scope.spawn(move || {
                for round in 0..100_u64 {
                    let first = (thread + round) % 3;
                    let collections = [first, (first + 1) % 3, (first + 2) % 3];
                    let modes = [LockMode::Exclusive, LockMode::Write, LockMode::Exclusive];
                    let options = TransactionOptions::locking(collections.into_iter().zip(modes));
                    manager.begin_with(&options).unwrap().commit(Durability::Buffered).unwrap();
                }
            });
        }
    });
    let metrics = manager.metrics();
    assert_eq!((metrics.deadlocks, metrics.lock_timeouts, metrics.locked_collections), (0, 0, 0));
}

/// Threads that lock at random in any order: everybody ends, one way or the other.
#[test]
fn random_lockers_all_come_to_an_end() {
    let manager = manager();
    std::thread::scope(|scope| {
        for thread in 0..6_u64 {
            let manager = &manager;
            scope.spawn(move || {
                let mut state = thread;
                let mut random = move |n: u64| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) % n
                };
                let mut n_commits = 0;
                while n_commits < 100 {
                    let mut transaction = manager.begin().unwrap();
                    let outcome = (0..4).try_for_each(|_| match random(3) {
                        0 => transaction.lock_collection(random(3), LockMode::Write),
                        1 => transaction.lock_collection(random(3), LockMode::Exclusive),
                        _ => {
                            let key = [random(4) as u8];
                            transaction.lock_key(1, &key)?;
                            transaction.put(Tree::Documents, 1, &key, b"v")
                        }
                    });
                    match outcome {
                        Ok(()) => {
                            transaction.commit(Durability::Buffered).unwrap();
                            n_commits += 1;
                        }
                        Err(Error::Deadlock | Error::Conflict { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let metrics = manager.metrics();
    assert_eq!((metrics.lock_timeouts, metrics.waiting_transactions), (0, 0));
    assert_eq!((metrics.tracked_keys, metrics.locked_collections), (0, 0));
}
