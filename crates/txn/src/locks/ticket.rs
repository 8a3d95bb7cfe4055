//! The place of one waiting transaction: where it learns how its wait ended.

use std::sync::Arc;
use std::time::Instant;

use crate::primitives::{Condvar, Mutex};

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
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    outcome: Option<WaitOutcome>,
    /// Whether the thread is to go on without an outcome.
    is_interrupted: bool,
}

impl Ticket {
    pub(super) fn new() -> Arc<Ticket> {
        Arc::default()
    }

    pub(super) fn decide(&self, outcome: WaitOutcome) {
        self.state.lock().outcome = Some(outcome);
        self.changed.notify_one();
    }

    /// Ends the wait without an outcome.
    pub(super) fn interrupt(&self) {
        self.state.lock().is_interrupted = true;
        self.changed.notify_one();
    }

    /// Whether the wait was ended so.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.state.lock().is_interrupted
    }

    /// The outcome, if there is one already.
    pub(crate) fn outcome(&self) -> Option<WaitOutcome> {
        self.state.lock().outcome
    }

    /// Waits for the outcome until the deadline (for ever without one), or until the wait is interrupted.
    pub(crate) fn wait_until(&self, deadline: Option<Instant>) -> Option<WaitOutcome> {
        let mut state = self.state.lock();
        loop {
            if state.outcome.is_some() || state.is_interrupted {
                return state.outcome;
            }
            match deadline {
                Some(deadline) => {
                    if self.changed.wait_until(&mut state, deadline).timed_out() {
                        return state.outcome;
                    }
                }
                None => self.changed.wait(&mut state),
            }
        }
    }
}
