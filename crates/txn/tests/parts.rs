//! Transactions that commit in parts: what stays, what conflicts, and what they read.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use persea_txn::{
    Durability, Engine, Error, LockMode, LockTimeouts, Options, Transaction, TransactionManager,
    TransactionOptions, Tree,
};
use persea_wal::simulation::{Fault, Operation, SimulatedStorage};
use proptest::prelude::*;

/// Runs the check without and with a log, where parts of two bytes and more go to the engine directly.
fn everywhere(check: impl Fn(&TransactionManager)) {
    let mut options = Options::default();
    options.lock_timeouts.key = Duration::from_millis(20);
    check(&TransactionManager::open_with(Engine::memory(), options.clone()).unwrap());
    for bulk_bytes_min in [8 << 20, 2] {
        options.bulk_bytes_min = bulk_bytes_min;
        let disk = Arc::new(SimulatedStorage::new(1));
        check(&TransactionManager::open_on(Engine::memory(), disk, options.clone()).unwrap());
    }
}

fn write(transaction: &mut Transaction, key: &[u8], value: &[u8]) -> Result<(), Error> {
    transaction.lock_key(1, key)?;
    transaction.put(Tree::Documents, 1, key, value)
}

fn commit_one(manager: &TransactionManager, key: &[u8], value: &[u8]) -> Result<(), Error> {
    let mut transaction = manager.begin()?;
    write(&mut transaction, key, value)?;
    transaction.commit(Durability::Buffered).map(drop)
}

fn current(manager: &TransactionManager, key: &[u8]) -> Option<Vec<u8>> {
    manager.snapshot().unwrap().get(Tree::Documents, 1, key).unwrap().map(<[u8]>::to_vec)
}

#[test]
fn a_part_stays_when_the_rest_is_dropped() {
    everywhere(|manager| {
        let mut transaction = manager.begin().unwrap();
        write(&mut transaction, b"a", b"1").unwrap();
        let before = transaction.savepoint();
        transaction.commit_part(Durability::Synced).unwrap();
        assert_eq!(current(manager, b"a").as_deref(), Some(&b"1"[..]));
        assert!(matches!(transaction.rollback_to(&before), Err(Error::SavepointInvalid)));
        write(&mut transaction, b"a", b"2").unwrap();
        write(&mut transaction, b"b", b"2").unwrap();
        let after = transaction.savepoint();
        transaction.delete(Tree::Documents, 1, b"a").unwrap();
        transaction.rollback_to(&after).unwrap();
        assert_eq!(transaction.get(Tree::Documents, 1, b"a").unwrap(), Some(&b"2"[..]));
        drop(transaction);
        assert_eq!(current(manager, b"a").as_deref(), Some(&b"1"[..]));
        assert_eq!(current(manager, b"b"), None);
        assert_eq!((manager.metrics().tracked_keys, manager.metrics().active_transactions), (0, 0));
    });
}

#[test]
fn after_a_part_that_failed_the_transaction_tells_of_it() {
    let disk = Arc::new(SimulatedStorage::new(1));
    let manager = TransactionManager::open_on(Engine::memory(), disk.clone(), Options::default()).unwrap();
    let mut transaction = manager.begin().unwrap();
    write(&mut transaction, b"a", b"1").unwrap();
    let fault =
        Fault { operation: Operation::Write, n_spared: 0, n_failing: 1000, error: ErrorKind::StorageFull };
    disk.inject(fault);
    let first = transaction.commit_part(Durability::Buffered).unwrap_err();
    assert!(matches!(first, Error::ReadOnly(_)), "{first}");
    assert!(!transaction.is_active());
    let is_told = |error: Error| {
        assert!(matches!(error, Error::PartFailed(_)), "{error}");
        assert!(error.to_string().ends_with(&first.to_string()), "{error}");
    };
    is_told(write(&mut transaction, b"b", b"1").unwrap_err());
    is_told(transaction.get(Tree::Documents, 1, b"a").unwrap_err());
    is_told(transaction.view().unwrap_err());
    is_told(transaction.commit_part(Durability::Buffered).unwrap_err());
    is_told(transaction.commit(Durability::Buffered).unwrap_err());
    assert_eq!(current(&manager, b"a"), None);
    assert_eq!((manager.metrics().tracked_keys, manager.metrics().active_transactions), (0, 0));
    assert_eq!(manager.metrics().deadlocks, 0);
}

#[test]
fn reading_moves_on_with_a_part_but_not_in_views() {
    everywhere(|manager| {
        let mut transaction = manager.begin().unwrap();
        let view = transaction.view().unwrap();
        commit_one(manager, b"other", b"1").unwrap();
        write(&mut transaction, b"own", b"1").unwrap();
        assert_eq!(transaction.get(Tree::Documents, 1, b"other").unwrap(), None);
        transaction.commit_part(Durability::Buffered).unwrap();
        for key in [&b"other"[..], b"own"] {
            assert_eq!(transaction.get(Tree::Documents, 1, key).unwrap(), Some(&b"1"[..]));
            assert_eq!(transaction.view().unwrap().get(Tree::Documents, 1, key).unwrap(), Some(&b"1"[..]));
            assert_eq!(view.get(Tree::Documents, 1, key).unwrap(), None);
        }
    });
}

