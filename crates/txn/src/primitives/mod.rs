//! What threads meet at: locks, condition variables, atomics, threads. In one place, so that the feature `shuttle` can
//! put a model checker's beneath the whole crate.

#[cfg(feature = "shuttle")]
mod checked;

#[cfg(feature = "shuttle")]
pub(crate) use checked::{AtomicU64, Condvar, Mutex, MutexGuard, RwLock, thread};

#[cfg(not(feature = "shuttle"))]
pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::atomic::AtomicU64;
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::thread;
