//! Keeping track of queries: those that run now, which can be killed, and those that took long.

mod properties;
mod record;
mod running;

pub(crate) use running::{RunningQueries, Started};
