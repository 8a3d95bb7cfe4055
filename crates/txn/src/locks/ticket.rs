//! The place of one waiting transaction: where it learns how its wait ended.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitOutcome {
    /// The transaction holds the lock from now on.
    Granted,
    /// The key was committed after the transaction's snapshot.
    Conflict,
    /// The transaction was chosen to end a deadlock.
    Deadlock,
}

/// Shared between the queue and the thread that waits.
#[derive(Debug, Default)]
pub(crate) struct Ticket {
    outcome: Mutex<Option<WaitOutcome>>,
    decided: Condvar,
}

impl Ticket {
    pub(super) fn new() -> Arc<Ticket> {
        Arc::default()
    }

    pub(super) fn decide(&self, outcome: WaitOutcome) {
        *self.outcome.lock() = Some(outcome);
        self.decided.notify_one();
    }

    /// The outcome, if there is one already.
    pub(crate) fn outcome(&self) -> Option<WaitOutcome> {
        *self.outcome.lock()
    }

    /// Waits for the outcome until the deadline (for ever without one).
    pub(crate) fn wait_until(&self, deadline: Option<Instant>) -> Option<WaitOutcome> {
        let mut outcome = self.outcome.lock();
        loop {
            if outcome.is_some() {
                return *outcome;
            }
            match deadline {
                Some(deadline) => {
                    if self.decided.wait_until(&mut outcome, deadline).timed_out() {
                        return *outcome;
                    }
                }
                None => self.decided.wait(&mut outcome),
            }
        }
    }
}
