//! Damage of what had been synced is found, wherever it is, and told from a torn tail.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod common;

use common::{FIRST_FILE, commits, open, open_with, options};
use persea_wal::simulation::SimulatedStorage;
use persea_wal::{Damage, DamageKind, Error, Options, inspect};

const HEADER_BYTES: usize = 1024;
const MARK_BYTES: usize = 32;

/// A log of three records, closed in order, and where in the file each begins.
fn small_log() -> (SimulatedStorage, Vec<usize>) {
    let disk = SimulatedStorage::new(1);
    let (log, ..) = open(&disk);
    let mut offsets = Vec::new();
    for (commit, payload) in [(11, &b"first"[..]), (12, b""), (13, b"the third record")] {
        offsets.push(log.append(commit, 1, payload).unwrap().position.0 as usize);
        log.sync_all().unwrap();
    }
    log.close().unwrap();
    (disk, offsets)
}

fn damage_of(disk: &SimulatedStorage) -> Damage {
    damage_with(disk, options())
}

fn damage_with(disk: &SimulatedStorage, options: Options) -> Damage {
    match open_with(disk, options) {
        Err(Error::Damaged(damage)) => *damage,
        Err(error) => panic!("{error}"),
        Ok((_, recovery, _)) => panic!("opened: {recovery:?}"),
    }
}

fn ignoring() -> Options {
    let mut options = options();
    options.ignore_damage = true;
    options
}

#[test]
fn each_flipped_byte_is_found() {
    let (disk, offsets) = small_log();
    let whole = disk.contents(FIRST_FILE).unwrap();
    let records_end = whole.len() - MARK_BYTES;
    for at in 0..records_end {
        for mask in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            let disk = disk.fork(at as u64);
            disk.set_contents(FIRST_FILE, &bytes);
            let damage = damage_of(&disk);
            assert_eq!(damage.file, FIRST_FILE);
            if at < HEADER_BYTES {
                assert_eq!(damage.kind, DamageKind::SegmentHeader, "byte {at}");
                assert_eq!(damage.offset, at as u64 / 512 * 512);
                assert_eq!((damage.commit_before, damage.next.map(|next| next.commit)), (0, Some(11)));
                continue;
            }
            let record = offsets.iter().rposition(|offset| *offset <= at).unwrap();
            assert_eq!(damage.offset, offsets[record] as u64, "byte {at}");
            assert_eq!(damage.commit_before, [0, 11, 12][record]);
            if damage.kind == DamageKind::Payload {
                assert_eq!(damage.commit, Some(11 + record as u64));
            }
            // The mark that the close has left is what knows the last record, and follows it.
            assert_eq!(damage.next.map(|next| next.commit), Some([12, 13, 13][record]));
        }
    }
}

#[test]
fn a_flipped_byte_of_the_last_mark_costs_no_record() {
    let (disk, _) = small_log();
    let whole = disk.contents(FIRST_FILE).unwrap();
    for at in whole.len() - MARK_BYTES..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let disk = disk.fork(1);
        disk.set_contents(FIRST_FILE, &bytes);
        assert_eq!(commits(&open(&disk).2), [11, 12, 13], "byte {at}");
    }
}

#[test]
fn damage_is_told_with_place_and_commits() {
    let (disk, offsets) = small_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[offsets[0] + 33] ^= 1;
    disk.set_contents(FIRST_FILE, &bytes);
    assert_eq!(
        Error::Damaged(Box::new(damage_of(&disk))).to_string(),
        "the log is damaged in 00000000000000000001.log at byte 1024: the payload of commit 11 doesn't match its \
         checksum; the last intact commit before it is 0, the next 12 (00000000000000000001.log at byte 1064)"
    );
}

