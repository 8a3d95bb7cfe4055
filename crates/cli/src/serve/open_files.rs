//! The limit on open files, which is also the limit on connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what the process is allowed to: systems start processes with as little as 1,024, which suits
/// programs that still use `select`. A server that can't is left as it is.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        Ok(()) => tracing::debug!(from = limit.current, to = limit.maximum, "raised the limit on open files"),
        Err(error) => tracing::warn!(%error, "cannot raise the limit on open files"),
    }
}
