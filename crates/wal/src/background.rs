//! The thread that syncs what nobody has synced.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::Result;
use crate::error::Context;
use crate::shared::{Shared, lock};

/// Runs until it is dropped.
pub(crate) struct Background {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    is_asked: Mutex<bool>,
    asked: Condvar,
}

impl Background {
    pub(crate) fn start(shared: Arc<Shared>, interval: Duration) -> Result<Self> {
        let stop = Arc::new(Stop::default());
        let stop_seen = stop.clone();
        let thread = std::thread::Builder::new()
            .name("wal-sync".into())
            .spawn(move || {
                while !stop_seen.wait(interval) {
                    // A sync that fails poisons the log, so the next append or sync tells.
                    // For all else there is another time.
                    let _ = shared.maintain();
                }
            })
            .context("start a thread for", "the log")?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Stop {
    /// Waits; returns whether to stop.
    fn wait(&self, interval: Duration) -> bool {
        let deadline = Instant::now() + interval;
        let mut is_asked = lock(&self.is_asked);
        while !*is_asked {
            let Some(rest) = deadline.checked_duration_since(Instant::now()) else { break };
            is_asked = self.asked.wait_timeout(is_asked, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        *is_asked
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        *lock(&self.stop.is_asked) = true;
        self.stop.asked.notify_all();
        if let Some(thread) = self.thread.take() {
            // It doesn't panic; if it did, there would be nothing left to do.
            let _ = thread.join();
        }
    }
}
