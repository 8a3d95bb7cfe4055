//! Counts live snapshots, and holds new ones back while the memory map moves.
//!
//! Growing the map invalidates every pointer into it, so it may happen only while no snapshot is alive.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::folder_lock::{FolderLock, ReaderHold};

/// What keeps the folder as this store needs it.
#[derive(Debug)]
pub(super) enum FolderHold {
    /// No other writer.
    Writer(#[allow(dead_code, reason = "held for its drop")] FolderLock),
    /// The file stays where it is.
    Reader(#[allow(dead_code, reason = "held for its drop")] ReaderHold),
}

#[derive(Debug, Default)]
struct State {
    n_live: u64,
    is_closed: bool,
}

/// The gate every snapshot passes on creation and on drop.
#[derive(Debug)]
pub(super) struct ReaderGate {
    state: Mutex<State>,
    changed: Condvar,
    /// Kept here since a snapshot that outlives the store keeps the environment open, and so the folder in use.
    _folder: FolderHold,
}

/// Proof that a snapshot is counted; dropping it takes the snapshot out of the count.
#[derive(Debug)]
pub(super) struct Pass {
    gate: Arc<ReaderGate>,
}

impl ReaderGate {
    pub(super) fn new(folder: FolderHold) -> ReaderGate {
        ReaderGate { state: Mutex::default(), changed: Condvar::new(), _folder: folder }
    }

    /// Waits while the gate is closed, then counts one more snapshot.
    pub(super) fn enter(self: &Arc<Self>) -> Pass {
        let mut state = self.state.lock();
        while state.is_closed {
            self.changed.wait(&mut state);
        }
        state.n_live += 1;
        Pass { gate: self.clone() }
    }

    pub(super) fn n_live(&self) -> u64 {
        self.state.lock().n_live
    }

    /// Runs `action` while no snapshot is alive and none can begin; `None` if snapshots stay alive for too long.
    pub(super) fn with_none_alive<T>(&self, patience: Duration, action: impl FnOnce() -> T) -> Option<T> {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        state.is_closed = true;
        while state.n_live > 0 {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        let outcome = (state.n_live == 0).then(action);
        state.is_closed = false;
        self.changed.notify_all();
        outcome
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut state = self.gate.state.lock();
        state.n_live -= 1;
        if state.is_closed {
            self.gate.changed.notify_all();
        }
    }
}
