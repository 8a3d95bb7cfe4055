//! Positions in the log, and the lock-free board that shows how far it has come.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A place in the log: bytes since the log was first created, across all segments.
///
/// Positions only grow, also over trimming and reopening.
/// Only a torn tail gives up positions, which are then used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// How far the log has been written and synced.
///
/// Whoever loads a position, loads a commit number at least as new with the call after it:
/// commit numbers are stored first.
#[derive(Debug, Default)]
pub(crate) struct Board {
    written: AtomicU64,
    written_commit: AtomicU64,
    synced: AtomicU64,
    synced_commit: AtomicU64,
    closed: AtomicBool,
}

impl Board {
    pub(crate) fn new(position: u64, commit: u64) -> Self {
        Self {
            written: AtomicU64::new(position),
            written_commit: AtomicU64::new(commit),
            synced: AtomicU64::new(position),
            synced_commit: AtomicU64::new(commit),
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::SeqCst)
    }

    pub(crate) fn written_commit(&self) -> u64 {
        self.written_commit.load(Ordering::Acquire)
    }

    pub(crate) fn synced(&self) -> u64 {
        self.synced.load(Ordering::SeqCst)
    }

    pub(crate) fn synced_commit(&self) -> u64 {
        self.synced_commit.load(Ordering::Acquire)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn post_written(&self, position: u64, commit: u64) {
        self.written_commit.store(commit, Ordering::Release);
        self.written.store(position, Ordering::SeqCst);
    }

    pub(crate) fn post_synced(&self, position: u64, commit: u64) {
        self.synced_commit.fetch_max(commit, Ordering::AcqRel);
        self.synced.fetch_max(position, Ordering::SeqCst);
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }
}
