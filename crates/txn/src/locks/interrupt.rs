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

#[derive(Default)]
struct State {
    is_set: Arc<AtomicBool>,
    waiting: Mutex<Vec<Arc<Ticket>>>,
    /// These end its waits too.
    others: Vec<Interrupt>,
    on_wait: Option<WaitHook>,
}

type WaitHook = Box<dyn Fn() + Send + Sync>;

impl Interrupt {
    /// One that isn't set.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// One that isn't set, and has `hook` called by each thread that is about to wait, before it does.
    pub fn with_wait_hook(hook: impl Fn() + Send + Sync + 'static) -> Interrupt {
        Interrupt(Arc::new(State { on_wait: Some(Box::new(hook)), ..State::default() }))
    }

    /// One that isn't set, and whose waits any of the `others` ends too. These have their hooks called, but do not
    /// make it count as set.
    pub fn below<'a>(others: impl IntoIterator<Item = &'a Interrupt>) -> Interrupt {
        let others = others.into_iter().cloned().collect();
        Interrupt(Arc::new(State { others, ..State::default() }))
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
        if let Some(hook) = &self.0.on_wait {
            hook();
        }
        let others = self.0.others.iter().map(|other| other.watch(ticket)).collect();
        self.0.waiting.lock().push(ticket.clone());
        // Either the setter finds the ticket in the list, or its flag is seen here.
        if self.is_set() {
            ticket.interrupt();
        }
        Watched { interrupt: self.clone(), ticket: ticket.clone(), _others: others }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("State")
            .field("is_set", &self.is_set)
            .field("others", &self.others)
            .finish_non_exhaustive()
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
    _others: Vec<Watched>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.interrupt.0.waiting.lock().retain(|ticket| !Arc::ptr_eq(ticket, &self.ticket));
    }
}
