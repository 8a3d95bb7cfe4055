//! What the tests of the log share.
#![allow(dead_code, reason = "each test uses some of it")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that fails panics, and prints its seed")]

use std::sync::Arc;

use persea_wal::simulation::SimulatedStorage;
use persea_wal::{Log, Options, Recovery, Result};

/// A record as it was read.
pub type Seen = (u64, u16, Vec<u8>);

/// Small segments, and nothing in the background.
pub fn options() -> Options {
    let mut options = Options::default();
    options.segment_bytes = 4096;
    options.sync_interval = None;
    options
}

/// Opens the log and returns all its records.
pub fn open_with(disk: &SimulatedStorage, options: Options) -> Result<(Log, Recovery, Vec<Seen>)> {
    let mut seen = Vec::new();
    let (log, recovery) = Log::open_on(Arc::new(disk.clone()), options, |record| {
        seen.push((record.commit, record.kind, record.payload.to_vec()));
        Ok(())
    })?;
    Ok((log, recovery, seen))
}

pub fn open(disk: &SimulatedStorage) -> (Log, Recovery, Vec<Seen>) {
    open_with(disk, options()).unwrap()
}

/// The commit numbers of records.
pub fn commits(seen: &[Seen]) -> Vec<u64> {
    seen.iter().map(|(commit, ..)| *commit).collect()
}

/// The name of the first segment file.
pub const FIRST_FILE: &str = "00000000000000000001.log";

/// The seed of a test with random input: `PERSEA_WAL_SEED` repeats a run.
pub fn seed(default: u64) -> u64 {
    let seed = std::env::var("PERSEA_WAL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(default);
    println!("PERSEA_WAL_SEED={seed}");
    seed
}
