//! Threads against one manager: no lost updates, groups of commits, background work.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::ops::Bound;
use std::time::{Duration, Instant};

use persea_kv::Store;
use persea_txn::{
    Bounds, Direction, Durability, Engine, Error, Options, RESERVED_KEYSPACE, TransactionManager, Tree,
};

const ALL: Bounds<'static> = (Bound::Unbounded, Bound::Unbounded);

fn both(check: impl Fn(TransactionManager)) {
    check(TransactionManager::open(Engine::memory()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).unwrap();
    check(TransactionManager::open(engine).unwrap());
}

fn count(manager: &TransactionManager, tree: Tree, keyspace: u64) -> usize {
    manager.snapshot().unwrap().range(tree, keyspace, ALL, Direction::Forward).unwrap().count()
}

/// Keyspaces that are noted as still to be cleared.
fn n_markers(manager: &TransactionManager) -> usize {
    let markers = (Bound::Unbounded, Bound::Excluded(&[2_u8][..]));
    let view = manager.snapshot().unwrap();
    view.range(Tree::Meta, RESERVED_KEYSPACE, markers, Direction::Forward).unwrap().count()
}

fn wait_until(is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_done() {
        assert!(Instant::now() < deadline, "the background did not get there in time");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn increment(manager: &TransactionManager, key: &[u8], durability: Durability) {
    loop {
        let mut transaction = manager.begin().unwrap();
        match transaction.lock_key(1, key) {
            Ok(()) => {}
            Err(Error::Conflict { .. }) => {
                std::thread::yield_now();
                continue;
            }
            Err(error) => panic!("{error}"),
        }
        let old = transaction.get(Tree::Meta, 1, key).unwrap();
        let old = old.map_or(0, |bytes| u64::from_be_bytes(bytes.try_into().unwrap()));
        transaction.put(Tree::Meta, 1, key, &(old + 1).to_be_bytes()).unwrap();
        transaction.commit(durability).unwrap();
        return;
    }
}

#[test]
fn no_increment_is_lost() {
    const N_THREADS: u64 = 4;
    const N_INCREMENTS: u64 = 200;
    both(|manager| {
        std::thread::scope(|scope| {
            for thread in 0..N_THREADS {
                let manager = &manager;
                scope.spawn(move || {
                    for number in 0..N_INCREMENTS {
                        increment(manager, b"shared", Durability::Buffered);
                        increment(manager, &thread.to_be_bytes(), Durability::Buffered);
                        if number % 50 == 0 {
                            increment(manager, b"synced", Durability::Synced);
                        }
                    }
                });
            }
        });
        let view = manager.snapshot().unwrap();
        let counter = |key: &[u8]| {
            u64::from_be_bytes(view.get(Tree::Meta, 1, key).unwrap().unwrap().try_into().unwrap())
        };
        assert_eq!(counter(b"shared"), N_THREADS * N_INCREMENTS);
        assert_eq!(counter(b"synced"), N_THREADS * N_INCREMENTS / 50);
        (0..N_THREADS).for_each(|thread| assert_eq!(counter(&thread.to_be_bytes()), N_INCREMENTS));
        let metrics = manager.metrics();
        assert_eq!(metrics.grouped_commits, N_THREADS * (2 * N_INCREMENTS + N_INCREMENTS / 50));
        assert_eq!(metrics.tracked_keys, 0);
    });
}

#[test]
fn a_commit_is_seen_by_whoever_begins_after_it() {
    both(|manager| {
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let manager = &manager;
                scope.spawn(move || {
                    for number in 0..200_u64 {
                        let key = [thread.to_be_bytes(), number.to_be_bytes()].concat();
                        let mut transaction = manager.begin().unwrap();
                        transaction.put(Tree::Documents, 1, &key, b"").unwrap();
                        let seq = transaction.commit(Durability::Buffered).unwrap();
                        let view = manager.snapshot().unwrap();
                        assert!(view.commit_seq() >= seq);
                        assert!(view.get(Tree::Documents, 1, &key).unwrap().is_some());
                    }
                });
            }
        });
        assert_eq!(count(&manager, Tree::Documents, 1), 800);
    });
}

#[test]
fn a_cleared_keyspace_becomes_empty_and_its_neighbours_stay() {
    both(|manager| {
        let mut transaction = manager.begin().unwrap();
        for keyspace in [6, 7, 8] {
            for number in 0..3000_u32 {
                transaction.put(Tree::Index, keyspace, &number.to_be_bytes(), b"v").unwrap();
            }
        }
        transaction.commit(Durability::Buffered).unwrap();
        let before = manager.snapshot().unwrap();
        manager.clear_keyspace(Tree::Index, 7).unwrap();
        wait_until(|| manager.metrics().pending_clears == 0);
        assert_eq!(count(&manager, Tree::Index, 7), 0);
        assert_eq!(count(&manager, Tree::Index, 6) + count(&manager, Tree::Index, 8), 6000);
        assert_eq!(n_markers(&manager), 0);
        assert_eq!(before.range(Tree::Index, 7, ALL, Direction::Forward).unwrap().count(), 3000);
        assert_eq!(manager.metrics().clear_failures, 0);
    });
}

