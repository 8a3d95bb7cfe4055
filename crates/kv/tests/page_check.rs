//! Checking and compacting data files: sound ones pass, whatever was written; each kind of damage is found and named.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::ops::Bound;
use std::os::unix::fs::FileExt;
use std::path::Path;

use persea_kv::{Engine, Error, Options, Store, StoreSnapshot, Tree, Write, check_pages, compact};

fn report(folder: &Path) -> persea_kv::PageReport {
    check_pages(folder, &Options::default(), &mut |_, _| {}).unwrap()
}

/// Writes batches of random keys and values of all lengths, and deletes some again.
fn fill(folder: &Path, n_rounds: u64) {
    let engine = Engine::open_lmdb(folder, &Options::default()).unwrap();
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for _ in 0..n_rounds {
        let entries: Vec<(Tree, Vec<u8>, Vec<u8>)> = (0..300)
            .map(|_| {
                let tree = Tree::ALL[(next() % 3) as usize];
                let key_bytes = if next() % 20 == 0 { 1 + next() as usize % 1900 } else { 4 };
                let mut key = (next() % 5000).to_be_bytes()[4..].to_vec();
                key.resize(key_bytes.max(4), 7);
                let value_bytes =
                    if next() % 10 == 0 { next() as usize % 20_000 } else { next() as usize % 200 };
                (tree, key, vec![next() as u8; value_bytes])
            })
            .collect();
        engine.write(entries.iter().map(|(tree, key, value)| Write::put(*tree, key, value))).unwrap();
        let start = (next() % 5000).to_be_bytes();
        let bounds = (Bound::Included(&start[4..]), Bound::Unbounded);
        engine.delete_range(Tree::ALL[(next() % 3) as usize], bounds, 150).unwrap();
    }
}

#[test]
fn what_was_written_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    for n_rounds in [0, 1, 5, 40] {
        fill(folder.path(), n_rounds);
        let report = report(folder.path());
        assert!(report.is_clean(), "{:?}", report.problems);
        assert_eq!(report.n_lost_pages, 0);
        let engine = Engine::open_lmdb(folder.path(), &Options::default()).unwrap();
        let found: Vec<u64> = report.trees.iter().map(|tree| tree.n_entries).collect();
        assert_eq!(found, engine.stats().unwrap().entries);
    }
}

#[test]
fn a_file_that_is_cut_off_is_reported_at_every_length() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 20);
    // Without free pages, which may lie at the end and are missed by nobody.
    compact(folder.path(), &Options::default(), |_| {}).unwrap();
    let path = folder.path().join("data.mdb");
    let whole = std::fs::read(&path).unwrap();
    let n_pages = whole.len() / 4096;
    for n_left in (0..n_pages).step_by(1 + n_pages / 40) {
        std::fs::write(&path, &whole[..n_left * 4096 + 100]).unwrap();
        match check_pages(folder.path(), &Options::default(), &mut |_, _| {}) {
            Ok(report) => assert!(
                report.problems.iter().any(|problem| problem.to_string().contains("cut off")),
                "{n_left}: {:?}",
                report.problems
            ),
            Err(error) => assert!(matches!(error, Error::Corrupted(_)), "{n_left}: {error}"),
        }
    }
}

#[test]
fn a_file_that_cannot_be_opened_is_not_looked_at_beside_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 10);
    let path = folder.path().join("data.mdb");
    let whole = std::fs::read(&path).unwrap();
    // The roots are among the last pages.
    std::fs::write(&path, &whole[..4 * 4096]).unwrap();
    let check = || check_pages(folder.path(), &Options::default(), &mut |_, _| {});
    assert!(!check().unwrap().is_clean());
    // As a writer of another process would hold it.
    let lock = std::fs::OpenOptions::new().write(true).open(folder.path().join("LOCK")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(check(), Err(Error::Corrupted(_))));
    drop(lock);
    assert!(!check().unwrap().is_clean());
    std::fs::write(&path, &whole).unwrap();
    assert!(check().unwrap().is_clean());
}

