//! What the engines promise beyond being maps: limits, locks, growth, copies, shared snapshots.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::ops::Bound;

use persea_kv::{
    Direction, Engine, Error, MAX_KEY_BYTES, Options, Store, StoreSnapshot, Tree, Write, WriteSync,
};

fn both(check: impl Fn(&Engine)) {
    check(&Engine::memory());
    let folder = tempfile::tempdir().unwrap();
    check(&Engine::open_lmdb(folder.path(), &Options::default()).unwrap());
}

#[test]
fn keys_have_limits_and_a_bad_batch_leaves_no_trace() {
    both(|engine| {
        let (longest, too_long) = (vec![1; MAX_KEY_BYTES], vec![1; MAX_KEY_BYTES + 1]);
        let put = |key| Write::put(Tree::Meta, key, b"v");
        engine.write([put(&longest)].into_iter()).unwrap();
        assert!(matches!(engine.write([put(b"a"), put(b"")].into_iter()), Err(Error::KeyEmpty)));
        let outcome = engine.write([put(b"a"), put(&too_long)].into_iter());
        assert!(matches!(outcome, Err(Error::KeyTooLong { key_bytes }) if key_bytes == MAX_KEY_BYTES + 1));
        let snapshot = engine.snapshot().unwrap();
        assert_eq!(snapshot.entries(Tree::Meta).unwrap(), 1);
        assert_eq!(snapshot.get(Tree::Meta, b"").unwrap(), None);
        assert_eq!(snapshot.get(Tree::Meta, &too_long).unwrap(), None);
    });
}

#[test]
fn a_folder_has_one_owner_until_its_last_snapshot_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open_lmdb(folder.path(), &Options::default()).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let is_in_use =
        || matches!(Engine::open_lmdb(folder.path(), &Options::default()), Err(Error::FolderInUse { .. }));
    assert!(is_in_use());
    drop(engine);
    assert!(is_in_use());
    drop(snapshot);
    assert!(!is_in_use());
}

#[test]
fn a_small_reservation_grows_with_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.reserve_bytes = 1;
    let engine = Engine::open_lmdb(folder.path(), &options).unwrap();
    let reserved_bytes = engine.stats().unwrap().reserved_bytes;
    let value = vec![7; 1 << 20];
    for number in 0..40_u8 {
        engine.write([Write::put(Tree::Documents, &[number], &value)].into_iter()).unwrap();
    }
    assert!(engine.stats().unwrap().reserved_bytes > reserved_bytes);
    let snapshot = engine.snapshot().unwrap();
    assert_eq!(snapshot.entries(Tree::Documents).unwrap(), 40);
    assert_eq!(snapshot.get(Tree::Documents, &[39]).unwrap(), Some(value.as_slice()));
}

#[test]
fn growth_waits_for_snapshots_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.reserve_bytes = 1;
    let engine = Engine::open_lmdb(folder.path(), &options).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let writer = {
        let engine = engine.clone();
        std::thread::spawn(move || {
            let value = vec![7; 1 << 20];
            for number in 0..40_u8 {
                engine.write([Write::put(Tree::Documents, &[number], &value)].into_iter()).unwrap();
            }
        })
    };
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(!writer.is_finished());
    drop(snapshot);
    writer.join().unwrap();
}

#[test]
fn released_reader_slots_are_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.readers_max = 8;
    let engine = Engine::open_lmdb(folder.path(), &options).unwrap();
    for _ in 0..50 {
        let snapshots: Vec<_> = (0..8).map(|_| engine.snapshot().unwrap()).collect();
        assert!(matches!(engine.snapshot(), Err(Error::ReadersFull { limit: 8 })));
        drop(snapshots);
    }
    assert_eq!(engine.stats().unwrap().live_snapshots, 0);
}

#[test]
fn threads_share_a_snapshot() {
    both(|engine| {
        let keys: Vec<[u8; 4]> = (0..10_000_u32).map(u32::to_be_bytes).collect();
        engine.write(keys.iter().map(|key| Write::put(Tree::Index, key, key))).unwrap();
        let snapshot = engine.snapshot().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let all = (Bound::Unbounded, Bound::Unbounded);
                    assert_eq!(
                        snapshot.range(Tree::Index, all, Direction::Reverse).unwrap().count(),
                        keys.len()
                    );
                    for key in &keys {
                        assert_eq!(snapshot.get(Tree::Index, key).unwrap(), Some(key.as_slice()));
                    }
                });
            }
        });
    });
}

#[test]
fn a_copy_opens_as_a_database_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open_lmdb(folder.path().join("original"), &Options::default()).unwrap();
    engine.write([Write::put(Tree::Meta, b"k", b"v")].into_iter()).unwrap();
    engine.copy_to(folder.path().join("copy")).unwrap();
    assert!(matches!(engine.copy_to(folder.path().join("copy")), Err(Error::Io(_))));
    let copy = Engine::open_lmdb(folder.path().join("copy"), &Options::default()).unwrap();
    assert_eq!(copy.snapshot().unwrap().get(Tree::Meta, b"k").unwrap(), Some(&b"v"[..]));
    assert!(matches!(Engine::memory().copy_to(folder.path()), Err(Error::Unsupported(..))));
}

/// The test binary runs itself as the process that is killed. Nothing is synced: the system has it nevertheless.
#[test]
fn acknowledged_writes_survive_a_kill() {
    const FOLDER: &str = "PERSEA_KV_TEST_KILL_FOLDER";
    let write = |engine: &Engine, number: u32| {
        engine.write([Write::put(Tree::Meta, &number.to_be_bytes(), b"v")].into_iter()).unwrap();
    };
    if let Ok(folder) = std::env::var(FOLDER) {
        let mut options = Options::default();
        options.write_sync = WriteSync::OnDemand;
        let engine = Engine::open_lmdb(folder, &options).unwrap();
        let _snapshot = engine.snapshot().unwrap();
        (0..1000).for_each(|number| write(&engine, number));
        std::process::abort();
    }
    let folder = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "acknowledged_writes_survive_a_kill"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap()
        .status;
    assert!(!status.success());
    let engine = Engine::open_lmdb(folder.path(), &Options::default()).unwrap();
    assert_eq!(engine.snapshot().unwrap().entries(Tree::Meta).unwrap(), 1000);
}
