//! A disk that is really full: the error says so.
//!
//! Needs a small file system, named by `PERSEA_SMALL_DISK` (for one `mount -t tmpfs -o size=24m none FOLDER`); without it
//! there is nothing to do.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use persea_kv::{Engine, Error, Options, Store, StoreSnapshot, Tree, Write};

/// The disk is one: each test has it for itself.
static DISK: Mutex<()> = Mutex::new(());

/// Writes to a file until nothing fits any more; its length.
fn fill(path: &Path) -> (File, u64) {
    let mut filler = File::create(path).unwrap();
    for piece in [1 << 16, 1 << 12, 1] {
        while filler.write_all(&vec![1; piece]).is_ok() {}
    }
    let n_bytes = filler.metadata().unwrap().len();
    (filler, n_bytes)
}

/// Its pages would be looked for when they are touched, with nobody to tell that there are none.
#[test]
fn a_table_of_readers_without_room_is_an_error() {
    let Some(disk) = std::env::var_os("PERSEA_SMALL_DISK").map(PathBuf::from) else { return };
    let _disk = DISK.lock();
    let folder = tempfile::tempdir_in(disk).unwrap();
    let data = folder.path().join("data");
    drop(Engine::open_lmdb(&data, &Options::default()).unwrap());
    std::fs::remove_file(data.join("lock.mdb")).unwrap();
    let path = folder.path().join("filler");
    let (filler, n_bytes) = fill(&path);
    // None, and too little.
    for n_left in [0, 4096] {
        filler.set_len(n_bytes - n_left).unwrap();
        for outcome in [
            Engine::open_lmdb(&data, &Options::default()),
            Engine::open_lmdb_read_only(&data, &Options::default()),
        ] {
            match outcome {
                Err(Error::Io(error)) => {
                    assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
                    assert!(error.to_string().contains("lock.mdb"), "{error}");
                }
                outcome => panic!("{outcome:?}"),
            }
        }
    }
    drop(filler);
    std::fs::remove_file(path).unwrap();
    let engine = Engine::open_lmdb(&data, &Options::default()).unwrap();
    // What it has now it keeps, on however full a disk.
    fill(&folder.path().join("filler"));
    let snapshots: Vec<_> = (0..1000).map(|_| engine.snapshot().unwrap()).collect();
    drop((snapshots, engine));
    Engine::open_lmdb_read_only(&data, &Options::default()).unwrap();
}

#[test]
fn a_write_that_fits_in_part_tells_of_a_full_disk() {
    let Some(disk) = std::env::var_os("PERSEA_SMALL_DISK").map(PathBuf::from) else { return };
    let _disk = DISK.lock();
    let folder = tempfile::tempdir_in(disk).unwrap();
    let engine = Engine::open_lmdb(folder.path().join("data"), &Options::default()).unwrap();
    let value = vec![7; 3000];
    let write = |first: u32, n: u32| {
        let entries: Vec<_> = (first..first + n).map(u32::to_be_bytes).collect();
        engine.write(entries.iter().map(|key| Write::put(Tree::Documents, key, &value)))
    };
    write(0, 100).unwrap();
    // All but a little, so that the beginning of the next write fits: of a different part of it each time.
    for n_left in [1, 3, 5, 7, 20].map(|pages| pages * 4096 + 100) {
        let path = folder.path().join("filler");
        let (filler, n_bytes) = fill(&path);
        filler.set_len(n_bytes - n_left).unwrap();
        match write(1000, 200) {
            Err(Error::Io(error)) => assert_eq!(error.kind(), ErrorKind::StorageFull, "{n_left}: {error}"),
            outcome => panic!("{n_left}: {outcome:?}"),
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(engine.snapshot().unwrap().entries(Tree::Documents).unwrap(), 100);
    }
    write(1000, 200).unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path().join("data")).unwrap().collect();
    assert_eq!(names.len(), 3, "nothing is left behind: {names:?}");
}
