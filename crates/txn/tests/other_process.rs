//! Reading a folder that another, real process writes to, or wrote to until it was killed.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on may panic")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use persea_txn::{Durability, Engine, Error, Options, ReadView, TransactionManager, Tree};

const WRITE: &str = "PERSEA_TXN_TEST_WRITE_FOLDER";
const HOLD: &str = "PERSEA_TXN_TEST_HOLD_FOLDER";
/// Every so many commits one is large enough to go to the engine past the log.
const BULK_EVERY: u64 = 25;

fn options() -> Options {
    let mut options = Options::default();
    // Small, so that checkpoints, bulk commits and new segments happen all the time.
    options.delta_bytes_max = 100 << 10;
    options.bulk_bytes_min = 20 << 10;
    options.log_segment_bytes = 32 << 10;
    options
}

fn open(folder: &Path) -> TransactionManager {
    let engine = Engine::open_lmdb(folder, &persea_kv::Options::default()).unwrap();
    TransactionManager::open_with(engine, options()).unwrap()
}

fn open_read_only(folder: &Path) -> TransactionManager {
    let engine = Engine::open_lmdb_read_only(folder, &persea_kv::Options::default()).unwrap();
    TransactionManager::open_read_only(engine, options()).unwrap()
}

fn number(view: &ReadView, tree: Tree, key: &[u8]) -> u64 {
    let value = view.get(tree, 1, key).unwrap();
    value.map_or(0, |bytes| u64::from_be_bytes(bytes[..8].try_into().unwrap()))
}

/// The last commit that a view shows; panics if it shows no state that there ever was.
fn reached(view: &ReadView) -> u64 {
    let (small, again) = (number(view, Tree::Documents, b"small"), number(view, Tree::Index, b"small"));
    assert_eq!(small, again, "half of a commit is there");
    let bulk = number(view, Tree::Documents, b"bulk");
    assert_eq!(bulk % BULK_EVERY, 0);
    assert!(small >= bulk, "a commit before {bulk} covers what that one wrote: {small}");
    assert!(small < bulk + BULK_EVERY, "{small} is there and a bulk commit after {bulk} is not");
    small
}

/// What the writing process does: commits one number after the other, and says so.
fn write_on(folder: &Path) {
    let manager = open(folder);
    // Others commit while a bulk commit is on its way to the engine.
    let others = manager.clone();
    std::thread::spawn(move || {
        for number in 0_u64.. {
            let mut transaction = others.begin().unwrap();
            transaction.put(Tree::Documents, 2, b"aside", &number.to_be_bytes()).unwrap();
            transaction.commit(Durability::Buffered).unwrap();
        }
    });
    for next in reached(&manager.snapshot().unwrap()) + 1.. {
        let mut value = next.to_be_bytes().to_vec();
        let mut transaction = manager.begin().unwrap();
        if next % BULK_EVERY == 0 {
            value.resize(30_000, 7);
            transaction.put(Tree::Documents, 1, b"bulk", &value).unwrap();
        }
        value.resize(500, 7);
        transaction.put(Tree::Documents, 1, b"small", &value).unwrap();
        transaction.put(Tree::Index, 1, b"small", &value).unwrap();
        if next % 10 == 0 {
            let keyspace = 1000 + next;
            transaction.put(Tree::Documents, keyspace, b"cleared soon", &value).unwrap();
            transaction.clear_keyspace(Tree::Documents, keyspace - 10).unwrap();
        }
        transaction.commit(Durability::Buffered).unwrap();
        std::io::stdout().lock().write_all(format!("reached {next}\n").as_bytes()).unwrap();
    }
}

fn spawn(test: &str, variable: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(variable, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Follows what the writer says it has reached, until it ends.
fn listen(child: &mut Child) -> (Arc<AtomicU64>, JoinHandle<()>) {
    let acknowledged = Arc::new(AtomicU64::new(0));
    let (stdout, counter) = (child.stdout.take().unwrap(), acknowledged.clone());
    let listener = std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(next) = line.strip_prefix("reached ").and_then(|text| text.parse().ok()) {
                counter.store(next, Ordering::SeqCst);
            }
        }
    });
    (acknowledged, listener)
}

/// A process gets so long to come where it has to come; longer means that it never does.
const PATIENCE: Duration = Duration::from_secs(60);

