//! A real process on real files, killed at random moments: what it had acknowledged is there afterwards.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on may panic")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use persea_txn::{Durability, Engine, Options, TransactionManager, Tree};

const FOLDER: &str = "PERSEA_TXN_TEST_KILL_FOLDER";
const N_THREADS: u64 = 3;

fn open(folder: &str) -> TransactionManager {
    let engine = Engine::open_lmdb(folder, &persea_kv::Options::default()).unwrap();
    let mut options = Options::default();
    // Small, so that checkpoints are under way at most moments.
    options.delta_bytes_max = 200 << 10;
    options.bulk_bytes_min = 20 << 10;
    options.log_segment_bytes = 64 << 10;
    TransactionManager::open_with(engine, options).unwrap()
}

fn reached(manager: &TransactionManager, thread: u64) -> u64 {
    let view = manager.snapshot().unwrap();
    let number = |tree, keyspace| {
        let value = view.get(tree, keyspace, &thread.to_be_bytes()).unwrap();
        value.map_or(0, |bytes| u64::from_be_bytes(bytes[..8].try_into().unwrap()))
    };
    let document = number(Tree::Documents, 1);
    assert_eq!(document, number(Tree::Index, 2), "half of a commit is there");
    document
}

/// What the process does that is killed: counts up and says so.
fn count_up(folder: &str) {
    let manager = open(folder);
    std::thread::scope(|scope| {
        for thread in 0..N_THREADS {
            let manager = &manager;
            scope.spawn(move || {
                for next in reached(manager, thread) + 1.. {
                    let mut value = next.to_be_bytes().to_vec();
                    let mut transaction = manager.begin().unwrap();
                    transaction.put(Tree::Documents, 1, &thread.to_be_bytes(), &value).unwrap();
                    value.resize(if next % 50 == 0 { 30_000 } else { 200 }, 7);
                    transaction.put(Tree::Index, 2, &thread.to_be_bytes(), &value).unwrap();
                    let durability = if next % 20 == 0 { Durability::Synced } else { Durability::Buffered };
                    transaction.commit(durability).unwrap();
                    // One write, so that a line is there as a whole or not at all.
                    let line = format!("{thread} {next}\n");
                    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_killed_process_loses_nothing_acknowledged() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return count_up(&folder);
    }
    let n_kills = std::env::var("PERSEA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let mut acknowledged = [0; N_THREADS as usize];
    for round in 0..n_kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_killed_process_loses_nothing_acknowledged", "--nocapture"])
            .env(FOLDER, path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(Result::ok).collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(50 + round * 67 % 300));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in reader.join().unwrap() {
            let Some((thread, next)) = line.split_once(' ') else { continue };
            if let (Ok(thread), Ok(next)) = (thread.parse::<usize>(), next.parse::<u64>()) {
                acknowledged[thread] = next.max(acknowledged[thread]);
            }
        }
        let manager = open(path);
        for thread in 0..N_THREADS {
            let (found, sure) = (reached(&manager, thread), acknowledged[thread as usize]);
            assert!(found == sure || found == sure + 1, "round {round}: {found} found, {sure} acknowledged");
            acknowledged[thread as usize] = found;
        }
    }
    assert!(acknowledged.iter().sum::<u64>() > 0, "nothing was ever done");
}
