//! Ending a wait from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::ticket::Ticket;

/// Ends the waits for locks of the transactions that it is given to, those that begin later too; they fail with
/// [`Error::Interrupted`](crate::Error::Interrupted).
///
/// Clones are handles to the same one. Once set it stays so.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_set: Arc<AtomicBool>,
    waiting: Mutex<Vec<Arc<Ticket>>>,
}

impl Interrupt {
    /// One that isn't set.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Sets it, which wakes whoever waits.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::Release);
        for ticket in &*self.0.waiting.lock() {
            ticket.interrupt();
        }
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Acquire)
    }

    /// True once it is set, for those who look at it now and then. Storing to it wakes nobody.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.0.is_set
    }

    /// Has it end the wait of a ticket until the guard is dropped.
    pub(crate) fn watch(&self, ticket: &Arc<Ticket>) -> Watched {
        self.0.waiting.lock().push(ticket.clone());
        // Either the setter finds the ticket in the list, or its flag is seen here.
        if self.is_set() {
            ticket.interrupt();
        }
        Watched { interrupt: self.clone(), ticket: ticket.clone() }
    }
}

impl PartialEq for Interrupt {
    fn eq(&self, other: &Interrupt) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Interrupt {}

/// A wait that can be interrupted.
pub(crate) struct Watched {
    interrupt: Interrupt,
    ticket: Arc<Ticket>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.interrupt.0.waiting.lock().retain(|ticket| !Arc::ptr_eq(ticket, &self.ticket));
    }
}
