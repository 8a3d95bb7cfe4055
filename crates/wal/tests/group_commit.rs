//! Many threads that append and sync at once: each acknowledged record is durable, and syncs are shared.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod common;

use std::io::ErrorKind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{open_with, options};
use persea_wal::simulation::{Fault, Operation, SimulatedStorage};
use persea_wal::{Log, Options};

const N_THREADS: u64 = 8;

fn threaded() -> Options {
    let mut options = options();
    options.segment_bytes = 64 << 10;
    options.sync_interval = Some(Duration::from_millis(1));
    options
}

/// Appends and syncs from many threads until it fails or each has done its share; returns what was acknowledged.
fn write(log: &Log, n_each: u64) -> Vec<u64> {
    let next = Mutex::new(log.last_commit());
    let acknowledged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..N_THREADS {
            let (next, acknowledged) = (&next, &acknowledged);
            scope.spawn(move || {
                for _ in 0..n_each {
                    // Numbers are given in the order of appends.
                    let mut next = next.lock().unwrap();
                    let commit = *next + 1;
                    let Ok(appended) = log.append(commit, thread as u16, &commit.to_le_bytes()) else {
                        return;
                    };
                    *next = commit;
                    drop(next);
                    if log.sync(appended.end).is_err() {
                        return;
                    }
                    assert!(log.synced_position() >= appended.end);
                    acknowledged.lock().unwrap().push(commit);
                }
            });
        }
    });
    acknowledged.into_inner().unwrap()
}

#[test]
fn all_that_was_acknowledged_survives_a_power_failure() {
    let seed = common::seed(11);
    let mut disk = SimulatedStorage::new(seed);
    let mut acknowledged = Vec::new();
    for round in 0..20 {
        let (log, recovery, seen) = open_with(&disk, threaded()).unwrap();
        let seen = common::commits(&seen);
        assert_eq!(seen, (1..=recovery.last_commit).collect::<Vec<_>>(), "round {round}");
        assert!(acknowledged.iter().all(|commit| *commit <= recovery.last_commit), "round {round}");
        disk.crash_after(50 + round * 13);
        acknowledged.extend(write(&log, 1000));
        assert!(disk.has_crashed());
        drop(log);
        disk = disk.power_failure();
    }
    assert!(acknowledged.len() > 300);
}

#[test]
fn a_failed_sync_is_told_to_all_who_wait() {
    let disk = SimulatedStorage::new(1);
    let (log, ..) = open_with(&disk, threaded()).unwrap();
    let fault =
        Fault { operation: Operation::Sync, n_spared: 20, n_failing: u32::MAX, error: ErrorKind::Other };
    disk.inject(fault);
    let acknowledged = write(&log, 10_000);
    assert!(log.health().is_err());
    drop(log);
    disk.heal();
    let (_, recovery, _) = open_with(&disk.power_failure(), threaded()).unwrap();
    assert!(acknowledged.iter().all(|commit| *commit <= recovery.last_commit));
}

#[test]
fn syncs_are_shared_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = Log::open(folder.path(), Options::default(), |_| Ok(())).unwrap();
    let acknowledged = write(&log, 100);
    assert_eq!(acknowledged.len() as u64, N_THREADS * 100);
    let metrics = log.metrics();
    assert_eq!(metrics.n_records, N_THREADS * 100);
    assert!(metrics.n_sync_waiters <= N_THREADS * 100);
    assert!(metrics.n_syncs <= metrics.n_sync_waiters + 100);
    assert!(metrics.sync_batches.iter().sum::<u64>() <= metrics.n_syncs);
    assert!(metrics.n_sync_waiters_max <= N_THREADS);
    log.close().unwrap();
}

#[test]
fn the_background_syncs_what_nobody_waits_for() {
    let disk = SimulatedStorage::new(2);
    let (log, ..) = open_with(&disk, threaded()).unwrap();
    let appended = log.append(1, 0, b"left alone").unwrap();
    let n_waited = AtomicU64::new(0);
    while log.synced_position() < appended.end {
        assert!(n_waited.fetch_add(1, Ordering::Relaxed) < 5000);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(log.synced_commit(), 1);
    assert_eq!(log.metrics().n_sync_waiters, 0);
}

#[test]
fn too_much_unsynced_makes_appends_wait() {
    let disk = SimulatedStorage::new(3);
    let mut options = options();
    options.unsynced_bytes_max = 10_000;
    let (log, ..) = open_with(&disk, options).unwrap();
    for commit in 1..=100 {
        log.append(commit, 0, &[0; 1000]).unwrap();
        assert!(log.position().0 - log.synced_position().0 <= 12_000);
    }
}