fn names(folder: &Path) -> Vec<(String, u64)> {
    let mut names = Vec::new();
    for folder in [folder.to_path_buf(), folder.join("log")] {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let bytes = if entry.file_type().unwrap().is_dir() { 0 } else { entry.metadata().unwrap().len() };
            names.push((entry.file_name().into_string().unwrap(), bytes));
        }
    }
    names.sort();
    names
}

#[test]
fn each_view_shows_what_was_acknowledged_before_and_nothing_half() {
    if let Some(folder) = std::env::var_os(WRITE) {
        return write_on(folder.as_ref());
    }
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let mut reader = open_read_only(folder.path());
    assert_eq!(reached(&reader.snapshot().unwrap()), 0);
    let mut seen = 0;
    for _ in 0..4 {
        let test = "each_view_shows_what_was_acknowledged_before_and_nothing_half";
        let mut writer = spawn(test, WRITE, folder.path());
        let (acknowledged, listener) = listen(&mut writer);
        let begun = Instant::now();
        let (enough, mut n_views) = (seen + 6 * BULK_EVERY, 0);
        while seen < enough || n_views < 400 {
            assert!(begun.elapsed() < PATIENCE, "{seen} seen in {n_views} views");
            let sure = acknowledged.load(Ordering::SeqCst);
            let view = reader.snapshot().unwrap();
            let found = reached(&view);
            assert!(found >= sure.max(seen), "{found} found, {sure} acknowledged, {seen} seen before");
            std::thread::yield_now();
            assert_eq!(reached(&view), found, "a view doesn't change");
            seen = found;
            n_views += 1;
            if n_views % 100 == 0 {
                reader = {
                    drop((view, reader));
                    open_read_only(folder.path())
                };
            }
            if n_views % 30 == 0 {
                let copy = tempfile::tempdir().unwrap();
                reader.copy_to(copy.path()).unwrap();
                let copied = reached(&open(copy.path()).snapshot().unwrap());
                assert!(copied >= seen, "{copied} copied, {seen} seen before");
            }
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        // It ends once it has heard the last word.
        listener.join().unwrap();
        // Nobody writes: the reader shows all that is left, and leaves everything as it is.
        let before = names(folder.path());
        let sure = acknowledged.load(Ordering::SeqCst);
        let fresh = {
            drop(reader);
            open_read_only(folder.path())
        };
        let found = reached(&fresh.snapshot().unwrap());
        assert!(found == sure || found == sure + 1, "{found} found, {sure} acknowledged");
        let copy = tempfile::tempdir().unwrap();
        fresh.copy_to(copy.path()).unwrap();
        assert_eq!(reached(&open(copy.path()).snapshot().unwrap()), found);
        assert_eq!(names(folder.path()), before);
        reader = fresh;
        seen = found;
    }
}

#[test]
fn a_reader_refuses_writes() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let reader = open_read_only(folder.path());
    assert!(reader.is_read_only() && reader.metrics().is_read_only);
    let mut transaction = reader.begin().unwrap();
    assert!(matches!(transaction.put(Tree::Documents, 1, b"key", b"value"), Err(Error::ReadOnly(_))));
    assert!(matches!(transaction.delete(Tree::Documents, 1, b"key"), Err(Error::ReadOnly(_))));
    assert!(matches!(transaction.clear_keyspace(Tree::Documents, 1), Err(Error::ReadOnly(_))));
    transaction.commit(Durability::Buffered).unwrap();
}

#[test]
fn a_killed_reader_holds_no_space_for_long() {
    if let Some(folder) = std::env::var_os(HOLD) {
        let reader = open_read_only(folder.as_ref());
        let _view = reader.snapshot().unwrap();
        std::io::stdout().lock().write_all(b"reached 1\n").unwrap();
        std::thread::sleep(2 * PATIENCE);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let manager = open(folder.path());
    let data_bytes = || std::fs::metadata(folder.path().join("data.mdb")).unwrap().len();
    let round = |n_rounds: usize| {
        for _ in 0..n_rounds {
            let mut transaction = manager.begin().unwrap();
            for key in 0..100_u64 {
                transaction.put(Tree::Documents, 1, &key.to_be_bytes(), &[7; 10_000]).unwrap();
            }
            transaction.commit(Durability::Buffered).unwrap();
        }
        data_bytes()
    };
    let settled = round(5);
    let mut reader = spawn("a_killed_reader_holds_no_space_for_long", HOLD, folder.path());
    let (is_ready, listener) = listen(&mut reader);
    let begun = Instant::now();
    while is_ready.load(Ordering::SeqCst) == 0 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    }
    let held = round(10);
    assert!(held > settled + (8 << 20), "the reader's pages are kept: {settled} to {held}");
    reader.kill().unwrap();
    reader.wait().unwrap();
    listener.join().unwrap();
    // So long after it was last done, the next write looks for readers whose process is gone.
    std::thread::sleep(Duration::from_millis(1100));
    let after = round(20);
    assert!(after < held + (4 << 20), "the killed reader's pages are used again: {held} to {after}");
}

