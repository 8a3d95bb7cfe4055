//! How much memory a query holds: one counter that arenas and operators charge, with a limit.

use std::cell::Cell;
use std::rc::Rc;

use crate::Error;

/// Peak memory is reported in steps of this many bytes, as ArangoDB does.
const REPORT_STEP: usize = 32 * 1024;

/// The memory counter of one query. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    counter: Rc<Counter>,
}

#[derive(Debug, Default)]
struct Counter {
    current: Cell<usize>,
    peak: Cell<usize>,
    /// In bytes; 0 is no limit.
    limit: usize,
}

impl Memory {
    /// A counter that refuses to go beyond `limit` bytes; 0 is no limit.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Memory { counter: Rc::new(Counter { limit, ..Counter::default() }) }
    }

    /// Counts bytes that are held already. The limit is looked at by [`Memory::check`].
    pub(crate) fn charge(&self, bytes: usize) {
        let current = self.counter.current.get().saturating_add(bytes);
        self.counter.current.set(current);
        if current > self.counter.peak.get() {
            self.counter.peak.set(current);
        }
    }

    /// Counts bytes that are no longer held.
    pub(crate) fn release(&self, bytes: usize) {
        self.counter.current.set(self.counter.current.get().saturating_sub(bytes));
    }

    /// Fails when the query holds more than it may.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.counter.limit != 0 && self.counter.current.get() > self.counter.limit {
            return Err(Error::MemoryLimit);
        }
        Ok(())
    }

    /// How many bytes more the query may hold.
    pub(crate) fn left(&self) -> usize {
        match self.counter.limit {
            0 => usize::MAX,
            limit => limit.saturating_sub(self.counter.current.get()),
        }
    }

    /// The most bytes held at one time, rounded up.
    pub(crate) fn peak(&self) -> usize {
        self.counter.peak.get().next_multiple_of(REPORT_STEP)
    }
}

/// Bytes an operator holds besides arenas; gives them back when dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    memory: Memory,
    bytes: usize,
}

impl Reservation {
    pub(crate) fn new(memory: &Memory) -> Self {
        Reservation { memory: memory.clone(), bytes: 0 }
    }

    /// Changes the number of bytes held, and checks the limit when it grows.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), Error> {
        if bytes > self.bytes {
            self.memory.charge(bytes - self.bytes);
            self.bytes = bytes;
            self.memory.check()
        } else {
            self.memory.release(self.bytes - bytes);
            self.bytes = bytes;
            Ok(())
        }
    }

    /// Holds `bytes` more.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.resize(self.bytes.saturating_add(bytes))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.release(self.bytes);
    }
}
