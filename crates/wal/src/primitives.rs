//! What [`sync_gate`](crate::sync_gate) is built of, in one place so that its test can put a model checker's beneath it.

pub(crate) use std::sync::atomic::{AtomicU8, Ordering};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard};
pub(crate) use std::thread::{Thread, current, park, yield_now};
