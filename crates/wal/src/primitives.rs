//! The locks of [`sync_gate`](crate::sync_gate), in one place so that its test can put a model checker's beneath it.

pub(crate) use std::sync::{Condvar, Mutex};
