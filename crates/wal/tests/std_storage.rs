//! Files of the operating system hold what was written to them, whichever way it took.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::io::ErrorKind;
use std::path::PathBuf;

use persea_wal::{StdStorage, Storage};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Small and large writes, one behind the other as those of a log, or anywhere; with syncs and new lengths in between.
#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let storage = StdStorage::open(folder.path()).unwrap();
    for seed in 0..30 {
        let random = &mut Random(seed);
        let name = format!("file {seed}");
        let file = storage.create(&name).unwrap();
        let mut model = Vec::<u8>::new();
        let mut next = 0;
        let often = 1 + random.below(200);
        for step in 0..4_000_u64 {
            if random.below(often) == 0 {
                match random.below(5) {
                    0 | 1 => file.sync_data().unwrap(),
                    2 => {
                        let len = random.below(3 << 20);
                        file.truncate(len).unwrap();
                        model.resize(len as usize, 0);
                        next = next.min(len);
                    }
                    3 => {
                        let len = random.below(3 << 20);
                        match file.preallocate(len) {
                            Ok(()) => model.resize(model.len().max(len as usize), 0),
                            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
                        }
                    }
                    _ => next = random.below(3 << 20),
                }
            }
            let len = if random.below(30) == 0 { random.below(100_000) } else { random.below(700) };
            let bytes = vec![step as u8 | 1; len as usize];
            file.write_at(next, &bytes).unwrap();
            let end = (next + len) as usize;
            // Writing nothing behind the end does not lengthen a file.
            if len > 0 {
                model.resize(model.len().max(end), 0);
                model[next as usize..end].copy_from_slice(&bytes);
            }
            next += len;
        }
        assert_eq!(file.byte_size().unwrap(), model.len() as u64, "seed {seed}");
        let mut found = vec![1; model.len() + 1];
        assert_eq!(file.read_at(0, &mut found).unwrap(), model.len(), "seed {seed}");
        assert!(found[..model.len()] == model, "seed {seed}");
        storage.remove(&name).unwrap();
    }
}

/// The disk is full where a file has a length but no space: a write says so, and does not end the process.
///
/// Needs a small file system, named by `PERSEA_SMALL_DISK` (for one `mount -t tmpfs -o size=24m none FOLDER`); without it
/// there is nothing to do.
#[test]
fn a_write_for_which_there_is_no_space_fails() {
    let Some(disk) = std::env::var_os("PERSEA_SMALL_DISK").map(PathBuf::from) else { return };
    let folder = tempfile::tempdir_in(disk).unwrap();
    let storage = StdStorage::open(folder.path()).unwrap();
    let file = storage.create("sparse").unwrap();
    file.truncate(1 << 30).unwrap();
    let mut offset = 0;
    let error = loop {
        match file.write_at(offset, &[7; 512]) {
            Ok(()) => offset += 512,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    let mut found = vec![0; offset as usize];
    assert_eq!(file.read_at(0, &mut found).unwrap(), found.len());
    assert!(found.iter().all(|byte| *byte == 7));
    // With space again, it goes on.
    let filler = offset / 2;
    file.truncate(filler).unwrap();
    file.truncate(1 << 30).unwrap();
    file.write_at(filler, &[8; 512]).unwrap();
}
