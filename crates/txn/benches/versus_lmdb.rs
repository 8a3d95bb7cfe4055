//! What transactions cost over bare LMDB: the same work done through this crate and through `heed`.
//!
//! Run with `cargo bench -p persea-txn --bench versus_lmdb`; an argument sets the number of documents.
#![allow(clippy::unwrap_used, clippy::print_stdout, unsafe_code, reason = "a measuring program")]

use std::hint::black_box;
use std::ops::Bound;
use std::time::Instant;

use heed::types::Bytes;
use heed::{EnvFlags, EnvOpenOptions};
use persea_txn::{Direction, Durability, Engine, ReadView, TransactionManager, Tree};

const KEYSPACE: u64 = 7;
const BATCH: u64 = 10_000;
const DOCUMENT: [u8; 180] = [0x5a; 180];

/// Processor time of this thread in nanoseconds: says more than the clock on a machine that others use too.
fn thread_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Runs `work` for `n` operations and prints nanoseconds per operation, by the clock and of this thread's processor.
fn measure<T>(name: &str, n: u64, work: impl FnOnce() -> T) -> T {
    let (start, start_thread) = (Instant::now(), thread_nanos());
    let output = work();
    let nanos = start.elapsed().as_nanos() as f64 / n as f64;
    let thread_nanos = (thread_nanos() - start_thread) as f64 / n as f64;
    println!("{name:<54} {nanos:>10.0} ns {thread_nanos:>10.0} ns of processor");
    output
}

/// A cheap permutation-like sequence of document numbers.
fn scattered(n_documents: u64, n: u64) -> impl Iterator<Item = u64> {
    (0..n).map(move |number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % n_documents)
}

fn full_key(number: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&KEYSPACE.to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

fn index_key(number: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

type Database = heed::Database<'static, Bytes, Bytes>;

struct Raw {
    env: heed::Env,
    documents: Database,
    index: Database,
}

fn open_raw(path: &std::path::Path) -> Raw {
    let mut options = EnvOpenOptions::new();
    options.map_size(1 << 36).max_dbs(2);
    // SAFETY: a measuring program on a folder of its own.
    let env = unsafe {
        options.flags(EnvFlags::NO_SYNC);
        options.open(path).unwrap()
    };
    let transaction = env.write_txn().unwrap();
    let opened = env
        .create_databases_and_commit(transaction, |opener, transaction| {
            let databases: [heed::Database<'_, Bytes, Bytes>; 2] = [
                opener.create_database(transaction, Some("documents"))?,
                opener.create_database(transaction, Some("index"))?,
            ];
            Ok::<_, heed::Error>(heed::CommitOrAbort::<_, ()>::Commit(databases))
        })
        .unwrap();
    let heed::CommitOrAbort::Commit([documents, index]) = opened else { unreachable!() };
    Raw { env, documents, index }
}

fn writes(raw: &Raw, manager: &TransactionManager, n_documents: u64) {
    let n_batches = n_documents / BATCH;
    measure("raw   bulk: document + index entry, batch of 10000", n_documents, || {
        for batch in 0..n_batches {
            let mut transaction = raw.env.write_txn().unwrap();
            for number in batch * BATCH..(batch + 1) * BATCH {
                raw.documents.put(&mut transaction, &full_key(number), &DOCUMENT).unwrap();
                raw.index.put(&mut transaction, &index_key(number), &number.to_be_bytes()).unwrap();
            }
            transaction.commit().unwrap();
        }
    });
    measure("txn   bulk: document + index entry, batch of 10000", n_documents, || {
        for batch in 0..n_batches {
            let mut transaction = manager.begin().unwrap();
            for number in batch * BATCH..(batch + 1) * BATCH {
                transaction.lock_key(KEYSPACE, &number.to_be_bytes()).unwrap();
                transaction.put(Tree::Documents, KEYSPACE, &number.to_be_bytes(), &DOCUMENT).unwrap();
                transaction.put(Tree::Index, KEYSPACE, &index_key(number), &number.to_be_bytes()).unwrap();
            }
            transaction.commit(Durability::Buffered).unwrap();
        }
    });
    measure("txn   checkpoint and rest of the bulk", n_documents, || manager.checkpoint().unwrap());
    measure("raw   sync of the bulk", n_documents, || raw.env.force_sync().unwrap());
    for _ in 0..2 {
        measure("txn   of that, until the commit", 100_000, || {
            let mut transaction = manager.begin().unwrap();
            for number in 0..100_000 {
                transaction.put(Tree::Documents, 9, &u64::to_be_bytes(number), &DOCUMENT).unwrap();
                transaction.put(Tree::Index, 9, &index_key(number), &number.to_be_bytes()).unwrap();
            }
        });
    }

    let n = 20_000;
    measure("raw   single put, commit without sync", n, || {
        for number in scattered(n_documents, n) {
            let mut transaction = raw.env.write_txn().unwrap();
            raw.documents.put(&mut transaction, &full_key(number), &DOCUMENT).unwrap();
            transaction.commit().unwrap();
        }
    });
    let n = 200_000;
    measure("txn   single put, buffered commit", n, || {
        for number in scattered(n_documents, n) {
            let mut transaction = manager.begin().unwrap();
            transaction.lock_key(KEYSPACE, &number.to_be_bytes()).unwrap();
            transaction.put(Tree::Documents, KEYSPACE, &number.to_be_bytes(), &DOCUMENT).unwrap();
            transaction.commit(Durability::Buffered).unwrap();
        }
    });
    measure("txn   checkpoint of these, per commit", n, || manager.checkpoint().unwrap());
}

fn concurrent(
    manager: &TransactionManager,
    n_documents: u64,
    n_threads: u64,
    durability: Durability,
    n: u64,
) {
    let before = manager.metrics();
    measure(&format!("txn   single put, {durability:?}, {n_threads} threads"), n * n_threads, || {
        std::thread::scope(|scope| {
            for thread in 0..n_threads {
                scope.spawn(move || {
                    for number in scattered(n_documents, n) {
                        let mut transaction = manager.begin().unwrap();
                        let key = (number * n_threads + thread).to_be_bytes();
                        transaction.lock_key(8, &key).unwrap();
                        transaction.put(Tree::Documents, 8, &key, &DOCUMENT).unwrap();
                        transaction.commit(durability).unwrap();
                    }
                });
            }
        });
    });
    let after = manager.metrics();
    let n_commits = after.grouped_commits - before.grouped_commits;
    println!(
        "      mean group {:.2}, largest ever {}, commits per sync {:.2}",
        n_commits as f64 / (after.commit_groups - before.commit_groups) as f64,
        after.group_commits_max,
        n_commits as f64 / (after.syncs - before.syncs).max(1) as f64
    );
}

/// Scans by one thread while another commits as fast as it can.
fn scan_beside_writer(manager: &TransactionManager, n_documents: u64) {
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let ordering = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut n_commits = 0_u64;
            for number in scattered(n_documents, u64::MAX) {
                if is_over.load(ordering) {
                    break;
                }
                let mut transaction = manager.begin().unwrap();
                transaction.put(Tree::Documents, KEYSPACE, &number.to_be_bytes(), &DOCUMENT).unwrap();
                transaction.commit(Durability::Buffered).unwrap();
                n_commits += 1;
            }
            n_commits
        });
        std::thread::sleep(std::time::Duration::from_millis(200));
        for _ in 0..3 {
            let view = manager.snapshot().unwrap();
            measure("txn   scan beside a writer at full speed, per row", n_documents, || {
                scan(&view, Direction::Forward)
            });
        }
        is_over.store(true, ordering);
        println!("      {} commits meanwhile", writer.join().unwrap());
    });
    println!("      {:?}", manager.metrics());
}