#[test]
fn flipped_bytes_of_pages_never_stop_the_check() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 10);
    let path = folder.path().join("data.mdb");
    let whole = std::fs::read(&path).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut n_found = 0;
    for page in 2..whole.len() / 4096 {
        // Headers, offsets and nodes; values have no checksum.
        for offset in [0, 10, 12, 14, 16, 17] {
            let place = page * 4096 + offset;
            file.write_all_at(&[whole[place] ^ 0x55], place as u64).unwrap();
            let report = check_pages(folder.path(), &Options::default(), &mut |_, _| {});
            n_found += usize::from(!report.is_ok_and(|report| report.is_clean()));
            file.write_all_at(&whole[place..=place], place as u64).unwrap();
        }
    }
    assert!(n_found > whole.len() / 4096, "{n_found}");
    assert!(report(folder.path()).is_clean());
}

#[test]
fn a_folder_without_a_database_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let error = check_pages(folder.path(), &Options::default(), &mut |_, _| {}).unwrap_err();
    assert!(matches!(error, Error::NoDatabase { .. }), "{error}");
    let error = compact(folder.path(), &Options::default(), |_| {}).unwrap_err();
    assert!(matches!(error, Error::NoDatabase { .. }), "{error}");
    assert!(matches!(
        Engine::open_lmdb_read_only(folder.path(), &Options::default()),
        Err(Error::NoDatabase { .. })
    ));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn compaction_gives_space_back_and_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 40);
    let engine = Engine::open_lmdb(folder.path(), &Options::default()).unwrap();
    engine.delete_range(Tree::Documents, (Bound::Unbounded, Bound::Unbounded), usize::MAX).unwrap();
    let content = |engine: &Engine| -> Vec<(Vec<u8>, Vec<u8>)> {
        let snapshot = engine.snapshot().unwrap();
        let range = snapshot.range(Tree::Index, (Bound::Unbounded, Bound::Unbounded), Default::default());
        range
            .unwrap()
            .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
            .collect()
    };
    let before = content(&engine);
    assert!(matches!(compact(folder.path(), &Options::default(), |_| {}), Err(Error::FolderInUse { .. })));
    drop(engine);
    let compacted = compact(folder.path(), &Options::default(), |_| {}).unwrap();
    assert!(compacted.bytes_after < compacted.bytes_before, "{compacted:?}");
    assert_eq!(std::fs::metadata(folder.path().join("data.mdb")).unwrap().len(), compacted.bytes_after);
    let engine = Engine::open_lmdb(folder.path(), &Options::default()).unwrap();
    assert_eq!(content(&engine), before);
    engine.write(std::iter::once(Write::put(Tree::Meta, b"later", b"value"))).unwrap();
    drop(engine);
    assert!(report(folder.path()).is_clean());
}

#[test]
fn a_reader_keeps_the_file_in_its_place_and_refuses_writes() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 2);
    let engine = Engine::open_lmdb_read_only(folder.path(), &Options::default()).unwrap();
    assert!(engine.is_read_only());
    let write = engine.write(std::iter::once(Write::put(Tree::Meta, b"key", b"value")));
    assert!(matches!(write, Err(Error::ReadOnly)));
    let bounds = (Bound::Unbounded, Bound::Unbounded);
    assert!(matches!(engine.delete_range(Tree::Meta, bounds, 1), Err(Error::ReadOnly)));
    assert!(matches!(compact(folder.path(), &Options::default(), |_| {}), Err(Error::FolderIsRead { .. })));
    assert!(matches!(Engine::open_lmdb(folder.path(), &Options::default()), Err(Error::AlreadyOpen { .. })));
}

/// Opening a FIFO would wait for somebody at its other end.
#[test]
fn what_is_no_file_is_not_opened() {
    for name in ["data.mdb", "lock.mdb", "LOCK"] {
        for kind in ["a named pipe", "a folder", "a device"] {
            let folder = tempfile::tempdir().unwrap();
            fill(folder.path(), 1);
            let path = folder.path().join(name);
            std::fs::remove_file(&path).unwrap();
            match kind {
                "a folder" => std::fs::create_dir(&path).unwrap(),
                "a device" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                _ => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            let options = Options::default();
            let check = |outcome: Result<(), Error>| match outcome {
                Err(error @ Error::NotAFile { .. }) => {
                    let text = error.to_string();
                    assert!(text.contains(name) && text.contains(kind), "{text}");
                }
                outcome => panic!("{name} as {kind}: {outcome:?}"),
            };
            check(Engine::open_lmdb(folder.path(), &options).map(drop));
            if name != "LOCK" {
                check(Engine::open_lmdb_read_only(folder.path(), &options).map(drop));
                check(check_pages(folder.path(), &options, &mut |_, _| {}).map(drop));
            }
        }
    }
}
