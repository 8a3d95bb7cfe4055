//! Commits of one document: not synced against one-put transactions of a plain LMDB without sync, and synced by many
//! writers against one.

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea_benches::{Plain, document};
use persea_txn::{Durability, Engine, TransactionManager, Tree};

const KEYSPACE: u64 = 7;
const WRITERS: u64 = 16;

fn put(manager: &TransactionManager, number: u64, value: &[u8], durability: Durability) {
    let key = number.to_be_bytes();
    let mut transaction = manager.begin().expect("a transaction");
    transaction.lock_key(KEYSPACE, &key).expect("a lock");
    transaction.put(Tree::Documents, KEYSPACE, &key, value).expect("a put");
    transaction.commit(durability).expect("a commit");
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
            let key = number.to_be_bytes();
            plain.documents.put(&mut writer, &key, value.bytes()).expect("a put");
            transaction.put(Tree::Documents, KEYSPACE, &key, value.bytes()).expect("a put");
        }
        writer.commit().expect("a commit");
        transaction.commit(Durability::Buffered).expect("a commit");
    }
    manager.checkpoint().expect("a checkpoint");
    let mut group = criterion.benchmark_group("commits/not synced");
    group.throughput(Throughput::Elements(1));
    let mut step = 0;
    group.bench_function("limit: LMDB, one put", |bencher| {
        bencher.iter(|| {
            step += 1;
            let mut writer = plain.env.write_txn().expect("a writer");
            let key = scattered(step).to_be_bytes();
            plain.documents.put(&mut writer, &key, value.bytes()).expect("a put");
            writer.commit().expect("a commit");
        });
    });
    let mut step = 0;
    group.bench_function("persea", |bencher| {
        bencher.iter(|| {
            step += 1;
            put(manager, scattered(step), value.bytes(), Durability::Buffered);
        });
    });
    group.finish();
}

fn synced(criterion: &mut Criterion, manager: &TransactionManager) {
    let value = document(1);
    let mut group = criterion.benchmark_group("commits/synced");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(8));
    let mut step = 0;
    group.bench_function("limit: one writer", |bencher| {
        bencher.iter(|| {
            step += 1;
            put(manager, scattered(step), value.bytes(), Durability::Synced);
        });
    });
    let before = manager.metrics();
    group.bench_function(format!("persea: {WRITERS} writers"), |bencher| {
        bencher.iter_custom(|rounds| {
            let begun = Instant::now();
            std::thread::scope(|scope| {
                for thread in 0..WRITERS {
                    let value = &value;
                    scope.spawn(move || {
                        let mut step = thread;
                        while step < rounds {
                            put(manager, step, value.bytes(), Durability::Synced);
                            step += WRITERS;
                        }
                    });
                }
            });
            begun.elapsed()
        });
    });
    group.finish();
    let metrics = manager.metrics();
    let n_syncs = (metrics.syncs - before.syncs).max(1);
    let mean = (metrics.synced_commits - before.synced_commits) as f64 / n_syncs as f64;
    println!("commits: {mean:.1} commits of {WRITERS} writers share a sync in the mean");
}

fn commits(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).expect("an engine");
    let manager = TransactionManager::open(engine).expect("a manager");
    not_synced(criterion, &manager);
    synced(criterion, &manager);
}

criterion_group!(benches, commits);
criterion_main!(benches);
