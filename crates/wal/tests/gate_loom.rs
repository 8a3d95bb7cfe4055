//! Every interleaving of a few threads that wait for a sync: each returns only when its target is synced, and none
//! waits for ever.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

#[path = "../src/sync_gate.rs"]
mod sync_gate;
#[path = "../src/wakefulness.rs"]
mod wakefulness;

mod primitives {
    pub(crate) use loom::sync::atomic::{AtomicU8, Ordering};
    pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
    pub(crate) use loom::thread::{Thread, current, park, yield_now};
}

use std::time::Duration;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use sync_gate::{SyncFailed, SyncGate, Waiter};

struct Disk {
    gate: SyncGate,
    written: AtomicU64,
    durable: AtomicU64,
    n_failing_from: u64,
}

impl Disk {
    fn new(n_failing_from: u64) -> Arc<Self> {
        Arc::new(Self {
            gate: SyncGate::new(0, Duration::ZERO),
            written: AtomicU64::new(0),
            durable: AtomicU64::new(0),
            n_failing_from,
        })
    }

    fn append_and_sync(&self, waiter: Waiter) -> Result<u64, SyncFailed> {
        let target = self.written.fetch_add(1, Ordering::SeqCst) + 1;
        self.gate.wait(target, waiter, |_| {
            let written = self.written.load(Ordering::SeqCst);
            if written >= self.n_failing_from {
                return Err(SyncFailed);
            }
            // Only one leads at a time.
            let before = self.durable.swap(written, Ordering::SeqCst);
            assert!(before <= written);
            Ok(written)
        })?;
        assert!(self.durable.load(Ordering::SeqCst) >= target);
        Ok(target)
    }
}

fn check(waiters: &'static [Waiter], n_failing_from: u64) {
    let mut model = loom::model::Builder::new();
    // As much as finds all interleavings that need up to three switches against a thread's will.
    model.preemption_bound = Some(3);
    model.check(move || {
        let disk = Disk::new(n_failing_from);
        let threads: Vec<_> = waiters
            .iter()
            .skip(1)
            .map(|waiter| {
                let disk = disk.clone();
                loom::thread::spawn(move || disk.append_and_sync(*waiter))
            })
            .collect();
        let mut results = vec![disk.append_and_sync(waiters[0])];
        results.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        if n_failing_from > waiters.len() as u64 {
            assert!(results.iter().all(Result::is_ok));
        } else {
            assert!(results.iter().any(Result::is_err));
        }
    });
}

#[test]
fn three_commits() {
    check(&[Waiter::Commit, Waiter::Commit, Waiter::Commit], u64::MAX);
}

#[test]
fn two_commits_and_the_background() {
    check(&[Waiter::Background, Waiter::Commit, Waiter::Commit], u64::MAX);
}

#[test]
fn a_sync_that_fails() {
    check(&[Waiter::Commit, Waiter::Commit, Waiter::Commit], 2);
}
