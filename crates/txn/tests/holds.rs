//! Collections held without a transaction, and transactions inside of others.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::time::{Duration, Instant};

use persea_txn::{
    Durability, Engine, Error, LockMode, OTHER_LOCKS, Options, Transaction, TransactionManager,
    TransactionOptions, Tree,
};

fn manager() -> TransactionManager {
    TransactionManager::open_with(Engine::memory(), Options::default()).unwrap()
}

fn locking(collections: &[(u64, LockMode)]) -> TransactionOptions {
    TransactionOptions::locking(collections.iter().copied())
}

fn await_waiting(manager: &TransactionManager, n_waiting: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while manager.metrics().waiting_transactions < n_waiting {
        assert!(Instant::now() < deadline, "nobody waits");
        std::thread::yield_now();
    }
}

#[test]
fn a_hold_keeps_others_out_and_no_snapshot() {
    let manager = manager();
    let hold = manager.hold(&locking(&[(5, LockMode::Exclusive)])).unwrap();
    let mut metrics = manager.metrics();
    assert_eq!((metrics.active_transactions, metrics.live_snapshots, metrics.locked_collections), (0, 0, 1));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| manager.begin_with(&locking(&[(5, LockMode::Write)])).map(drop));
        await_waiting(&manager, 1);
        assert!(!writer.is_finished());
        drop(hold);
        writer.join().unwrap().unwrap();
    });
    metrics = manager.metrics();
    assert_eq!((metrics.aborts, metrics.locked_collections), (1, 0), "a hold that ends is no abort");
}

/// Each takes what is no collection before the collection, whatever the numbers.
#[test]
fn what_is_no_collection_is_locked_first_and_not_counted() {
    let manager = manager();
    let first = manager.hold(&locking(&[(OTHER_LOCKS | 5, LockMode::Exclusive)])).unwrap();
    assert_eq!(manager.metrics().locked_collections, 0);
    let both = locking(&[(5, LockMode::Exclusive), (OTHER_LOCKS | 5, LockMode::Exclusive)]);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| manager.hold(&both).map(drop));
        await_waiting(&manager, 1);
        assert!(!second.is_finished());
        // It waits for what is no collection, so the collection is free.
        drop(manager.begin_with(&locking(&[(5, LockMode::Exclusive)])).unwrap());
        drop(first);
        second.join().unwrap().unwrap();
    });
}

/// The outer transaction holds 1 and can't go on before the inner one has 2; who holds 2 wants 1.
fn outer_and_inner(yields: bool) -> (Result<(), Error>, Result<(), Error>) {
    let manager = manager();
    let outer = manager.begin_with(&locking(&[(1, LockMode::Write)])).unwrap();
    let mut other = manager.begin_with(&locking(&[(2, LockMode::Write)])).unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            other.lock_collection(1, LockMode::Exclusive)?;
            other.commit(Durability::Buffered).map(drop)
        });
        await_waiting(&manager, 1);
        let mut inner = locking(&[(2, LockMode::Exclusive)]);
        inner.inside_of.push(outer.id());
        inner.yields = yields;
        let inner = manager.hold(&inner).map(drop);
        outer.abort();
        assert_eq!(manager.metrics().deadlocks, 1);
        (inner, other.join().unwrap())
    })
}

#[test]
fn a_deadlock_through_an_outer_transaction_is_found() {
    let (inner, other) = outer_and_inner(false);
    let are_deadlocks = [inner, other].map(|outcome| match outcome {
        Ok(()) => false,
        Err(Error::Deadlock) => true,
        Err(error) => panic!("{error}"),
    });
    assert_eq!(are_deadlocks.into_iter().filter(|is_deadlock| *is_deadlock).count(), 1);
}

#[test]
fn who_has_nothing_to_lose_gives_way() {
    let (inner, other) = outer_and_inner(true);
    assert!(matches!(inner, Err(Error::Deadlock)), "{inner:?}");
    other.unwrap();
}

#[test]
fn the_written_keys_of_a_keyspace() {
    let manager = manager();
    let written = |transaction: &mut Transaction| {
        let mut keys = Vec::new();
        transaction.for_each_written(Tree::Documents, 7, |key| keys.push(key.to_vec()));
        keys.sort();
        keys.dedup();
        keys
    };
    let mut transaction = manager.begin().unwrap();
    transaction.put(Tree::Documents, 7, b"a", b"1").unwrap();
    transaction.put(Tree::Documents, 8, b"b", b"1").unwrap();
    transaction.put(Tree::Index, 7, b"c", b"1").unwrap();
    let savepoint = transaction.savepoint();
    transaction.put(Tree::Documents, 7, b"d", b"1").unwrap();
    transaction.rollback_to(&savepoint).unwrap();
    assert_eq!(written(&mut transaction), [b"a"]);
    transaction.delete(Tree::Documents, 7, b"e").unwrap();
    transaction.put(Tree::Documents, 7, b"a", b"2").unwrap();
    assert_eq!(written(&mut transaction), [b"a", b"e"]);
    transaction.rollback_to(&savepoint).unwrap();
    assert_eq!(written(&mut transaction), [b"a"]);
}
