//! Commits of one document: not synced against the same puts in transactions of a plain LMDB without sync, and synced by
//! many writers against one, and against as many that only append to a log.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea_benches::{Plain, SlowDisk, document};
use persea_txn::{Durability, Engine, TransactionManager, Tree};
use persea_wal::{Log, StdStorage, Storage};

const KEYSPACE: u64 = 7;
const WRITERS: u64 = 16;

/// A document by its number, and the number by a key as long as most keys are.
struct Entry {
    id: [u8; 8],
    key: [u8; 16],
}

impl Entry {
    fn new(number: u64) -> Entry {
        let mut key = [b'0'; 16];
        let digits = number.to_string();
        key[16 - digits.len()..].copy_from_slice(digits.as_bytes());
        Entry { id: number.to_be_bytes(), key }
    }
}

/// What a commit consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    Document,
    DocumentAndKey,
}

fn put(manager: &TransactionManager, writes: Writes, number: u64, value: &[u8], durability: Durability) {
    let Entry { id, key } = Entry::new(number);
    let mut transaction = manager.begin().expect("a transaction");
    transaction.lock_key(KEYSPACE, &id).expect("a lock");
    transaction.put(Tree::Documents, KEYSPACE, &id, value).expect("a put");
    if writes == Writes::DocumentAndKey {
        transaction.put(Tree::Index, KEYSPACE, &key, &id).expect("a put");
    }
    transaction.commit(durability).expect("a commit");
}

fn put_plain(plain: &Plain, writes: Writes, number: u64, value: &[u8]) {
    let Entry { id, key } = Entry::new(number);
    let mut writer = plain.env.write_txn().expect("a writer");
    plain.documents.put(&mut writer, &id, value).expect("a put");
    if writes == Writes::DocumentAndKey {
        plain.keys.put(&mut writer, &key, &id).expect("a put");
    }
    writer.commit().expect("a commit");
}

/// Documents that are there already, updated in an order that looks random.
const DOCUMENTS: u64 = 1_000_000;
const LOADED_AT_ONCE: usize = 20_000;

fn scattered(step: u64) -> u64 {
    step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % DOCUMENTS
}

fn not_synced(criterion: &mut Criterion, manager: &TransactionManager) {
    let plain = Plain::empty();
    let value = document(1);
    // Both are loaded alike: the pages that batches leave free are part of what a commit has to manage.
    for numbers in (0..DOCUMENTS).collect::<Vec<_>>().chunks(LOADED_AT_ONCE) {
        let mut writer = plain.env.write_txn().expect("a writer");
        let mut transaction = manager.begin().expect("a transaction");
        for number in numbers {
            let Entry { id, key } = Entry::new(*number);
            plain.documents.put(&mut writer, &id, value.bytes()).expect("a put");
            plain.keys.put(&mut writer, &key, &id).expect("a put");
            transaction.put(Tree::Documents, KEYSPACE, &id, value.bytes()).expect("a put");
            transaction.put(Tree::Index, KEYSPACE, &key, &id).expect("a put");
        }
        writer.commit().expect("a commit");
        transaction.commit(Durability::Buffered).expect("a commit");
    }
    manager.checkpoint().expect("a checkpoint");
    for (name, writes) in
        [("not synced", Writes::Document), ("not synced, with its key", Writes::DocumentAndKey)]
    {
        let mut group = criterion.benchmark_group(format!("commits/{name}"));
        group.throughput(Throughput::Elements(1));
        let mut step = 0;
        group.bench_function("limit: LMDB", |bencher| {
            bencher.iter(|| {
                step += 1;
                put_plain(&plain, writes, scattered(step), value.bytes());
            });
        });
        let mut step = 0;
        group.bench_function("persea", |bencher| {
            bencher.iter(|| {
                step += 1;
                put(manager, writes, scattered(step), value.bytes(), Durability::Buffered);
            });
        });
        group.finish();
    }
}

/// How long the writers need for so many steps together.
fn by_many(steps: u64, work: impl Fn(u64) + Sync) -> Duration {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let work = &work;
            scope.spawn(move || (writer..steps).step_by(WRITERS as usize).for_each(work));
        }
    });
    begun.elapsed()
}

fn synced(criterion: &mut Criterion, name: &str, storage: impl Fn(&Path) -> Arc<dyn Storage>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).expect("an engine");
    let log_storage = storage(&folder.path().join("log"));
    let opened = TransactionManager::open_on(engine, log_storage, persea_txn::Options::default());
    let manager = &opened.expect("a manager");
    let value = document(1);
    let mut group = criterion.benchmark_group(format!("commits/{name}"));
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(8));
    let mut step = 0;
    group.bench_function("limit: one writer", |bencher| {
        bencher.iter(|| {
            step += 1;
            put(manager, Writes::Document, scattered(step), value.bytes(), Durability::Synced);
        });
    });
    let log_folder = tempfile::tempdir().expect("a temporary folder");
    let opened = Log::open_on(storage(log_folder.path()), persea_wal::Options::new(), |_| Ok(()));
    let (log, _) = opened.expect("a log");
    let last = Mutex::new(0);
    group.bench_function(format!("limit: {WRITERS} writers of a log"), |bencher| {
        bencher.iter_custom(|rounds| {
            by_many(rounds, |_| {
                let appended = {
                    let mut last = last.lock().expect("a lock");
                    *last += 1;
                    log.append(*last, 0, value.bytes()).expect("an append")
                };
                log.sync(appended.end).expect("a sync");
            })
        });
    });
    let before = manager.metrics();
    group.bench_function(format!("persea: {WRITERS} writers"), |bencher| {
        bencher.iter_custom(|rounds| {
            by_many(rounds, |step| {
                put(manager, Writes::Document, step, value.bytes(), Durability::Synced);
            })
        });
    });
    group.finish();
    let metrics = manager.metrics();
    let n_syncs = (metrics.syncs - before.syncs).max(1);
    let mean = (metrics.synced_commits - before.synced_commits) as f64 / n_syncs as f64;
    println!("commits: {name}: {mean:.1} commits of {WRITERS} writers share a sync in the mean");
}

fn commits(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).expect("an engine");
    let manager = TransactionManager::open(engine).expect("a manager");
    not_synced(criterion, &manager);
    drop(manager);
    synced(criterion, "synced", |folder| Arc::new(StdStorage::open(folder).expect("a folder")));
    synced(criterion, "synced, in a millisecond more", |folder| {
        Arc::new(SlowDisk::open(folder, Duration::from_millis(1)).expect("a folder"))
    });
}

criterion_group!(benches, commits);
criterion_main!(benches);
