//! Measures the log on the disk that is there, beside what the bare files do in the same run.
//!
//! `cargo run --release -p persea-wal --example measure -- [FOLDER]`
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use persea_wal::{Batch, Log, Options, Start, Until};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const APPEND_BYTES: u64 = 256 << 20;
const REPLAY_BYTES: u64 = 1 << 30;
const SYNC_TIME: Duration = Duration::from_millis(500);
const N_ROUNDS: usize = 7;
const N_WRITERS: [usize; 4] = [1, 8, 16, 32];

fn main() -> Outcome<()> {
    let parent = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::Builder::new().prefix("persea-wal-").tempdir_in(parent)?;
    let path = folder.path();
    println!("append, not synced            records/s       MB/s   bare write: records/s");
    for payload_bytes in [100, 200, 1000, 16_000] {
        append(&path.join("append"), payload_bytes, 1)?;
    }
    append(&path.join("append"), 200, 64)?;
    println!("\nsynced commits                commits/s    times one   mean batch   largest   mean sync");
    compare_syncs(path)?;
    println!("\nreplay of a killed log, cached       GB/s    records/s        time");
    for payload_bytes in [200, 4000] {
        replay(&path.join("replay"), payload_bytes)?;
    }
    Ok(())
}

/// Rounds take turns, since a disk's speed changes from one second to the next.
fn compare_syncs(path: &Path) -> Outcome<()> {
    let mut bare = Vec::new();
    let mut commits: Vec<Vec<Commits>> = N_WRITERS.iter().map(|_| Vec::new()).collect();
    for _ in 0..N_ROUNDS {
        bare.push(bare_syncs(&path.join("bare"))?);
        for (n_writers, commits) in N_WRITERS.iter().zip(&mut commits) {
            commits.push(synced(&path.join("synced"), *n_writers)?);
        }
    }
    bare.sort_by(f64::total_cmp);
    println!("  bare write and fdatasync   {:>12.0}", bare.get(N_ROUNDS / 2).copied().unwrap_or_default());
    let mut one = 0.0;
    for (n_writers, commits) in N_WRITERS.iter().zip(&mut commits) {
        commits.sort_by(|left, right| left.per_second.total_cmp(&right.per_second));
        let Some(Commits { per_second, mean_batch, largest_batch, mean_sync }) = commits.get(N_ROUNDS / 2)
        else {
            continue;
        };
        if *n_writers == 1 {
            one = *per_second;
        }
        let times_one = per_second / one;
        println!(
            "  {n_writers:>2} writers                 {per_second:>12.0} {times_one:>12.1} {mean_batch:>12.1} \
             {largest_batch:>9} {mean_sync:>11.1?}",
        );
    }
    Ok(())
}

fn fresh(path: &Path) -> Outcome<Log> {
    if path.exists() {
        std::fs::remove_dir_all(path)?;
    }
    Ok(Log::open(path, Options::default(), |_| Ok(()))?.0)
}

