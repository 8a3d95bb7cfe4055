//! What it costs to read what another process commits: `cargo run --release -p persea-txn --example follow`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that can't go on may panic")]

use std::process::Command;
use std::time::{Duration, Instant};

use persea_txn::{Durability, Engine, Options, TransactionManager, Tree};

const WRITE: &str = "PERSEA_EXAMPLE_FOLDER";

fn open(folder: &std::path::Path) -> TransactionManager {
    let engine = Engine::open_lmdb(folder, &persea_kv::Options::default()).unwrap();
    TransactionManager::open(engine).unwrap()
}

fn write_on(folder: &std::path::Path) {
    let manager = open(folder);
    let (begun, mut n_commits) = (Instant::now(), 0_u64);
    while begun.elapsed() < Duration::from_secs(6) {
        let mut transaction = manager.begin().unwrap();
        transaction.put(Tree::Documents, 1, &(n_commits % 100_000).to_be_bytes(), &[7; 200]).unwrap();
        transaction.put(Tree::Documents, 2, b"last", &n_commits.to_be_bytes()).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
        n_commits += 1;
    }
    println!("  writer: {:.0} commits/s", n_commits as f64 / begun.elapsed().as_secs_f64());
}

/// Takes views and reads one key of each until it is time to stop.
fn measure(manager: &TransactionManager, pause: Duration, mut is_over: impl FnMut() -> bool) {
    let mut times = Vec::new();
    while !is_over() {
        let begun = Instant::now();
        let view = manager.snapshot().unwrap();
        view.get(Tree::Documents, 2, b"last").unwrap();
        times.push(begun.elapsed());
        drop(view);
        std::thread::sleep(pause);
    }
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("  {} views: median {:?}, 99 % {:?}, longest {:?}", times.len(), at(0.5), at(0.99), at(1.0));
}

fn main() {
    if let Some(folder) = std::env::var_os(WRITE) {
        return write_on(folder.as_ref());
    }
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let writer = || Command::new(std::env::current_exe().unwrap()).env(WRITE, folder.path()).spawn().unwrap();
    println!("a writer without readers");
    writer().wait().unwrap();
    let engine = Engine::open_lmdb_read_only(folder.path(), &persea_kv::Options::default()).unwrap();
    let manager = TransactionManager::open_read_only(engine, Options::default()).unwrap();
    println!("a reader without a writer");
    let begun = Instant::now();
    measure(&manager, Duration::ZERO, || begun.elapsed() > Duration::from_secs(2));
    for pause in [Duration::from_millis(10), Duration::ZERO] {
        println!("both, {pause:?} between two views");
        let mut child = writer();
        measure(&manager, pause, || child.try_wait().unwrap().is_some());
    }
}
