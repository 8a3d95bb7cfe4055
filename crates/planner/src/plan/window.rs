//! WINDOW.

use std::sync::Arc;

use super::{Aggregate, VarId};

/// WINDOW.
#[derive(Clone, Debug)]
pub struct WindowNode {
    /// The value the bounds are relative to; none for row based windows. The input is sorted by it.
    pub range: Option<VarId>,
    /// Bounds of the window.
    pub bounds: WindowBounds,
    /// Aggregates of each row's window.
    pub aggregates: Vec<Aggregate>,
}

/// Bounds of a window.
#[derive(Clone, Debug)]
pub enum WindowBounds {
    /// Number of rows; `None` is unbounded.
    Rows {
        /// Rows before the current one.
        preceding: Option<u64>,
        /// Rows after the current one.
        following: Option<u64>,
    },
    /// Distance in value.
    Range {
        /// Distance below the current value.
        preceding: f64,
        /// Distance above the current value.
        following: f64,
    },
    /// ISO 8601 durations, applied to time stamps in milliseconds.
    Duration {
        /// Duration before.
        preceding: Arc<str>,
        /// Duration after.
        following: Arc<str>,
    },
}