#[test]
fn a_snapshot_that_is_outdated_for_too_long_fails_and_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options();
    options.snapshot_age_max = Some(Duration::from_millis(200));
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).unwrap();
    let manager = TransactionManager::open_with(engine, options).unwrap();
    let write = || {
        let mut transaction = manager.begin().unwrap();
        transaction.put(Tree::Documents, 1, b"key", b"value").unwrap();
        transaction.commit(Durability::Buffered).unwrap();
    };
    write();
    let bounds = (std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
    let mut reader = manager.begin().unwrap();
    reader.lock_key(1, b"locked").unwrap();
    let view = reader.view().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    view.check_age().unwrap();
    assert_eq!(view.range(Tree::Documents, 1, bounds, Default::default()).unwrap().count(), 1);
    // There is a newer state from now on.
    let begun = Instant::now();
    write();
    while view.check_age().is_ok() {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let range = view.range(Tree::Documents, 1, bounds, Default::default());
    assert!(matches!(range.map(drop), Err(Error::SnapshotTooOld { .. })));
    assert!(matches!(reader.view().map(drop), Err(Error::SnapshotTooOld { .. })));
    // The transaction was rolled back and holds nothing any more.
    assert!(matches!(reader.put(Tree::Documents, 1, b"key", b"other"), Err(Error::SnapshotTooOld { .. })));
    manager.begin().unwrap().lock_key(1, b"locked").unwrap();
    assert!(manager.metrics().expired_snapshots >= 1);
    drop((view, reader));
    let fresh = manager.snapshot().unwrap();
    assert_eq!(fresh.range(Tree::Documents, 1, bounds, Default::default()).unwrap().count(), 1);
}

/// Whoever reads beside a writer holds back pages of the writer's file, and may be told to let go as well.
#[test]
fn a_snapshot_of_another_process_expires_too() {
    if let Some(folder) = std::env::var_os(WRITE) {
        return write_on(folder.as_ref());
    }
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let mut options = options();
    options.snapshot_age_max = Some(Duration::from_millis(100));
    let engine = Engine::open_lmdb_read_only(folder.path(), &persea_kv::Options::default()).unwrap();
    let reader = TransactionManager::open_read_only(engine, options).unwrap();
    let view = reader.snapshot().unwrap();
    let mut writer = spawn("a_snapshot_of_another_process_expires_too", WRITE, folder.path());
    let _acknowledged = listen(&mut writer);
    let begun = Instant::now();
    while view.check_age().is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    let bounds = (std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
    let range = view.range(Tree::Documents, 1, bounds, Default::default());
    assert!(matches!(range.map(drop), Err(Error::SnapshotTooOld { .. })));
    writer.kill().unwrap();
    writer.wait().unwrap();
    drop(view);
    assert!(reached(&reader.snapshot().unwrap()) > 0);
}

/// A copy takes a state of the engine of its own choice, perhaps with a bulk commit that came after what was read from
/// the log.
#[test]
fn copies_beside_bulk_commits_are_states_that_there_were() {
    if let Some(folder) = std::env::var_os(WRITE) {
        return write_on(folder.as_ref());
    }
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let reader = open_read_only(folder.path());
    let mut writer = spawn("copies_beside_bulk_commits_are_states_that_there_were", WRITE, folder.path());
    let _acknowledged = listen(&mut writer);
    for _ in 0..100 {
        let copy = tempfile::tempdir().unwrap();
        let sure = reached(&reader.snapshot().unwrap());
        reader.copy_to(copy.path()).unwrap();
        let copied = reached(&open(copy.path()).snapshot().unwrap());
        assert!(copied >= sure, "{copied} copied, {sure} seen before");
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
}