#[test]
fn others_conflict_also_behind_a_part_and_own_parts_never() {
    everywhere(|manager| {
        // Whether commits have to be remembered for somebody else, or only for the transaction itself.
        for with_older in [false, true] {
            let older = with_older.then(|| manager.begin().unwrap());
            let mut transaction = manager.begin().unwrap();
            commit_one(manager, b"before", b"other").unwrap();
            for round in 0..3 {
                write(&mut transaction, b"own", &[round]).unwrap();
                write(&mut transaction, b"lost", &[round]).unwrap();
                transaction.commit_part(Durability::Buffered).unwrap();
            }
            commit_one(manager, b"lost", b"other").unwrap();
            write(&mut transaction, b"own", b"last").unwrap();
            for key in [&b"before"[..], b"lost"] {
                let outcome = write(&mut transaction, key, b"own");
                assert!(matches!(outcome, Err(Error::Conflict { .. })), "{key:?} {outcome:?}");
            }
            transaction.commit(Durability::Buffered).unwrap();
            assert_eq!(current(manager, b"own").as_deref(), Some(&b"last"[..]));
            assert_eq!(current(manager, b"lost").as_deref(), Some(&b"other"[..]));
            // Who began before the parts conflicts with them.
            if let Some(mut older) = older {
                assert!(matches!(write(&mut older, b"own", b"older"), Err(Error::Conflict { .. })));
            }
            assert_eq!(manager.metrics().tracked_keys, 0);
        }
    });
}

#[test]
fn a_part_gives_keys_back_and_keeps_collections() {
    everywhere(|manager| {
        let exclusive = TransactionOptions::locking([(7, LockMode::Exclusive)]);
        let mut transaction = manager.begin_with(&exclusive).unwrap();
        let n_tracked = |part: u8| {
            assert!(manager.metrics().tracked_keys <= 100, "{part}");
        };
        for part in 0..50_u8 {
            for key in 0..100_u8 {
                write(&mut transaction, &[part, key], b"v").unwrap();
            }
            n_tracked(part);
            transaction.commit_part(Durability::Buffered).unwrap();
        }
        // Nobody else is there for whom they had to be remembered.
        assert_eq!(manager.metrics().tracked_keys, 0);
        commit_one(manager, &[1, 1], b"other").unwrap();
        let at_once = LockTimeouts { collection: Duration::ZERO, key: Duration::ZERO };
        let writer = TransactionOptions::locking([(7, LockMode::Write)]).with_lock_timeouts(at_once);
        assert!(matches!(manager.begin_with(&writer), Err(Error::LockTimeout { .. })));
        transaction.commit(Durability::Buffered).unwrap();
        manager.begin_with(&writer).unwrap();
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// A transaction that counts keys up, commits parts at random, and meets others that do the same: no count is lost.
    #[test]
    fn no_update_is_lost(steps in prop::collection::vec((0..4_u8, 0..3_u8, any::<bool>()), 1..60)) {
        everywhere(|manager| {
            let mut counted = [0_u8; 3];
            let mut pending = [0_u8; 3];
            let mut transaction = manager.begin().unwrap();
            let _older = steps[0].2.then(|| manager.begin().unwrap());
            let value = |found: Option<&[u8]>| found.map_or(0, |value| value[0]);
            for (action, key, _) in &steps {
                let bytes = [*key];
                match action {
                    0 => {
                        transaction.commit_part(Durability::Buffered).unwrap();
                        for (counted, pending) in counted.iter_mut().zip(std::mem::take(&mut pending)) {
                            *counted += pending;
                        }
                    }
                    1 => {
                        let old = value(current(manager, &bytes).as_deref());
                        if commit_one(manager, &bytes, &[old + 1]).is_ok() {
                            counted[usize::from(*key)] += 1;
                        }
                    }
                    _ => {
                        if transaction.lock_key(1, &bytes).is_ok() {
                            let old = value(transaction.get(Tree::Documents, 1, &bytes).unwrap());
                            transaction.put(Tree::Documents, 1, &bytes, &[old + 1]).unwrap();
                            pending[usize::from(*key)] += 1;
                        }
                    }
                }
            }
            transaction.commit(Durability::Buffered).unwrap();
            for key in 0..3_u8 {
                let found = value(current(manager, &[key]).as_deref());
                assert_eq!(found, counted[usize::from(key)] + pending[usize::from(key)], "{steps:?}");
            }
        });
    }
}
