//! Waits for locks that somebody ends.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use persea_txn::{
    Durability, Engine, Error, Interrupt, LockMode, LockTimeouts, Options, TransactionManager,
    TransactionOptions,
};

fn manager() -> TransactionManager {
    let mut options = Options::default();
    options.lock_timeouts = LockTimeouts { collection: Duration::MAX, key: Duration::from_secs(60) };
    TransactionManager::open_with(Engine::memory(), options).unwrap()
}

fn exclusive() -> TransactionOptions {
    TransactionOptions::locking([(5, LockMode::Exclusive)])
}

/// Returns once so many transactions wait.
fn wait_for(manager: &TransactionManager, n_waiting: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while manager.metrics().waiting_transactions < n_waiting {
        assert!(Instant::now() < deadline, "nobody waits");
        std::thread::yield_now();
    }
}

#[test]
fn an_interrupt_below_others_is_ended_by_each_and_ends_none() {
    let manager = manager();
    let _holder = manager.begin_with(&exclusive()).unwrap();
    let n_told = Arc::new(AtomicUsize::new(0));
    let told = n_told.clone();
    let hooked = Interrupt::with_wait_hook(move || {
        told.fetch_add(1, Ordering::SeqCst);
    });
    let wait_until_ended = |interrupt: &Interrupt, end: &dyn Fn()| {
        let options = exclusive().with_interrupt(interrupt.clone());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| manager.begin_with(&options).map(drop));
            wait_for(&manager, 1);
            end();
            assert!(matches!(waiting.join().unwrap(), Err(Error::Interrupted)));
        });
    };
    let (other, mine) = (Interrupt::new(), Interrupt::below([&hooked]));
    wait_until_ended(&mine, &|| mine.set());
    assert!(mine.is_set() && !hooked.is_set());
    let by_either = Interrupt::below([&other, &hooked]);
    wait_until_ended(&by_either, &|| other.set());
    let by_hooked = Interrupt::below([&hooked]);
    wait_until_ended(&by_hooked, &|| hooked.set());
    assert!(!by_either.is_set() && !by_hooked.is_set());
    assert_eq!(n_told.load(Ordering::SeqCst), 3);
    // Whoever comes later does not wait either.
    let late = manager.begin_with(&exclusive().with_interrupt(by_hooked)).map(drop);
    assert!(matches!(late, Err(Error::Interrupted)));
}

#[test]
fn an_interrupt_ends_the_waits_of_its_transactions_only() {
    let manager = manager();
    let mut holder = manager.begin_with(&exclusive()).unwrap();
    holder.lock_key(1, b"k").unwrap();
    let interrupt = Interrupt::new();
    std::thread::scope(|scope| {
        let begin = |interrupt: &Interrupt| {
            let options = exclusive().with_interrupt(interrupt.clone());
            let manager = &manager;
            scope.spawn(move || {
                manager.begin_with(&options).map(|transaction| transaction.commit(Durability::Buffered))
            })
        };
        let (interrupted, other) = (begin(&interrupt), begin(&Interrupt::new()));
        let of_key = {
            let mut transaction = manager.begin().unwrap();
            assert_eq!(transaction.set_interrupt(Some(interrupt.clone())), None);
            scope.spawn(move || {
                let outcome = transaction.lock_key(1, b"k");
                // The transaction itself goes on.
                transaction.lock_key(1, b"l").unwrap();
                outcome
            })
        };
        wait_for(&manager, 3);
        interrupt.set();
        assert!(matches!(interrupted.join().unwrap(), Err(Error::Interrupted)));
        assert!(matches!(of_key.join().unwrap(), Err(Error::Interrupted)));
        assert!(!other.is_finished());
        // One that is set already lets nobody wait.
        assert!(matches!(begin(&interrupt).join().unwrap(), Err(Error::Interrupted)));
        holder.commit(Durability::Buffered).unwrap();
        other.join().unwrap().unwrap().unwrap();
    });
    let metrics = manager.metrics();
    assert_eq!((metrics.lock_timeouts, metrics.waiting_transactions, metrics.locked_collections), (0, 0, 0));
}

#[test]
fn a_stop_ends_all_waits_and_lets_nobody_wait() {
    let manager = manager();
    let holder = manager.begin_with(&exclusive()).unwrap();
    std::thread::scope(|scope| {
        let waiting: Vec<_> =
            (0..5).map(|_| scope.spawn(|| manager.begin_with(&exclusive()).map(drop))).collect();
        wait_for(&manager, 5);
        manager.stop_waits();
        for waiting in waiting {
            assert!(matches!(waiting.join().unwrap(), Err(Error::Stopping)));
        }
    });
    assert!(matches!(manager.begin_with(&exclusive()).map(drop), Err(Error::Stopping)));
    holder.commit(Durability::Buffered).unwrap();
    manager.begin_with(&exclusive()).unwrap().commit(Durability::Buffered).unwrap();
}

/// Grants and interrupts that meet: whoever was granted the lock holds it, and nobody else does.
#[test]
fn a_grant_and_an_interrupt_at_once() {
    let manager = manager();
    for _ in 0..300 {
        let holder = manager.begin_with(&exclusive()).unwrap();
        let interrupt = Interrupt::new();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| manager.begin_with(&exclusive().with_interrupt(interrupt.clone())));
            wait_for(&manager, 1);
            scope.spawn(|| interrupt.set());
            holder.abort();
            let outcome = waiting.join().unwrap();
            assert!(matches!(outcome, Ok(_) | Err(Error::Interrupted)));
        });
        assert_eq!(manager.metrics().locked_collections, 0);
    }
}
