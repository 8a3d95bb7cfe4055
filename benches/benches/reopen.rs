//! Opening after a sudden end: what the log holds beyond the last checkpoint is read again, against the time that
//! writing it took. The size of what lies behind the checkpoint does not matter.

use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use persea_benches::document;
use persea_txn::{Durability, Engine, Options, TransactionManager, Tree};
use tempfile::TempDir;

const KEYSPACE: u64 = 7;
/// About what fills a delta of the usual size.
const TAIL: u64 = 200_000;
/// So many different documents the tail updates, however many there are: spread over all of them.
const UPDATED: u64 = 100_000;

fn open(folder: &Path) -> TransactionManager {
    let engine = Engine::open_lmdb(folder, &persea_kv::Options::default()).expect("an engine");
    let mut options = Options::default();
    // Nothing but the end takes the tail out of the log.
    options.delta_bytes_max = 1 << 30;
    options.checkpoint_interval = Duration::from_secs(3_600);
    TransactionManager::open_with(engine, options).expect("a manager")
}

fn write_tail(manager: &TransactionManager, documents: u64) -> Duration {
    let value = document(1);
    let begun = Instant::now();
    for step in 0..TAIL {
        let updated = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % UPDATED;
        let key = (updated * (documents / UPDATED)).to_be_bytes();
        let mut transaction = manager.begin().expect("a transaction");
        transaction.put(Tree::Documents, KEYSPACE, &key, value.bytes()).expect("a put");
        transaction.commit(Durability::Buffered).expect("a commit");
    }
    begun.elapsed()
}

fn load(folder: &Path, documents: u64) -> TransactionManager {
    let manager = open(folder);
    for batch in (0..documents).collect::<Vec<_>>().chunks(20_000) {
        let mut transaction = manager.begin().expect("a transaction");
        for number in batch {
            let value = document(*number as usize);
            transaction.put(Tree::Documents, KEYSPACE, &number.to_be_bytes(), value.bytes()).expect("a put");
        }
        transaction.commit(Durability::Buffered).expect("a commit");
    }
    manager.checkpoint().expect("a checkpoint");
    manager
}

/// The files as the disk would have them after a kill now.
fn copy(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("log")).expect("a folder");
    for part in ["", "log"] {
        for entry in std::fs::read_dir(from.join(part)).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.file_type().expect("its type").is_file() {
                std::fs::copy(entry.path(), folder.path().join(part).join(entry.file_name()))
                    .expect("a copy");
            }
        }
    }
    folder
}

fn reopen(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reopen");
    group.throughput(Throughput::Elements(TAIL)).sample_size(10);
    group.bench_function("limit: writing the tail", |bencher| {
        bencher.iter_custom(|rounds| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let manager = load(folder.path(), 100_000);
            (0..rounds)
                .map(|_| {
                    let time = write_tail(&manager, 100_000);
                    manager.checkpoint().expect("a checkpoint");
                    time
                })
                .sum()
        });
    });
    for documents in [100_000, 1_000_000] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let manager = load(folder.path(), documents);
        write_tail(&manager, documents);
        let killed = copy(folder.path());
        drop(manager);
        group.bench_function(format!("persea: behind {documents} documents"), |bencher| {
            bencher.iter_batched(
                || copy(killed.path()),
                |folder| {
                    let manager = open(folder.path());
                    assert_eq!(manager.metrics().replayed_commits, TAIL);
                    // Dropped outside of the measured time.
                    (manager, folder)
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, reopen);
criterion_main!(benches);
