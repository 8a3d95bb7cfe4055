//! Wakes those who follow the log when it grows; costs nothing while nobody waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    n_waiting: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Watch {
    /// Returns when the condition holds or the deadline has passed.
    ///
    /// Whoever makes the condition true must do so by sequentially consistent stores and then call
    /// [`notify`](Watch::notify).
    pub(crate) fn wait(&self, deadline: Instant, condition: impl Fn() -> bool) {
        // Either this count is seen by the one who notifies, or the condition is seen below.
        self.n_waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !condition() {
            let Some(rest) = deadline.checked_duration_since(Instant::now()) else { break };
            let waited = self.changed.wait_timeout(guard, rest).unwrap_or_else(PoisonError::into_inner);
            guard = waited.0;
        }
        drop(guard);
        self.n_waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Lets all who wait look at their condition again.
    pub(crate) fn notify(&self) {
        if self.n_waiting.load(Ordering::SeqCst) > 0 {
            // Under the lock nobody is between looking and sleeping.
            let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.changed.notify_all();
        }
    }
}
