//! Full disks, and disks that fail: what was refused is not in the log, and what was acknowledged is.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod common;

use std::io::ErrorKind;

use common::{FIRST_FILE, commits, open, open_with, options};
use persea_wal::simulation::{Fault, Operation, SimulatedStorage};
use persea_wal::{Error, Log, Start, Storage, Until};

fn fault(operation: Operation, n_failing: u32) -> Fault {
    Fault { operation, n_spared: 0, n_failing, error: ErrorKind::Other }
}

/// Appends until the disk is full; returns the last commit that went in.
fn fill(log: &Log) -> u64 {
    for commit in log.last_commit() + 1.. {
        match log.append(commit, 0, &[commit as u8; 100]) {
            Ok(_) => {}
            Err(Error::NoSpace { .. }) => return commit - 1,
            Err(error) => panic!("{error}"),
        }
    }
    unreachable!()
}

#[test]
fn a_full_disk_refuses_appends_until_there_is_space() {
    for preallocates in [true, false] {
        let disk = SimulatedStorage::new(1);
        disk.set_preallocation(preallocates);
        let (log, ..) = open(&disk);
        disk.set_capacity(Some(10_000));
        let last = fill(&log);
        assert!(last > 20);
        for _ in 0..3 {
            assert!(log.append(last + 1, 0, &[0; 5000]).unwrap_err().is_temporary());
        }
        log.health().unwrap();
        log.sync_all().unwrap();
        // The disk is still full, but what is there can be read by the next process.
        let disk = disk.power_failure();
        let (log, _, seen) = open(&disk);
        assert_eq!(commits(&seen), (1..=last).collect::<Vec<_>>());
        disk.set_capacity(Some(30_000));
        let more = fill(&log);
        assert!(more > last + 20);
        // A trim makes space by itself.
        log.sync_all().unwrap();
        log.trim(more).unwrap();
        assert!(fill(&log) > more);
        log.close().unwrap();
        assert!(commits(&open(&disk).2).windows(2).all(|pair| pair[0] + 1 == pair[1]));
    }
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let disk = SimulatedStorage::new(2);
    let (log, ..) = open(&disk);
    log.append(1, 0, b"before").unwrap();
    disk.inject(fault(Operation::Write, 1));
    let error = log.append(2, 0, &[7; 600]).unwrap_err();
    assert!(matches!(error, Error::Io { operation: "write", .. }), "{error}");
    log.append(3, 0, b"after").unwrap();
    assert_eq!(log.metrics().n_failed_writes, 1);
    for disk in [disk.fork(1).power_failure(), disk.kill()] {
        let seen = commits(&open(&disk).2);
        assert!([&[1][..], &[1, 3]].contains(&&seen[..]), "{seen:?}");
    }
}

#[test]
fn a_write_that_fails_and_cannot_be_undone_poisons() {
    let disk = SimulatedStorage::new(3);
    let (log, ..) = open(&disk);
    log.append(1, 0, b"before").unwrap();
    log.sync_all().unwrap();
    disk.inject(fault(Operation::Write, 1));
    disk.inject(fault(Operation::Truncate, 1));
    assert!(matches!(log.append(2, 0, b"fails"), Err(Error::Poisoned { operation: "write", .. })));
    assert!(matches!(log.append(3, 0, b"refused"), Err(Error::Poisoned { .. })));
    drop(log);
    let seen = commits(&open(&disk).2);
    assert!([&[1][..], &[1, 2]].contains(&&seen[..]), "{seen:?}");
}

#[test]
fn a_sync_that_fails_poisons_until_reopened() {
    for seed in 0..50 {
        let disk = SimulatedStorage::new(seed);
        let (log, ..) = open(&disk);
        log.append(1, 0, b"synced").unwrap();
        log.sync_all().unwrap();
        log.append(2, 0, &[2; 900]).unwrap();
        disk.inject(fault(Operation::Sync, 1));
        let error = log.sync_all().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the log takes no more records since it failed to sync 00000000000000000001.log: other error; reopen it \
             to recover"
        );
        assert!(!error.is_temporary());
        assert!(matches!(log.append(3, 0, b"refused"), Err(Error::Poisoned { .. })));
        assert!(matches!(log.sync_all(), Err(Error::Poisoned { .. })));
        assert!(
            log.health().is_err() && log.maintain().is_err() && log.rotate().is_err() && log.trim(9).is_err()
        );
        assert_eq!(log.synced_commit(), 1);
        assert!(log.close().is_err());
        // The system shows what it has not written; from the moment that recovery has shown it, it is durable.
        let (log, _, seen) = open(&disk);
        assert_eq!(commits(&seen), [1, 2]);
        drop(log);
        assert_eq!(commits(&open(&disk.power_failure()).2), [1, 2], "seed {seed}");
    }
}

#[test]
fn a_folder_that_cannot_be_synced_poisons() {
    let disk = SimulatedStorage::new(4);
    let (log, ..) = open(&disk);
    log.append(1, 0, b"one").unwrap();
    log.rotate().unwrap();
    disk.inject(fault(Operation::SyncDir, 1));
    assert!(matches!(log.sync_all(), Err(Error::Poisoned { .. })));
}