/// Fills a delta, leaves it in the log as a kill would, and opens again.
fn reopen(folder: &std::path::Path, n_documents: u64) {
    let n = 250_000;
    let copy = folder.join("killed");
    let path = folder.join("txn");
    {
        let engine = Engine::open_lmdb(&path, &persea_kv::Options::default()).unwrap();
        let mut options = persea_txn::Options::default();
        options.delta_bytes_max = 1 << 30;
        options.checkpoint_interval = std::time::Duration::from_secs(3600);
        let manager = TransactionManager::open_with(engine, options).unwrap();
        measure("txn   single put, filling a delta", n, || {
            for number in scattered(n_documents, n) {
                let mut transaction = manager.begin().unwrap();
                transaction.put(Tree::Documents, KEYSPACE, &number.to_be_bytes(), &DOCUMENT).unwrap();
                transaction.commit(Durability::Buffered).unwrap();
            }
        });
        println!(
            "      {} bytes of delta, {} of log",
            manager.metrics().delta_bytes,
            manager.metrics().log_bytes
        );
        let view = manager.snapshot().unwrap();
        measure("txn   random get under a full delta", 300_000, || {
            for number in scattered(n_documents, 300_000) {
                let number = number.wrapping_mul(3) % n_documents;
                black_box(view.get(Tree::Documents, KEYSPACE, &number.to_be_bytes()).unwrap().unwrap());
            }
        });
        measure("txn   scan under a full delta, per row", n_documents, || scan(&view, Direction::Forward));
        measure("txn   scan of it in reverse, per row", n_documents, || scan(&view, Direction::Reverse));
        // As the disk would be after a kill now.
        std::fs::create_dir_all(copy.join("log")).unwrap();
        std::fs::copy(path.join("data.mdb"), copy.join("data.mdb")).unwrap();
        for entry in std::fs::read_dir(path.join("log")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), copy.join("log").join(entry.file_name())).unwrap();
        }
    }
    let engine = Engine::open_lmdb(&copy, &persea_kv::Options::default()).unwrap();
    let start = Instant::now();
    let manager = TransactionManager::open(engine).unwrap();
    println!(
        "      reopened in {:?}, {} commits replayed",
        start.elapsed(),
        manager.metrics().replayed_commits
    );
}

