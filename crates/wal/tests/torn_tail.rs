//! What was being written when the machine stopped is cut off, wherever it broke off.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod common;

use common::{FIRST_FILE, Seen, commits, open, open_with, options};
use persea_wal::simulation::{Random, SimulatedStorage};

const HEADER_BYTES: usize = 1024;

/// A log killed while nothing of it was synced, its records, and where each ends.
fn unsynced_log() -> (SimulatedStorage, Vec<Seen>, Vec<usize>) {
    let disk = SimulatedStorage::new(5);
    let (log, ..) = open(&disk);
    let mut ends = Vec::new();
    for commit in 1..=6 {
        let payload = vec![commit as u8; commit as usize * 7];
        ends.push(log.append(commit, commit as u16, &payload).unwrap().end.0 as usize);
    }
    let disk = disk.kill();
    drop(log);
    let seen = open_records(&disk.fork(1));
    assert_eq!(seen.len(), 6);
    (disk, seen, ends)
}

fn open_records(disk: &SimulatedStorage) -> Vec<Seen> {
    open(disk).2
}

/// Opens a log with the given bytes, and then writes, crashes and opens again.
fn check(disk: &SimulatedStorage, bytes: &[u8], expected: &[Seen]) {
    let disk = disk.fork(bytes.len() as u64);
    disk.set_contents(FIRST_FILE, bytes);
    let (log, recovery, seen) = open(&disk);
    assert!(seen == expected, "{:?} of {:?}", commits(&seen), commits(expected));
    assert_eq!(recovery.n_records as usize, expected.len());
    log.append(100, 9, b"after").unwrap();
    log.sync_all().unwrap();
    let disk = disk.power_failure();
    let mut expected = expected.to_vec();
    expected.push((100, 9, b"after".to_vec()));
    assert!(open_records(&disk) == expected);
}

#[test]
fn at_every_length() {
    let (disk, records, ends) = unsynced_log();
    let whole = disk.contents(FIRST_FILE).unwrap();
    let used = *ends.last().unwrap();
    for length in HEADER_BYTES..=used {
        let n_whole = ends.iter().filter(|end| **end <= length).count();
        // The file ends there, or reserved zeros follow, or what a recycled file held before.
        check(&disk, &whole[..length], &records[..n_whole]);
        let mut zeros = whole[..length].to_vec();
        zeros.resize(whole.len(), 0);
        check(&disk, &zeros, &records[..n_with_zeros(&whole, &ends, length)]);
        let mut random = Random::new(length as u64);
        let mut garbage = whole[..length].to_vec();
        garbage.resize_with(whole.len(), || random.next_u64() as u8);
        check(&disk, &garbage, &records[..n_whole]);
    }
}

/// Zeros that take the place of zeros are no loss.
fn n_with_zeros(whole: &[u8], ends: &[usize], length: usize) -> usize {
    ends.iter().filter(|end| whole[length.min(**end)..**end].iter().all(|byte| *byte == 0)).count()
}

#[test]
fn with_a_gap_before_what_came_later() {
    // The disk has written the last records and not the one before them: all of it was in flight.
    let (disk, records, ends) = unsynced_log();
    for lost in 0..5 {
        let mut bytes = disk.contents(FIRST_FILE).unwrap();
        let from = if lost == 0 { HEADER_BYTES } else { ends[lost - 1] };
        bytes[from..ends[lost]].fill(0);
        check(&disk, &bytes, &records[..lost]);
    }
}

#[test]
fn what_was_cut_does_not_come_back() {
    // A new record takes the place of the lost one, and ends where an old one would begin.
    let (disk, records, ends) = unsynced_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[ends[1]..ends[1] + 32].fill(0);
    disk.set_contents(FIRST_FILE, &bytes);
    let (log, recovery, seen) = open(&disk);
    assert!(seen == records[..2]);
    assert!(recovery.torn_tail.is_none_or(|torn| torn.offset == ends[1] as u64));
    let appended = log.append(3, 0, &[0; 21]).unwrap();
    assert_eq!(appended.end.0 as usize, ends[2]);
    let disk = disk.kill();
    assert_eq!(commits(&open_records(&disk)), [1, 2, 3]);
}

#[test]
fn segments_that_were_begun_and_never_synced_are_dropped() {
    let disk = SimulatedStorage::new(6);
    let (log, ..) = open(&disk);
    log.append(1, 0, b"durable").unwrap();
    log.sync_all().unwrap();
    let torn = log.append(2, 0, &[2; 1500]).unwrap();
    for commit in 3..=8 {
        log.append(commit, 0, &[commit as u8; 1500]).unwrap();
    }
    let disk = disk.kill();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[torn.position.0 as usize + 700] ^= 1;
    disk.set_contents(FIRST_FILE, &bytes);
    let (log, recovery, seen) = open(&disk);
    assert_eq!(commits(&seen), [1]);
    let torn_tail = recovery.torn_tail.unwrap();
    assert_eq!((torn_tail.offset, torn_tail.commit_before), (torn.position.0, 1));
    assert!(torn_tail.n_segments_dropped >= 2);
    log.append(2, 0, b"again").unwrap();
    let disk = disk.kill();
    assert_eq!(commits(&open_records(&disk)), [1, 2]);
}

#[test]
fn opening_twice_finds_the_same() {
    let (disk, ..) = unsynced_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes.truncate(1200);
    disk.set_contents(FIRST_FILE, &bytes);
    let first = open_records(&disk);
    let disk = disk.power_failure();
    assert!(open_records(&disk) == first);
    let (_, recovery, _) = open_with(&disk.kill(), options()).unwrap();
    assert_eq!(recovery.torn_tail, None);
}

#[test]
fn a_segment_that_lost_its_name_does_not_come_back_under_it() {
    use persea_wal::Storage as _;
    let disk = SimulatedStorage::new(7);
    let (log, ..) = open(&disk);
    log.append(1, 0, b"kept").unwrap();
    log.sync_all().unwrap();
    log.rotate().unwrap();
    log.append(2, 0, b"lost with the name").unwrap();
    let disk = disk.kill();
    disk.rename("00000000000000000002.log", "spare-9").unwrap();
    let (log, _, seen) = open(&disk);
    assert_eq!(commits(&seen), [1]);
    assert!(!disk.names().contains(&"spare-9".to_owned()));
    log.rotate().unwrap();
    assert_eq!(commits(&open_records(&disk.kill())), [1]);
}

#[test]
fn a_trimmed_segment_that_gets_its_name_back_is_still_itself() {
    use persea_wal::Storage as _;
    for seed in 0..40 {
        let disk = SimulatedStorage::new(seed);
        let (log, ..) = open(&disk);
        log.append(1, 0, b"to be trimmed").unwrap();
        log.rotate().unwrap();
        log.append(2, 0, b"kept").unwrap();
        log.sync_all().unwrap();
        // A trim, and the process is killed before the folder is synced.
        let disk = disk.kill();
        disk.rename(FIRST_FILE, "spare-0").unwrap();
        let (log, _, seen) = open(&disk);
        assert_eq!(commits(&seen), [2]);
        log.rotate().unwrap();
        log.append(3, 0, b"into the file of the first").unwrap();
        let seen = commits(&open_records(&disk.power_failure()));
        assert!(seen.contains(&2), "{seen:?}, seed {seed}");
    }
}
