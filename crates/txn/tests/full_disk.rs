//! A disk that is really full: commits are refused with a reason, reads go on, and all is well when there is room again.
//!
//! Needs a small file system, named by `PERSEA_SMALL_DISK` (for one `mount -t tmpfs -o size=24m none FOLDER`); without it
//! there is nothing to do.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use persea_txn::{Durability, Engine, Error, Options, TransactionManager, Tree};

fn open(folder: &Path) -> TransactionManager {
    let engine = Engine::open_lmdb(folder.join("data"), &persea_kv::Options::default()).unwrap();
    let mut options = Options::default();
    options.delta_bytes_max = 1 << 20;
    options.bulk_bytes_min = 512 << 10;
    options.log_segment_bytes = 256 << 10;
    TransactionManager::open_with(engine, options).unwrap()
}

fn put(manager: &TransactionManager, number: u32, n_bytes: usize) -> Result<(), Error> {
    let mut transaction = manager.begin()?;
    transaction.put(Tree::Documents, 1, &number.to_be_bytes(), &vec![number as u8; n_bytes])?;
    transaction.commit(Durability::Synced).map(drop)
}

fn check(manager: &TransactionManager, acknowledged: &[(u32, usize)]) {
    let view = manager.snapshot().unwrap();
    for (number, n_bytes) in acknowledged {
        let value = view.get(Tree::Documents, 1, &number.to_be_bytes()).unwrap().unwrap();
        assert!(value.len() == *n_bytes && value.iter().all(|byte| *byte == *number as u8), "{number}");
    }
}

/// Fills the disk to the last byte.
fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for n_bytes in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![1; n_bytes]).is_ok() {}
    }
}

#[test]
fn a_full_disk_makes_the_database_read_only_until_there_is_room() {
    let Some(folder) = std::env::var_os("PERSEA_SMALL_DISK").map(PathBuf::from) else { return };
    let filler = folder.join("filler");
    let mut acknowledged = Vec::new();
    let mut number = 0;
    for round in 0..4 {
        let mut manager = open(&folder);
        check(&manager, &acknowledged);
        // The same few numbers again and again, so that the data itself has room; then new ones.
        let mut commit_until_refused = |is_filled: bool| {
            for attempt in 0..400 {
                number = if is_filled { 1000 * (round + 1) + attempt as u32 } else { (number + 1) % 8 };
                let n_bytes = [1000, 20_000, 700_000][attempt % 3];
                match put(&manager, number, n_bytes) {
                    Ok(()) => {
                        acknowledged.retain(|(other, _)| *other != number);
                        acknowledged.push((number, n_bytes));
                    }
                    Err(Error::ReadOnly(_) | Error::Storage(_)) if is_filled => return true,
                    Err(error) => panic!("{error}"),
                }
            }
            false
        };
        assert!(!commit_until_refused(false));
        fill(&filler);
        assert!(commit_until_refused(true), "nothing was refused");
        check(&manager, &acknowledged);
        if round % 2 == 0 {
            // A restart on the full disk loses nothing either, and is one that can be read.
            drop(manager);
            fill(&filler);
            manager = open(&folder);
            check(&manager, &acknowledged);
            std::thread::sleep(Duration::from_millis(300));
            check(&manager, &acknowledged);
        }
        std::fs::remove_file(&filler).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while manager.health().is_err() || put(&manager, 100 + round, 10).is_err() {
            assert!(Instant::now() < deadline, "still refused: {:?}", manager.metrics());
            std::thread::sleep(Duration::from_millis(20));
        }
        check(&manager, &acknowledged);
    }
}
