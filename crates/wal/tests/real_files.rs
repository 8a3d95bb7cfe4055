//! On the files of the operating system, with processes that are really killed.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that fails panics")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use persea_wal::{Error, Log, Options, Start, StdStorage, Until, inspect};

/// Set for the process that is to be killed: the folder it writes to.
const CHILD_FOLDER: &str = "PERSEA_WAL_CHILD_FOLDER";

fn small() -> Options {
    let mut options = Options::default();
    options.segment_bytes = 256 << 10;
    options
}

fn commits_in(path: &Path) -> Vec<u64> {
    let mut commits = Vec::new();
    let (log, _) = Log::open(path, small(), |record| {
        assert_eq!(record.payload.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)), Some(record.commit));
        commits.push(record.commit);
        Ok(())
    })
    .unwrap();
    log.close().unwrap();
    commits
}

fn payload(commit: u64) -> Vec<u8> {
    let mut payload = commit.to_le_bytes().to_vec();
    payload.resize(8 + commit as usize % 3000, commit as u8);
    payload
}

#[test]
fn records_come_back_over_segments_and_trims() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let (log, recovery) = Log::open(&path, small(), |_| Ok(())).unwrap();
    assert_eq!((recovery.n_records, recovery.last_commit), (0, 0));
    for commit in 1..=2000 {
        log.append(commit, 0, &payload(commit)).unwrap();
    }
    log.sync_all().unwrap();
    assert_eq!(log.synced_commit(), 2000);
    let before = log.byte_size();
    let trimmed = log.trim(1500).unwrap();
    assert!(trimmed.n_segments > 2);
    assert_eq!(log.byte_size(), before - trimmed.byte_size);
    let mut reader = log.reader(Start::Commit(1500), Until::Written).unwrap();
    let mut expected = 1500;
    while let Some(record) = reader.next().unwrap() {
        assert_eq!(record.payload, payload(expected));
        expected += 1;
    }
    assert_eq!(expected, 2001);
    drop(reader);
    log.close().unwrap();
    let found = inspect(&StdStorage::read_only(&path), false, |_| Ok(())).unwrap();
    assert_eq!((found.last_commit, found.torn_tail), (2000, None));
    let commits = commits_in(&path);
    assert!(commits[0] > 500 && commits[0] <= 1500);
    assert_eq!(commits, (commits[0]..=2000).collect::<Vec<_>>());
}

#[test]
fn a_folder_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = Log::open(folder.path(), small(), |_| Ok(())).unwrap();
    let second = Log::open(folder.path(), small(), |_| Ok(()));
    assert!(matches!(second, Err(Error::InUse { .. })));
    log.close().unwrap();
    assert!(commits_in(folder.path()).is_empty());
}

#[test]
fn a_receiver_that_fails_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = Log::open(folder.path(), small(), |_| Ok(())).unwrap();
    log.append(8, 0, &payload(8)).unwrap();
    log.close().unwrap();
    let failed = Log::open(folder.path(), small(), |_| Err("too much".into()));
    assert_eq!(
        failed.err().map(|error| error.to_string()).as_deref(),
        Some("replaying commit 8 failed: too much")
    );
    assert_eq!(commits_in(folder.path()), [8]);
}

/// Not a test by itself: appends, and prints what was acknowledged, until it is killed.
#[test]
fn child_that_is_killed() {
    let Ok(path) = std::env::var(CHILD_FOLDER) else { return };
    let (log, _) = Log::open(path, small(), |_| Ok(())).unwrap();
    for commit in log.last_commit() + 1.. {
        log.append(commit, 0, &payload(commit)).unwrap();
        println!("acknowledged {commit}");
        if commit % 1000 == 0 {
            log.trim(commit.saturating_sub(300)).unwrap();
        }
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_is_killed", "--nocapture"])
            .env(CHILD_FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let acknowledged = |line: &String| line.split("acknowledged ").nth(1)?.trim().parse::<u64>().ok();
        let first = lines.find_map(|line| acknowledged(&line)).unwrap();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(17 + round * 23));
            child.kill().unwrap();
            child.wait().unwrap();
        });
        // The last line may be cut as well.
        let all: Vec<String> = lines.collect();
        killer.join().unwrap();
        let last = all.iter().rev().skip(1).find_map(acknowledged).unwrap_or(first);
        let commits = commits_in(folder.path());
        assert!(commits.last().is_some_and(|found| *found >= last), "round {round}: {last}");
        assert!(commits.windows(2).all(|pair| pair[0] + 1 == pair[1]), "round {round}");
    }
}

/// Opening a FIFO would wait for somebody at its other end.
#[test]
fn what_is_no_file_is_not_opened() {
    for name in ["00000000000000000001.log", "lock"] {
        for kind in ["a named pipe", "a folder", "a device"] {
            let folder = tempfile::tempdir().unwrap();
            Log::open(folder.path(), small(), |_| Ok(())).unwrap().0.close().unwrap();
            let path = folder.path().join(name);
            std::fs::remove_file(&path).unwrap();
            match kind {
                "a folder" => std::fs::create_dir(&path).unwrap(),
                "a device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                _ => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            let error = Log::open(folder.path(), small(), |_| Ok(())).err().unwrap();
            assert!(matches!(error, Error::Io { .. }) && error.to_string().contains(kind), "{error}");
            if name != "lock" {
                let error = inspect(&StdStorage::read_only(folder.path()), true, |_| Ok(())).unwrap_err();
                assert!(error.to_string().contains(name) && error.to_string().contains(kind), "{error}");
            }
        }
    }
}