#[test]
fn a_segment_that_cannot_be_begun_is_tried_again() {
    for operation in [Operation::Create, Operation::Rename, Operation::Preallocate, Operation::Write] {
        let disk = SimulatedStorage::new(5);
        let (log, ..) = open(&disk);
        log.append(1, 0, b"one").unwrap();
        disk.inject(fault(operation, 1));
        assert!(log.rotate().is_err(), "{operation:?}");
        log.append(2, 0, b"two").unwrap();
        log.rotate().unwrap();
        log.append(3, 0, b"three").unwrap();
        log.sync_all().unwrap();
        assert_eq!(commits(&open(&disk.power_failure()).2), [1, 2, 3], "{operation:?}");
    }
}

#[test]
fn a_trim_that_fails_is_tried_again() {
    for operation in [Operation::Remove, Operation::Rename, Operation::SyncDir] {
        for n_spares in [0, 2] {
            let disk = SimulatedStorage::new(6);
            let mut options = options();
            options.spare_segments_max = n_spares;
            let (log, ..) = open_with(&disk, options.clone()).unwrap();
            for commit in 1..=20 {
                log.append(commit, 0, &[1; 1000]).unwrap();
            }
            log.sync_all().unwrap();
            disk.inject(fault(operation, 1));
            let first = log.trim(9);
            disk.heal();
            let second = log.trim(9);
            assert_eq!(second.is_err(), first.is_err() && operation == Operation::SyncDir);
            drop(log);
            let seen = commits(&open_with(&disk.power_failure(), options).unwrap().2);
            assert!(seen.first().is_some_and(|first| *first <= 9));
            assert_eq!(seen, (seen[0]..=20).collect::<Vec<_>>(), "{operation:?}");
        }
    }
}

/// A trim whose folder could not be synced is undone by a power failure, unless the next opening syncs the folder: the
/// disk may bring a later trim to pass and not the earlier one.
#[test]
fn what_was_trimmed_before_a_reopening_does_not_come_back_alone() {
    for seed in 0..200 {
        let mut options = options();
        options.spare_segments_max = 0;
        let disk = SimulatedStorage::new(seed);
        let (log, ..) = open_with(&disk, options.clone()).unwrap();
        for commit in 1..=20 {
            log.append(commit, 0, &[1; 1000]).unwrap();
        }
        log.sync_all().unwrap();
        // With a record that states how far the log is synced nothing is left to be written when it is opened.
        log.maintain().unwrap();
        log.sync_all().unwrap();
        disk.inject(fault(Operation::SyncDir, 1));
        assert!(log.trim(9).is_err());
        disk.heal();
        drop(log);
        let disk = disk.kill();
        let (log, ..) = open_with(&disk, options.clone()).unwrap();
        disk.inject(fault(Operation::SyncDir, 1));
        assert!(log.trim(9).is_err());
        drop(log);
        let (_, _, seen) = open_with(&disk.power_failure(), options).unwrap();
        let first = seen.first().map_or(0, |record| record.0);
        assert_eq!(commits(&seen), (first..=20).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn a_reader_of_what_is_no_longer_there_is_told_so() {
    for n_spares in [0, 2] {
        let disk = SimulatedStorage::new(9);
        let mut options = options();
        options.spare_segments_max = n_spares;
        let (log, ..) = open_with(&disk, options).unwrap();
        for commit in 1..=20 {
            log.append(commit, 0, &[1; 1000]).unwrap();
        }
        log.sync_all().unwrap();
        disk.inject(fault(Operation::SyncDir, 1));
        assert!(log.trim(9).is_err());
        disk.heal();
        assert!(matches!(log.reader(Start::Oldest, Until::Written), Err(Error::Poisoned { .. })));
    }
    let disk = SimulatedStorage::new(10);
    let (log, ..) = open(&disk);
    log.append(1, 0, b"one").unwrap();
    disk.remove(FIRST_FILE).unwrap();
    let read = log.reader(Start::Oldest, Until::Written).map(drop).unwrap_err();
    assert!(matches!(&read, Error::Damaged(damage) if damage.file == FIRST_FILE), "{read}");
}

#[test]
fn what_the_caller_gets_wrong_is_refused() {
    let disk = SimulatedStorage::new(7);
    let mut options = options();
    options.record_bytes_max = 100;
    let (log, ..) = open_with(&disk, options).unwrap();
    log.append(5, 0, &[0; 100]).unwrap();
    assert!(matches!(log.append(4, 0, b""), Err(Error::CommitOrder { last: 5, given: 4 })));
    assert!(matches!(log.append(6, 0, &[0; 101]), Err(Error::RecordTooLarge { bytes: 101, limit: 100 })));
    let mut batch = persea_wal::Batch::new();
    batch.push(7, 0, b"a");
    batch.push(6, 0, b"b");
    assert!(matches!(log.append_batch(&mut batch), Err(Error::CommitOrder { last: 7, given: 6 })));
    batch.clear();
    let nothing = log.append_batch(&mut batch).unwrap();
    assert_eq!(nothing.position, nothing.end);
    log.append(5, 0, b"the same commit").unwrap();
    assert_eq!(log.last_commit(), 5);
}
