//! Crashes and failures of a simulated disk, for the tests of the storage and of what stands on it.
#![allow(dead_code, reason = "not every test that shares this file needs all of it")]

use std::io::ErrorKind;
use std::ops::Bound;
use std::time::{Duration, Instant};

use persea_kv::{Direction, Engine, Store, StoreSnapshot, Tree, Write};
use persea_txn::TransactionManager;
use persea_wal::simulation::{Fault, Operation, Random};

/// What the engine's disk would hold if the process ended now.
pub fn fork(engine: &Engine) -> Engine {
    let copy = Engine::memory();
    let snapshot = engine.snapshot().unwrap();
    for tree in Tree::ALL {
        let all = (Bound::Unbounded, Bound::Unbounded);
        let entries: Vec<_> =
            snapshot.range(tree, all, Direction::Forward).unwrap().map(Result::unwrap).collect();
        copy.write(entries.iter().map(|(key, value)| Write::put(tree, key, value))).unwrap();
    }
    copy
}

/// A failure of the log's next writes, which it recovers from.
pub fn fault(random: &mut Random) -> Fault {
    let operations = [Operation::Write, Operation::Sync, Operation::Preallocate, Operation::Truncate];
    let operation = operations[random.below(4) as usize];
    let error = if random.percent(50) { ErrorKind::StorageFull } else { ErrorKind::Other };
    let (n_spared, n_failing) = (random.below(3) as u32, random.below(3) as u32 + 1);
    Fault { operation, n_spared, n_failing, error }
}

/// Returns once commits are taken again.
pub fn await_healthy(manager: &TransactionManager) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while let Err(error) = manager.health() {
        assert!(Instant::now() < deadline, "still read-only: {error}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
