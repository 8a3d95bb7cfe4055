//! The manager's thread: syncs buffered commits at intervals and clears retired keyspaces in slices.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::manager::Shared;

/// Pause between two slices while commits are under way, so that clearing takes a fraction of the writer's time.
const COURTESY_PAUSE: Duration = Duration::from_millis(2);
/// Pause after a failed slice.
const FAILURE_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
struct Signals {
    is_stopping: bool,
    has_work: bool,
}

/// How others reach the thread.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    signals: Mutex<Signals>,
    rung: Condvar,
}

impl Bell {
    /// Tells the thread that there is something to clear.
    pub(crate) fn ring(&self) {
        self.signals.lock().has_work = true;
        self.rung.notify_one();
    }

    fn stop(&self) {
        self.signals.lock().is_stopping = true;
        self.rung.notify_one();
    }

    /// Waits until rung or for the pause (for ever without one); false when the thread has to stop.
    fn wait(&self, pause: Option<Duration>) -> bool {
        let mut signals = self.signals.lock();
        if !signals.is_stopping && !signals.has_work {
            match pause {
                Some(pause) => drop(self.rung.wait_for(&mut signals, pause)),
                None => self.rung.wait(&mut signals),
            }
        }
        signals.has_work = false;
        !signals.is_stopping
    }
}

/// Stops the thread when dropped.
#[derive(Debug)]
pub(crate) struct Background {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(shared: Arc<Shared>) -> std::io::Result<Background> {
        let for_thread = shared.clone();
        let thread =
            std::thread::Builder::new().name("persea-txn".to_owned()).spawn(move || run(&for_thread))?;
        Ok(Background { shared, thread: Some(thread) })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.shared.bell.stop();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by the panic hook; there is nothing left to do about it here.
            thread.join().unwrap_or_default();
        }
    }
}

fn run(shared: &Shared) {
    let sync_interval = shared.options.sync_interval.filter(|_| shared.pipeline.engine().name() != "memory");
    let mut next_sync = Instant::now();
    let mut pause = Some(Duration::ZERO);
    while shared.bell.wait(pause) {
        let failures_before = shared.clears.failures.load(Ordering::Relaxed);
        let has_more = shared.clears.step(shared);
        let has_failed = shared.clears.failures.load(Ordering::Relaxed) > failures_before;
        if let Some(interval) = sync_interval
            && Instant::now() >= next_sync
        {
            sync_if_dirty(shared);
            next_sync = Instant::now() + interval;
        }
        pause = if has_failed {
            Some(FAILURE_PAUSE)
        } else if has_more && shared.pipeline.is_busy() {
            Some(COURTESY_PAUSE)
        } else if has_more {
            Some(Duration::ZERO)
        } else {
            sync_interval.map(|_| next_sync.saturating_duration_since(Instant::now()))
        };
    }
    sync_if_dirty(shared);
}

fn sync_if_dirty(shared: &Shared) {
    // A failure is counted in the metrics, and every commit that asks for durability is told of it.
    shared.pipeline.sync_up_to(&shared.registry, shared.registry.latest()).unwrap_or_default();
}