#[test]
fn clearing_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = |slice_entries| {
        let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).unwrap();
        let mut options = Options::default();
        options.clear_slice_entries = slice_entries;
        TransactionManager::open_with(engine, options).unwrap()
    };
    let manager = open(1);
    let mut transaction = manager.begin().unwrap();
    (0..5000_u32)
        .try_for_each(|number| transaction.put(Tree::Documents, 7, &number.to_be_bytes(), b"v"))
        .unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    let mut transaction = manager.begin().unwrap();
    transaction.put(Tree::Meta, 1, b"catalog", b"7 is gone").unwrap();
    transaction.clear_keyspace(Tree::Documents, 7).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    drop(manager);

    let manager = open(1024);
    wait_until(|| manager.metrics().pending_clears == 0);
    assert_eq!(count(&manager, Tree::Documents, 7), 0);
    assert_eq!(n_markers(&manager), 0);
    assert_eq!(count(&manager, Tree::Meta, 1), 1);
}

#[test]
fn buffered_commits_are_synced_in_the_background() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).unwrap();
    let manager = TransactionManager::open(engine).unwrap();
    let syncs = manager.metrics().syncs;
    let mut transaction = manager.begin().unwrap();
    transaction.put(Tree::Meta, 1, b"k", b"v").unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    wait_until(|| manager.metrics().syncs > syncs);
}

#[test]
fn limits_are_errors_and_leave_the_transaction_usable() {
    let mut options = Options::default();
    options.transaction_bytes_max = 100;
    let manager = TransactionManager::open_with(Engine::memory(), options).unwrap();
    let mut transaction = manager.begin().unwrap();
    let long_key = vec![0; persea_txn::MAX_KEY_BYTES + 1];
    assert!(matches!(transaction.put(Tree::Meta, 1, &long_key, b""), Err(Error::KeyTooLong { .. })));
    let too_much = transaction.put(Tree::Meta, 1, b"k", &[0; 100]);
    assert!(matches!(too_much, Err(Error::TransactionTooLarge { limit_bytes: 100 })));
    let reserved = transaction.put(Tree::Meta, RESERVED_KEYSPACE, b"k", b"");
    assert!(matches!(reserved, Err(Error::KeyspaceReserved(_))));
    transaction.put(Tree::Meta, 1, b"k", b"v").unwrap();
    assert_eq!(transaction.write_bytes(), 10);
    transaction.check_room(|| (2, 74)).unwrap();
    assert!(transaction.check_room(|| (2, 75)).is_err());
    transaction.put(Tree::Meta, 1, b"l", &[0; 41]).unwrap();
    transaction.delete(Tree::Meta, 1, &[0; 32]).unwrap();
    transaction.commit(Durability::Synced).unwrap();
    assert_eq!(count(&manager, Tree::Meta, 1), 2);
}

#[test]
fn a_savepoint_of_another_transaction_is_refused() {
    let manager = TransactionManager::open(Engine::memory()).unwrap();
    let (mut one, mut other) = (manager.begin().unwrap(), manager.begin().unwrap());
    let savepoint = one.savepoint();
    assert!(matches!(other.rollback_to(&savepoint), Err(Error::SavepointInvalid)));
    one.rollback_to(&savepoint).unwrap();
}

#[test]
fn views_and_transactions_outlive_their_manager() {
    both(|manager| {
        let mut transaction = manager.begin().unwrap();
        transaction.put(Tree::Meta, 1, b"k", b"v").unwrap();
        let view = transaction.view().unwrap();
        drop(manager);
        transaction.commit(Durability::Synced).unwrap();
        assert_eq!(view.get(Tree::Meta, 1, b"k").unwrap(), Some(&b"v"[..]));
    });
}

#[test]
fn handles_move_between_threads() {
    fn is_send<T: Send + 'static>() {}
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    is_send::<persea_txn::Transaction>();
    is_shared::<persea_txn::ReadView>();
    is_shared::<TransactionManager>();
}

#[test]
fn metrics_tell_who_is_active() {
    let manager = TransactionManager::open(Engine::memory()).unwrap();
    let (mut one, two) = (manager.begin().unwrap(), manager.begin().unwrap());
    one.lock_key(1, b"k").unwrap();
    std::thread::sleep(Duration::from_millis(2));
    let metrics = manager.metrics();
    assert_eq!((metrics.active_transactions, metrics.live_snapshots, metrics.tracked_keys), (2, 1, 1));
    assert!(metrics.oldest_snapshot_age >= Duration::from_millis(2));
    one.abort();
    two.commit(Durability::Buffered).unwrap();
    let metrics = manager.metrics();
    assert_eq!((metrics.active_transactions, metrics.live_snapshots, metrics.tracked_keys), (0, 0, 0));
    assert_eq!((metrics.aborts, metrics.commits, metrics.conflicts), (1, 1, 0));
    assert_eq!(metrics.oldest_snapshot_age, Duration::ZERO);
}

/// The manager's own snapshots must not keep the storage from growing.
#[test]
fn commits_go_on_when_a_small_reservation_grows() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = persea_kv::Options::default();
    options.reserve_bytes = 1;
    let engine = Engine::open_lmdb(folder.path(), &options).unwrap();
    let mut txn_options = Options::default();
    txn_options.delta_bytes_max = 4 << 20;
    let manager = TransactionManager::open_with(engine, txn_options).unwrap();
    let value = vec![7; 1 << 20];
    for number in 0..40_u8 {
        assert_eq!(count(&manager, Tree::Documents, 1), usize::from(number));
        let mut transaction = manager.begin().unwrap();
        transaction.put(Tree::Documents, 1, &[number], &value).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
    }
    drop(manager);
    let engine = Engine::open_lmdb(folder.path(), &options).unwrap();
    assert!(engine.stats().unwrap().reserved_bytes > 40 << 20);
    let manager = TransactionManager::open(engine).unwrap();
    assert_eq!((count(&manager, Tree::Documents, 1), manager.metrics().replayed_commits), (40, 0));
}
