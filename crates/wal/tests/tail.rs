//! Readers follow the log while it is written, rotated and trimmed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{open, open_with, options};
use persea_wal::simulation::SimulatedStorage;
use persea_wal::{Error, Log, Start, TailReader, Until};

fn log_of(n_records: u64) -> (SimulatedStorage, Log) {
    let disk = SimulatedStorage::new(1);
    let (log, ..) = open(&disk);
    for commit in 1..=n_records {
        log.append(commit, 0, &[commit as u8; 500]).unwrap();
    }
    (disk, log)
}

fn rest(reader: &mut TailReader) -> Vec<u64> {
    std::iter::from_fn(|| reader.next().unwrap().map(|record| record.commit)).collect()
}

#[test]
fn from_any_commit() {
    let (_disk, log) = log_of(30);
    for commit in 1..=31 {
        let mut reader = log.reader(Start::Commit(commit), Until::Written).unwrap();
        assert_eq!(rest(&mut reader), (commit..=30).collect::<Vec<_>>());
    }
    let mut newest = log.reader(Start::Newest, Until::Written).unwrap();
    assert_eq!(newest.position(), log.position());
    log.append(31, 7, b"new").unwrap();
    let record = newest.next().unwrap().unwrap();
    assert_eq!(
        (record.commit, record.kind, record.payload, record.end),
        (31, 7, &b"new"[..], log.position())
    );
    assert_eq!(newest.next().unwrap(), None);
}

#[test]
fn commits_of_several_records_are_whole() {
    let disk = SimulatedStorage::new(2);
    let (log, ..) = open(&disk);
    for commit in 1..=6 {
        for _ in 0..10 {
            log.append(commit, 0, &[0; 300]).unwrap();
        }
    }
    for commit in 1..=6 {
        let mut reader = log.reader(Start::Commit(commit), Until::Written).unwrap();
        assert_eq!(rest(&mut reader).len() as u64, (7 - commit) * 10);
    }
}

#[test]
fn only_what_is_synced_if_asked_for() {
    let (_disk, log) = log_of(3);
    let mut reader = log.reader(Start::Oldest, Until::Synced).unwrap();
    assert_eq!(rest(&mut reader), []);
    log.sync_all().unwrap();
    assert_eq!(rest(&mut reader), [1, 2, 3]);
    log.append(4, 0, b"").unwrap();
    assert_eq!(rest(&mut reader), []);
    log.maintain().unwrap();
    log.maintain().unwrap();
    assert_eq!(rest(&mut reader), [4]);
}

#[test]
fn a_trim_tells_the_reader_it_overtakes() {
    let (_disk, log) = log_of(60);
    let mut reader = log.reader(Start::Oldest, Until::Written).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().commit, 1);
    let trimmed = log.trim(40).unwrap();
    assert!(trimmed.n_segments > 4);
    // The segment that it is in stays until it leaves it.
    let mut last = 1;
    let error = loop {
        match reader.next() {
            Ok(record) => last = record.unwrap().commit,
            Err(error) => break error,
        }
    };
    assert!(last < 10, "{last}");
    assert!(matches!(error, Error::Trimmed { requested, .. } if requested == last), "{error}");
    let oldest = log.reader(Start::Oldest, Until::Written).unwrap().next().unwrap().unwrap().commit;
    assert!((20..=40).contains(&oldest));
    assert!(matches!(log.reader(Start::Commit(oldest - 1), Until::Written), Err(Error::Trimmed { .. })));
    assert!(log.reader(Start::Commit(oldest), Until::Written).is_ok());
    // Its files are used again.
    for commit in 61..=120 {
        log.append(commit, 0, &[0; 500]).unwrap();
    }
    assert!(log.metrics().n_segments_recycled > 0);
    let mut reader = log.reader(Start::Commit(50), Until::Written).unwrap();
    assert_eq!(rest(&mut reader), (50..=120).collect::<Vec<_>>());
}

#[test]
fn waiting_ends_with_a_record_the_time_or_the_log() {
    let (_disk, log) = log_of(1);
    let mut reader = log.reader(Start::Newest, Until::Written).unwrap();
    let begin = Instant::now();
    assert_eq!(reader.next_timeout(Duration::from_millis(30)).unwrap(), None);
    assert!(begin.elapsed() >= Duration::from_millis(30));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let record = reader.next_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(record.unwrap().commit, 2);
            assert_eq!(reader.next_timeout(Duration::from_secs(60)).unwrap(), None);
        });
        std::thread::sleep(Duration::from_millis(20));
        log.append(2, 0, b"").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        log.close().unwrap();
        waiting.join().unwrap();
    });
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn readers_keep_up_with_writers_and_trims() {
    const N_RECORDS: u64 = 4000;
    let disk = SimulatedStorage::new(3);
    let mut options = options();
    options.sync_interval = Some(Duration::from_millis(1));
    let (log, ..) = open_with(&disk, options).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for until in [Until::Written, Until::Synced] {
            let mut reader = log.reader(Start::Oldest, until).unwrap();
            let log = &log;
            scope.spawn(move || {
                let mut n_begun_again = 0;
                let mut is_begun_anew = false;
                let mut expected = 1;
                while expected <= N_RECORDS {
                    match reader.next_timeout(Duration::from_secs(20)) {
                        Ok(Some(record)) => {
                            // Only what was trimmed may be left out.
                            assert!(record.commit == expected || (is_begun_anew && record.commit > expected));
                            assert!(record.payload.iter().all(|byte| *byte == record.commit as u8));
                            expected = record.commit + 1;
                            is_begun_anew = false;
                        }
                        Ok(None) => panic!("no record {expected}"),
                        Err(Error::Trimmed { .. }) => {
                            n_begun_again += 1;
                            is_begun_anew = true;
                            reader = log.reader(Start::Oldest, until).unwrap();
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
                n_begun_again
            });
        }
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                log.trim(log.last_commit().saturating_sub(200)).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        for commit in 1..=N_RECORDS {
            log.append(commit, 0, &[commit as u8; 100]).unwrap();
            assert!(log.position() >= log.synced_position());
        }
        is_over.store(true, Ordering::Relaxed);
    });
}
