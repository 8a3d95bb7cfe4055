//! Locks of two levels: collections by mode, and single keys for writing.
//!
//! Uncontended keys cost one sharded table entry, and so do collections that nobody wants exclusively. Everything that
//! involves waiting goes through one [`WaitGraph`], which queues fairly, knows who waits for whom on either level, and
//! breaks every cycle at the moment it would close.

mod collection_lock;
mod graph;
mod interrupt;
mod key_table;
mod manager;
mod mode;
mod owner;
mod ticket;
mod waits;
mod write_gates;

pub use interrupt::Interrupt;
pub(crate) use key_table::LockKey;
pub(crate) use manager::{IfTaken, LockAttempt, LockManager};
pub use mode::LockMode;
pub(crate) use owner::LockOwner;
pub(crate) use ticket::{Ticket, WaitOutcome};

/// Numbers from here on are no collections, but other things that transactions lock by agreement. Of what is locked up
/// front they come first, and they are not counted among the [locked collections](crate::Metrics::locked_collections).
pub const OTHER_LOCKS: u64 = 1 << 63;

/// Id of a transaction; ids start at 1.
pub(crate) type TransactionId = u64;

#[cfg(test)]
mod tests;