#[test]
fn damage_can_be_ignored_and_is_told_each_time() {
    let (disk, offsets) = small_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[offsets[1]..offsets[1] + 8].fill(0xee);
    disk.set_contents(FIRST_FILE, &bytes);
    for n_more in 0..3 {
        let (log, recovery, seen) = open_with(&disk, ignoring()).unwrap();
        let expected: Vec<u64> = [11, 13].into_iter().chain(14..14 + n_more).collect();
        assert_eq!(commits(&seen), expected);
        assert_eq!(recovery.damages.len(), 1);
        assert_eq!(recovery.damages[0].offset, offsets[1] as u64);
        log.append(14 + n_more, 0, b"more").unwrap();
        log.close().unwrap();
    }
    assert_eq!(damage_of(&disk).commit_before, 11);
}

#[test]
fn zeros_amid_synced_records_are_damage() {
    let (disk, offsets) = small_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[offsets[0]..offsets[2]].fill(0);
    disk.set_contents(FIRST_FILE, &bytes);
    let damage = damage_of(&disk);
    assert_eq!((damage.kind, damage.offset), (DamageKind::Missing, offsets[0] as u64));
    assert_eq!(damage.next.unwrap().commit, 13);
}

/// Several segments, each record synced.
fn long_log() -> SimulatedStorage {
    let disk = SimulatedStorage::new(2);
    let (log, ..) = open(&disk);
    for commit in 1..=12 {
        log.append(commit, 0, &[commit as u8; 1000]).unwrap();
        log.sync_all().unwrap();
    }
    log.close().unwrap();
    disk
}

/// Who learns afterwards how far the commits are elsewhere gets the same answer, in the same words, as who says it before.
#[test]
fn a_log_that_begins_too_late_is_damage() {
    let disk = long_log();
    let (log, ..) = open(&disk);
    log.trim(8).unwrap();
    log.close().unwrap();
    let found = inspect(&disk, false, |_| Ok(())).unwrap();
    assert!((1..8).contains(&found.trimmed_to), "{found:?}");
    assert_eq!(found.missing_beginning(found.trimmed_to), None);

    let kept = found.trimmed_to - 1;
    let damage = found.missing_beginning(kept).unwrap();
    assert_eq!((damage.kind, damage.commit_before), (DamageKind::Beginning, kept));
    let text = damage.to_string();
    assert!(text.contains(&format!("up to {kept}: those between are missing")), "{text}");
    let mut options = options();
    options.kept_elsewhere = Some(kept);
    assert_eq!(damage_with(&disk, options), damage);
}

#[test]
fn a_missing_segment_is_damage() {
    use persea_wal::Storage as _;
    let disk = long_log();
    disk.remove("00000000000000000002.log").unwrap();
    let damage = damage_of(&disk);
    assert_eq!((damage.kind, damage.commit_before), (DamageKind::Missing, 2));
    assert_eq!(damage.next.unwrap().commit, 5);
    let (log, recovery, seen) = open_with(&disk, ignoring()).unwrap();
    assert_eq!(commits(&seen), [1, 2, 5, 6, 7, 8, 9, 10, 11, 12]);
    assert_eq!(recovery.damages.len(), 1);
    // Once what is damaged has been trimmed, nothing is ignored any more.
    log.trim(5).unwrap();
    log.close().unwrap();
    assert_eq!(commits(&open(&disk).2), [5, 6, 7, 8, 9, 10, 11, 12]);
}

#[test]
fn a_segment_without_a_readable_head_is_damage_and_is_set_aside() {
    let disk = long_log();
    let name = "00000000000000000003.log";
    let mut bytes = disk.contents(name).unwrap();
    bytes[..HEADER_BYTES].fill(0);
    disk.set_contents(name, &bytes);
    assert_eq!(damage_of(&disk).commit_before, 4);
    let (_log, recovery, seen) = open_with(&disk, ignoring()).unwrap();
    assert_eq!(commits(&seen), [1, 2, 3, 4, 7, 8, 9, 10, 11, 12]);
    assert_eq!(recovery.damages.len(), 1);
    assert!(disk.names().contains(&format!("{name}.damaged")));
}