fn append(path: &Path, payload_bytes: usize, batch_records: usize) -> Outcome<()> {
    let log = fresh(path)?;
    let payload = vec![7; payload_bytes];
    let n_records = APPEND_BYTES / payload_bytes as u64;
    let mut batch = Batch::new();
    let begin = Instant::now();
    for commit in 1..=n_records {
        if batch_records == 1 {
            log.append(commit, 0, &payload)?;
            continue;
        }
        batch.push(commit, 0, &payload);
        if batch.len() == batch_records {
            log.append_batch(&mut batch)?;
            batch.clear();
        }
        // As checkpoints do, so that the disk's speed matters no more than it must.
        if commit % 100_000 == 0 {
            log.trim(commit)?;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    drop(log);
    let bare = bare_writes(&path.join("bare"), payload_bytes + 32, n_records)?;
    println!(
        "  {payload_bytes:>6} bytes, {batch_records:>2} a write {:>16.0} {:>10.0} {bare:>24.0}",
        n_records as f64 / seconds,
        (n_records * (payload_bytes as u64 + 32)) as f64 / seconds / 1e6,
    );
    Ok(())
}

/// As many writes as the log makes, without anything else.
fn bare_writes(path: &Path, record_bytes: usize, n_records: u64) -> Outcome<f64> {
    let file = File::create(path)?;
    let record = vec![7; record_bytes];
    let begin = Instant::now();
    for index in 0..n_records {
        file.write_all_at(&record, index * record_bytes as u64)?;
    }
    Ok(n_records as f64 / begin.elapsed().as_secs_f64())
}

fn bare_syncs(path: &Path) -> Outcome<f64> {
    let file = File::create(path)?;
    file.write_all_at(&vec![0; 16 << 20], 0)?;
    file.sync_all()?;
    let record = [7; 232];
    let begin = Instant::now();
    let mut n_syncs = 0;
    while begin.elapsed() < SYNC_TIME {
        file.write_all_at(&record, n_syncs % 60_000 * 232)?;
        file.sync_data()?;
        n_syncs += 1;
    }
    Ok(n_syncs as f64 / begin.elapsed().as_secs_f64())
}

struct Commits {
    per_second: f64,
    mean_batch: f64,
    largest_batch: u64,
    mean_sync: Duration,
}

fn synced(path: &Path, n_writers: usize) -> Outcome<Commits> {
    let log = fresh(path)?;
    // Into a segment whose file has been written before, as are all but the first.
    log.append(0, 0, &vec![7; 9 << 20])?;
    log.sync_all()?;
    log.maintain()?;
    log.rotate()?;
    let before = log.metrics();
    let last_commit = Mutex::new(0);
    let begin = Instant::now();
    let n_commits = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..n_writers)
            .map(|_| {
                scope.spawn(|| -> Outcome<u64> {
                    let mut n_commits = 0;
                    while begin.elapsed() < SYNC_TIME {
                        let appended = {
                            let mut last_commit = last_commit.lock().map_err(|_| "a writer has failed")?;
                            *last_commit += 1;
                            log.append(*last_commit, 0, &[7; 200])?
                        };
                        log.sync(appended.end)?;
                        n_commits += 1;
                    }
                    Ok(n_commits)
                })
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().map_err(|_| "a writer has failed")?)
            .sum::<Outcome<u64>>()
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let metrics = log.metrics();
    let n_syncs = (metrics.n_syncs - before.n_syncs).max(1);
    let sync_duration = metrics.sync_duration - before.sync_duration;
    Ok(Commits {
        per_second: n_commits as f64 / seconds,
        mean_batch: (metrics.n_sync_waiters - before.n_sync_waiters) as f64 / n_syncs as f64,
        largest_batch: metrics.n_sync_waiters_max,
        mean_sync: sync_duration.div_f64(n_syncs as f64),
    })
}

fn replay(path: &Path, payload_bytes: usize) -> Outcome<()> {
    let log = fresh(path)?;
    let payload = vec![7; payload_bytes];
    let n_records = REPLAY_BYTES / (payload_bytes as u64 + 32);
    let begin = Instant::now();
    for commit in 1..=n_records {
        log.append(commit, 0, &payload)?;
    }
    let write_seconds = begin.elapsed().as_secs_f64();
    log.sync_all()?;
    log.maintain()?;
    let begin = Instant::now();
    let mut reader = log.reader(Start::Oldest, Until::Written)?;
    while reader.next()?.is_some() {}
    report("read by a reader", n_records, payload_bytes, begin.elapsed());
    drop(reader);
    // What a kill leaves behind: the space that was reserved is still there.
    let killed = path.with_extension("killed");
    if killed.exists() {
        std::fs::remove_dir_all(&killed)?;
    }
    std::fs::create_dir(&killed)?;
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        std::fs::copy(entry.path(), killed.join(entry.file_name()))?;
    }
    drop(log);
    std::fs::remove_dir_all(path)?;
    let mut n_bytes = 0;
    let (log, recovery) = Log::open(&killed, Options::default(), |record| {
        n_bytes += record.payload.len() as u64;
        Ok(())
    })?;
    let took = recovery.duration;
    assert_eq!(n_bytes, n_records * payload_bytes as u64);
    report("replayed at opening", n_records, payload_bytes, took);
    println!("    which is {:.1} times as fast as it was written", write_seconds / took.as_secs_f64());
    log.trim(n_records)?;
    log.close()?;
    let begin = Instant::now();
    let (log, _) = Log::open(&killed, Options::default(), |_| Ok(()))?;
    println!("    opening what is left after a trim and an orderly end: {:.1?}", begin.elapsed());
    drop(log);
    std::fs::remove_dir_all(&killed)?;
    Ok(())
}

fn report(what: &str, n_records: u64, payload_bytes: usize, took: Duration) {
    let seconds = took.as_secs_f64();
    let gigabytes = (n_records * (payload_bytes as u64 + 32)) as f64 / 1e9;
    println!(
        "  {payload_bytes:>5} bytes, {what:<20} {:>9.2} {:>12.0} {took:>11.1?}",
        gigabytes / seconds,
        n_records as f64 / seconds,
    );
}
