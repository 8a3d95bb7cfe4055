//! A scan of a million documents while another thread updates them as fast as it can, against the same scan in quiet.
//!
//! Measured is the processor time of the scanning thread: the writer and the checkpoints have threads of their own, and
//! share the machine with the scan, not its work.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea::{WriteOptions, vpack};
use persea_benches::Fixture;

const DOCUMENTS: usize = 1_000_000;
const QUERY: &str = "FOR d IN documents FILTER d.group == 7 COLLECT WITH COUNT INTO n RETURN n";

/// By then a checkpoint has brought to the engine whatever was written: one begins at the latest after 10 s.
const CHECKPOINTED_AFTER: Duration = Duration::from_secs(15);

/// Processor time of this thread.
#[allow(unsafe_code, reason = "the standard library has no clock of a thread's processor time")]
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn scans(fixture: &Fixture, rounds: u64) -> Duration {
    let begun = thread_time();
    for _ in 0..rounds {
        assert_eq!(black_box(fixture.count_rows(QUERY)), 1);
    }
    thread_time() - begun
}

/// Runs `work` while another thread updates the documents of `fixture` as fast as it can.
fn beside_writer(fixture: &Fixture, work: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    let written = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let options = WriteOptions::default();
            for step in 0_usize.. {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let number = step.wrapping_mul(7_919) % DOCUMENTS;
                let patch = vpack!({ "value": step });
                let key = format!("key{number:09}");
                fixture.collection.update_with(&key, patch.as_slice(), &options).expect("an update");
                written.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Until the deltas are as full as they get.
        std::thread::sleep(Duration::from_secs(3));
        work();
        is_over.store(true, Ordering::Relaxed);
    });
    println!("scan_beside_writer: {} documents updated meanwhile", written.into_inner());
}

fn scan_beside_writer(criterion: &mut Criterion) {
    let fixture = Fixture::with_documents(DOCUMENTS);
    let elsewhere = Fixture::with_documents(DOCUMENTS);
    let mut group = criterion.benchmark_group("scan_beside_writer");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(20);
    group.bench_function("limit: quiet", |bencher| {
        bencher.iter_custom(|rounds| scans(&fixture, rounds));
    });
    // What sharing caches, memory and perhaps a core with a writer costs, whatever it writes to.
    beside_writer(&elsewhere, || {
        group.bench_function("limit: beside a writer to another database", |bencher| {
            bencher.iter_custom(|rounds| scans(&fixture, rounds));
        });
    });
    beside_writer(&fixture, || {
        group.bench_function("persea: beside a writer", |bencher| {
            bencher.iter_custom(|rounds| scans(&fixture, rounds));
        });
    });
    // Updates in random order leave neighbouring documents on pages that are far from each other, which a scan pays for
    // whether somebody writes meanwhile or not.
    std::thread::sleep(CHECKPOINTED_AFTER);
    group.bench_function("limit: quiet, after the writer", |bencher| {
        bencher.iter_custom(|rounds| scans(&fixture, rounds));
    });
    group.finish();
}

criterion_group!(benches, scan_beside_writer);
criterion_main!(benches);