#[test]
fn a_log_whose_only_head_is_unreadable_is_not_taken_for_new() {
    let (disk, _) = small_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[..HEADER_BYTES].fill(0);
    disk.set_contents(FIRST_FILE, &bytes);
    assert_eq!(damage_of(&disk).kind, DamageKind::SegmentHeader);
    let (log, _, seen) = open_with(&disk, ignoring()).unwrap();
    assert!(seen.is_empty());
    log.append(20, 0, b"anew").unwrap();
    log.close().unwrap();
    assert_eq!(commits(&open(&disk).2), [20]);
}

#[test]
fn what_was_synced_is_known_while_the_log_is_idle() {
    let disk = SimulatedStorage::new(3);
    let (log, ..) = open(&disk);
    let appended = log.append(1, 0, b"only").unwrap();
    log.maintain().unwrap();
    log.maintain().unwrap();
    let disk = disk.kill();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[appended.position.0 as usize + 32] ^= 1;
    disk.set_contents(FIRST_FILE, &bytes);
    assert_eq!(damage_of(&disk).commit, Some(1));
}

#[test]
fn another_version_is_refused() {
    let (disk, _) = small_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    for copy in [0, 512] {
        bytes[copy + 8] = 9;
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[copy..copy + 56]);
        bytes[copy + 56..copy + 64].copy_from_slice(&checksum.to_le_bytes());
    }
    disk.set_contents(FIRST_FILE, &bytes);
    let error = open_with(&disk, ignoring()).err().unwrap();
    assert!(matches!(error, Error::Version { found: 9, supported: 1, .. }), "{error}");
}

#[test]
fn looking_through_changes_nothing() {
    let (disk, offsets) = small_log();
    let mut bytes = disk.contents(FIRST_FILE).unwrap();
    bytes[offsets[1]] ^= 1;
    disk.set_contents(FIRST_FILE, &bytes);
    let n_operations = disk.n_operations();
    assert!(inspect(&disk, false, |_| Ok(())).is_err());
    let found = inspect(&disk, true, |_| Ok(())).unwrap();
    assert_eq!((found.n_records, found.damages.len(), found.first_commit), (2, 1, Some(11)));
    assert_eq!(disk.n_operations(), n_operations);
}

#[test]
fn a_disk_that_cannot_read_is_told() {
    use persea_wal::Storage as _;
    use persea_wal::simulation::{Fault, Operation};
    let (disk, _) = small_log();
    let fault =
        Fault { operation: Operation::Read, n_spared: 3, n_failing: 1, error: std::io::ErrorKind::Other };
    disk.inject(fault);
    assert!(matches!(open_with(&disk, options()), Err(Error::Io { .. })));
    disk.heal();
    assert_eq!(open(&disk).2.len(), 3);
    assert_eq!(
        disk.open(FIRST_FILE).unwrap().byte_size().unwrap() as usize,
        disk.contents(FIRST_FILE).unwrap().len()
    );
}

#[test]
fn a_log_that_is_gone_is_missed_by_who_needs_it() {
    let mut needing = options();
    (needing.must_exist, needing.kept_elsewhere) = (true, Some(9));
    let (disk, _) = small_log();
    assert_eq!(open_with(&disk, needing.clone()).unwrap().2.len(), 3);
    let empty = SimulatedStorage::new(2);
    match open_with(&empty, needing.clone()) {
        Err(Error::Damaged(damage)) => {
            assert_eq!((damage.kind, damage.commit_before), (DamageKind::Gone, 9));
            assert!(damage.to_string().contains("the log is gone"), "{damage}");
        }
        outcome => panic!("{:?}", outcome.map(|(_, recovery, _)| recovery)),
    }
    needing.ignore_damage = true;
    let (log, recovery, seen) = open_with(&empty, needing.clone()).unwrap();
    assert_eq!((recovery.damages.len(), seen.len()), (1, 0));
    log.append(10, 1, b"goes on").unwrap();
    log.close().unwrap();
    needing.ignore_damage = false;
    assert_eq!(commits(&open_with(&empty, needing).unwrap().2), [10]);
}
