//! Whatever a byte of the meta pages becomes, the file is refused or opens as it was; no signal ends the process.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::ops::Bound;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use persea_kv::{Bounds, Direction, Engine, Error, Options, Store, StoreSnapshot, Tree, Write, check_pages};

const FOLDER: &str = "PERSEA_META_PAGES_FOLDER";
const REFUSED: i32 = 3;
const META_BYTES: u64 = 152;
const PAGE_BYTES: u64 = 4096;
const ALL: Bounds<'static> = (Bound::Unbounded, Bound::Unbounded);
const N_ENTRIES: u32 = 200;

fn fill(folder: &Path) {
    let engine = Engine::open_lmdb(folder, &Options::default()).unwrap();
    for tree in Tree::ALL {
        for round in 0..3_u32 {
            let keys: Vec<_> = (0..N_ENTRIES).map(u32::to_be_bytes).collect();
            let value = vec![round as u8; 100 + 2000 * tree.ordinal()];
            engine.write(keys.iter().map(|key| Write::put(tree, key, &value))).unwrap();
        }
    }
    // So that there are free pages.
    let start = 150_u32.to_be_bytes();
    engine.delete_range(Tree::Meta, (Bound::Included(&start[..]), Bound::Unbounded), usize::MAX).unwrap();
}

/// The process that opens what it is given; a test only in name.
#[test]
fn opens_reads_and_writes() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let engine = match Engine::open_lmdb(&folder, &Options::default()) {
        Ok(engine) => engine,
        Err(Error::Corrupted(_)) => std::process::exit(REFUSED),
        Err(error) => panic!("{error}"),
    };
    let snapshot = engine.snapshot().unwrap();
    for (tree, n_entries) in Tree::ALL.into_iter().zip([N_ENTRIES, N_ENTRIES, 150]) {
        let entries = snapshot.range(tree, ALL, Direction::Forward).unwrap().map(Result::unwrap);
        let values = entries.map(|(_, value)| assert_eq!(value, vec![2; 100 + 2000 * tree.ordinal()]));
        assert_eq!(values.count(), n_entries as usize);
    }
    drop(snapshot);
    for round in 0..3_u8 {
        let keys: Vec<_> = (1000..1100_u32).map(u32::to_be_bytes).collect();
        let value = [round; 500];
        engine.write(keys.iter().map(|key| Write::put(Tree::Index, key, &value))).unwrap();
        engine.delete_range(Tree::Documents, ALL, 20).unwrap();
    }
    drop(engine);
    let report = check_pages(Path::new(&folder), &Options::default(), &mut |_, _| {}).unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
}

#[test]
fn flipped_bytes_of_meta_pages_end_no_process() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join("data.mdb");
    let whole = std::fs::read(&path).unwrap();
    let run = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["opens_reads_and_writes", "--exact"]).env(FOLDER, folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap()
    };
    assert_eq!(run().status.code(), Some(0), "as it is it opens");
    let mut n_refused = 0;
    for place in (0..META_BYTES).chain(PAGE_BYTES..PAGE_BYTES + META_BYTES) {
        for flip in [0xFF, 0x01, 0x80] {
            std::fs::write(&path, &whole).unwrap();
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.write_all_at(&[whole[place as usize] ^ flip], place).unwrap();
            let ended = run();
            assert_eq!(ended.status.signal(), None, "byte {place} ^ {flip:#x}: {ended:?}");
            assert!(
                matches!(ended.status.code(), Some(0 | REFUSED)),
                "byte {place} ^ {flip:#x}: {}",
                String::from_utf8_lossy(&ended.stderr)
            );
            n_refused += usize::from(ended.status.code() == Some(REFUSED));
        }
    }
    assert!(n_refused > 300, "{n_refused}");
}

/// What a reader of another process sees while the pages change is no damage.
#[test]
fn a_file_opens_beside_its_writer() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["writes_until_killed", "--exact"])
        .env(FOLDER, folder.path())
        .spawn()
        .unwrap();
    let outcomes: Vec<_> =
        (0..200).map(|_| Engine::open_lmdb_read_only(folder.path(), &Options::default()).map(drop)).collect();
    let has_ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(has_ended, None);
    for outcome in outcomes {
        outcome.unwrap();
    }
}

#[test]
fn writes_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut options = Options::default();
    options.write_sync = persea_kv::WriteSync::OnDemand;
    let engine = Engine::open_lmdb(folder, &options).unwrap();
    for round in 0_u64.. {
        let keys: Vec<_> = (0..20_u64).map(|n| (round * 7 + n * 13) % 500).map(u64::to_be_bytes).collect();
        let value = [round as u8; 300];
        engine.write(keys.iter().map(|key| Write::put(Tree::Index, key, &value))).unwrap();
        engine.delete_range(Tree::Index, ALL, 3).unwrap();
    }
}