fn reads(raw: &Raw, manager: &TransactionManager, n_documents: u64) {
    let n = 1_000_000;
    let rtxn = raw.env.read_txn().unwrap();
    let view = manager.snapshot().unwrap();
    measure("raw   random get", n, || {
        for number in scattered(n_documents, n) {
            black_box(raw.documents.get(&rtxn, &full_key(number)).unwrap().unwrap());
        }
    });
    measure("txn   random get", n, || {
        for number in scattered(n_documents, n) {
            black_box(view.get(Tree::Documents, KEYSPACE, &number.to_be_bytes()).unwrap().unwrap());
        }
    });
    multi_get(&view, n_documents, n);
    measure("txn   begin, get, abort", n, || {
        for number in scattered(n_documents, n) {
            let transaction = manager.begin().unwrap();
            black_box(transaction.get(Tree::Documents, KEYSPACE, &number.to_be_bytes()).unwrap().unwrap());
        }
    });

    for _ in 0..2 {
        measure("raw   scan, per row", n_documents, || {
            let bounds = (Bound::Included(&full_key(0)[..]), Bound::Excluded(&full_key(u64::MAX)[..]));
            raw.documents.range(&rtxn, &bounds).unwrap().map(|entry| entry.unwrap().1.len()).sum::<usize>()
        });
        measure("txn   scan, per row", n_documents, || scan(&view, Direction::Forward));
    }
    measure("txn   scan in reverse, per row", n_documents, || scan(&view, Direction::Reverse));
    let mut transaction = manager.begin().unwrap();
    for number in scattered(n_documents, 10_000) {
        transaction.put(Tree::Documents, KEYSPACE, &number.to_be_bytes(), b"changed").unwrap();
    }
    let view = transaction.view().unwrap();
    measure("txn   scan over 10000 own writes, per row", n_documents, || scan(&view, Direction::Forward));

    measure("raw   range of 10 rows", 100_000, || {
        for number in scattered(n_documents - 10, 100_000) {
            let bounds =
                (Bound::Included(&full_key(number)[..]), Bound::Excluded(&full_key(number + 10)[..]));
            black_box(
                raw.documents
                    .range(&rtxn, &bounds)
                    .unwrap()
                    .map(|entry| entry.unwrap().1.len())
                    .sum::<usize>(),
            );
        }
    });
    let view = manager.snapshot().unwrap();
    measure("txn   range of 10 rows", 100_000, || {
        for number in scattered(n_documents - 10, 100_000) {
            let (low, high) = (number.to_be_bytes(), (number + 10).to_be_bytes());
            let bounds = (Bound::Included(&low[..]), Bound::Excluded(&high[..]));
            let range = view.range(Tree::Documents, KEYSPACE, bounds, Direction::Forward).unwrap();
            black_box(range.map(|entry| entry.unwrap().1.len()).sum::<usize>());
        }
    });
}

fn multi_get(view: &ReadView, n_documents: u64, n: u64) {
    measure("txn   multi_get of 1000 sorted scattered keys, per key", n, || {
        let mut values = Vec::new();
        let numbers: Vec<u64> = scattered(n_documents, n).collect();
        for batch in numbers.chunks(1000) {
            let mut keys: Vec<[u8; 8]> = batch.iter().map(|number| number.to_be_bytes()).collect();
            keys.sort_unstable();
            values.clear();
            view.multi_get(Tree::Documents, KEYSPACE, keys.iter().map(|key| &key[..]), &mut values).unwrap();
            black_box(&values);
        }
    });
}

fn scan(view: &ReadView, direction: Direction) -> usize {
    let all = (Bound::Unbounded, Bound::Unbounded);
    let range = view.range(Tree::Documents, KEYSPACE, all, direction).unwrap();
    range.map(|entry| entry.unwrap().1.len()).sum()
}

fn main() {
    let n_documents =
        std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("raw")).unwrap();
    let raw = open_raw(&folder.path().join("raw"));
    let engine = Engine::open_lmdb(folder.path().join("txn"), &persea_kv::Options::default()).unwrap();
    let manager = TransactionManager::open(engine).unwrap();
    writes(&raw, &manager, n_documents);
    concurrent(&manager, n_documents, 8, Durability::Buffered, 20_000);
    concurrent(&manager, n_documents, 1, Durability::Synced, 300);
    concurrent(&manager, n_documents, 16, Durability::Synced, 300);
    concurrent(&manager, n_documents, 64, Durability::Synced, 100);
    measure("txn   checkpoint", 1, || manager.checkpoint().unwrap());
    reads(&raw, &manager, n_documents);
    scan_beside_writer(&manager, n_documents);
    drop(manager);
    reopen(folder.path(), n_documents);
}
