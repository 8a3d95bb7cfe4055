//! Following a log that somebody else writes: every record once and in order, over new segments, trims and restarts.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use persea_wal::{Error, Follower, Log, Options, StdStorage};

fn options() -> Options {
    let mut options = Options::new();
    options.segment_bytes = 8 << 10;
    options
}

fn open(path: &Path) -> Log {
    Log::open(path, options(), |_| Ok(())).unwrap().0
}

fn follow(path: &Path, after: u64, seen: &mut Vec<u64>) -> persea_wal::Result<Option<Follower>> {
    Follower::open(Arc::new(StdStorage::read_only(path)), after, false, |record| {
        assert_eq!(record.payload, record.commit.to_le_bytes().repeat(record.commit as usize % 40));
        seen.push(record.commit);
        Ok(())
    })
}

fn read_on(follower: &mut Follower, seen: &mut Vec<u64>) {
    follower
        .read(|record| {
            assert_eq!(record.payload, record.commit.to_le_bytes().repeat(record.commit as usize % 40));
            seen.push(record.commit);
            Ok(())
        })
        .unwrap();
}

fn append(log: &Log, commits: std::ops::Range<u64>) {
    for commit in commits {
        log.append(commit, 1, &commit.to_le_bytes().repeat(commit as usize % 40)).unwrap();
    }
}

#[test]
fn sees_all_that_was_appended_before_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    assert!(follow(&folder.path().join("none"), 0, &mut seen).unwrap().is_none());
    let log = open(folder.path());
    append(&log, 1..50);
    let mut follower = follow(folder.path(), 20, &mut seen).unwrap().unwrap();
    assert_eq!(seen, (21..50).collect::<Vec<_>>());
    for end in [51, 400, 400, 401, 2000] {
        let first = seen.last().unwrap() + 1;
        append(&log, first..end.max(first));
        read_on(&mut follower, &mut seen);
        assert_eq!(seen, (21..end.max(first)).collect::<Vec<_>>());
    }
    // A restart of the writer goes on behind the follower.
    drop(log);
    let log = open(folder.path());
    append(&log, 2000..2100);
    read_on(&mut follower, &mut seen);
    assert_eq!(seen, (21..2100).collect::<Vec<_>>());
}

#[test]
fn what_was_trimmed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    append(&log, 1..500);
    log.rotate().unwrap();
    log.trim(400).unwrap();
    let outcome = follow(folder.path(), 100, &mut Vec::new());
    assert!(matches!(outcome, Err(Error::Trimmed { requested: 101, .. })), "{outcome:?}");
    let mut seen = Vec::new();
    follow(folder.path(), 450, &mut seen).unwrap().unwrap();
    assert_eq!(seen, (451..500).collect::<Vec<_>>());
}

#[test]
fn follows_a_writer_that_goes_on_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    append(&log, 1..2);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            append(&log, 2..20_000);
            is_over.store(true, Ordering::SeqCst);
        });
        let mut seen = Vec::new();
        // Opening beside a writer may take it for damage that something lies behind the place looked at.
        let mut follower = loop {
            seen.clear();
            match follow(folder.path(), 0, &mut seen) {
                Ok(follower) => break follower.unwrap(),
                Err(Error::Damaged(_)) => {}
                Err(error) => panic!("{error}"),
            }
        };
        loop {
            let was_over = is_over.load(Ordering::SeqCst);
            read_on(&mut follower, &mut seen);
            if was_over {
                break;
            }
        }
        assert_eq!(seen, (1..20_000).collect::<Vec<_>>());
    });
}
