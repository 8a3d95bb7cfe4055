//! A million documents of about 180 bytes with their primary index, until they are on the disk, against a loop of
//! sorted batches that writes the same bytes to a plain LMDB.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea::{Database, ImportOptions, VPackBuf};
use persea_benches::{Fixture, Plain, document};

const DOCUMENTS: usize = 1_000_000;
const BATCH: usize = 10_000;

fn load_plain(stored: &[VPackBuf]) -> Duration {
    let plain = Plain::empty();
    let begun = Instant::now();
    for (batch, documents) in stored.chunks(BATCH).enumerate() {
        let mut writer = plain.env.write_txn().expect("a writer");
        for (number, document) in documents.iter().enumerate() {
            let number = batch * BATCH + number;
            let id = (number as u64).to_be_bytes();
            plain.documents.put(&mut writer, &id, document.bytes()).expect("a put");
            plain.keys.put(&mut writer, format!("key{number:09}").as_bytes(), &id).expect("a put");
        }
        writer.commit().expect("a commit");
    }
    plain.env.force_sync().expect("a sync");
    begun.elapsed()
}

fn load(documents: &[VPackBuf]) -> Duration {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).expect("a database");
    let collection = database.create_collection("documents").expect("a collection");
    let begun = Instant::now();
    let options = ImportOptions { wait_for_sync: true, ..ImportOptions::default() };
    let mut import = collection.import(options).expect("an import");
    for (number, document) in documents.iter().enumerate() {
        import.push(number as u64, document.as_slice()).expect("a document");
    }
    assert_eq!(import.finish().expect("a report").created, documents.len() as u64);
    begun.elapsed()
}

/// The most memory that `work` took beyond what was there before: what the process allocated, not the pages of the
/// database file, which the system takes back when it needs them.
fn peak_bytes(work: impl FnOnce()) -> u64 {
    let allocated = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0_u64) * 1_024
    };
    let (peak, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let before = allocated();
    let watching = {
        let (peak, is_over) = (Arc::clone(&peak), Arc::clone(&is_over));
        std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                peak.fetch_max(allocated().saturating_sub(before), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
            }
        })
    };
    work();
    is_over.store(true, Ordering::Relaxed);
    watching.join().expect("the watching thread ends");
    peak.load(Ordering::Relaxed)
}

/// Loads documents that are made on the way, so that only what the database allocates counts.
fn report_memory(count: usize) {
    let peak = peak_bytes(|| drop(Fixture::with_documents(count)));
    println!("bulk_load: {count} documents took at most {} MB of memory", peak >> 20);
    assert!(peak < 400 << 20, "memory does not grow with the data");
}

fn bulk_load(criterion: &mut Criterion) {
    report_memory(DOCUMENTS);
    report_memory(3 * DOCUMENTS);
    let documents: Vec<VPackBuf> = (0..DOCUMENTS).map(document).collect();
    let stored: Vec<VPackBuf> = {
        let fixture = Fixture::with_documents(DOCUMENTS);
        let rows = fixture.database.query("FOR d IN documents RETURN d").run().expect("rows").rows;
        rows.iter().map(VPackBuf::from).collect()
    };
    let mut group = criterion.benchmark_group("bulk_load");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(10);
    group.bench_function("limit: LMDB, sorted batches", |bencher| {
        bencher.iter_custom(|rounds| (0..rounds).map(|_| load_plain(&stored)).sum());
    });
    group.bench_function("persea", |bencher| {
        bencher.iter_custom(|rounds| (0..rounds).map(|_| load(&documents)).sum());
    });
    group.finish();
}

criterion_group!(benches, bulk_load);
criterion_main!(benches);
