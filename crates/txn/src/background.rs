//! The manager's thread: does checkpoints when they are due, clears retired keyspaces in slices, and looks after the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::journal::Journal;
use crate::manager::Shared;
use crate::primitives::{Condvar, Mutex, thread};

/// Pause between two slices while commits are under way, so that clearing takes a fraction of the writer's time.
const COURTESY_PAUSE: Duration = Duration::from_millis(2);
/// How often the log is looked after when nothing else is to do: its own thread may find out that it can't go on.
const LOG_INTERVAL: Duration = Duration::from_millis(500);
/// Pause after a failure.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

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
    /// Tells the thread that there is something to do.
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
    thread: Option<thread::JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(shared: Arc<Shared>) -> std::io::Result<Background> {
        let for_thread = shared.clone();
        let thread = thread::Builder::new().name("persea-txn".to_owned()).spawn(move || run(&for_thread))?;
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
    match &shared.follower {
        None => work(shared),
        Some(_) => watch_snapshots(shared),
    }
}

/// Lets snapshots expire that hold back pages of the file that another process writes to.
fn watch_snapshots(shared: &Shared) {
    while shared.bell.wait(Some(LOG_INTERVAL)) {
        if shared.registry.has_live_snapshots() {
            // Only to learn whether there is a newer state; who reads next is told what is wrong if that fails.
            drop(shared.snapshot());
        }
        shared.registry.expire();
    }
}

fn work(shared: &Shared) {
    let mut pause = Some(Duration::ZERO);
    while shared.bell.wait(pause) {
        let failures_before = shared.clears.failures.load(Ordering::Relaxed);
        let has_more = shared.clears.step(shared);
        let has_failed = shared.clears.failures.load(Ordering::Relaxed) > failures_before;
        let next_checkpoint = tend_journal(shared);
        shared.registry.expire();
        pause = if has_more && shared.pipeline.is_busy() && !has_failed {
            Some(COURTESY_PAUSE)
        } else if has_more && !has_failed {
            Some(Duration::ZERO)
        } else if has_failed {
            Some(FAILURE_PAUSE)
        } else if shared.options.snapshot_age_max.is_some() {
            Some(next_checkpoint.unwrap_or(LOG_INTERVAL))
        } else {
            next_checkpoint
        };
    }
    if let Some(journal) = shared.pipeline.journal() {
        // What can't be brought to the engine stays in the log for the next start.
        journal.settle(shared.pipeline.engine(), &shared.registry).unwrap_or_default();
    }
}

/// Looks after a journal; returns when to do so again, if there is one.
fn tend_journal(shared: &Shared) -> Option<Duration> {
    let journal = shared.pipeline.journal()?;
    Some(tend(shared, journal).map_or(LOG_INTERVAL, |pause| pause.min(LOG_INTERVAL)))
}

/// Does a checkpoint if one is due, and gets the log going again if it was given up. Returns how long there is nothing
/// more to do, for ever if nothing.
fn tend(shared: &Shared, journal: &Journal) -> Option<Duration> {
    let (engine, registry) = (shared.pipeline.engine(), &shared.registry);
    if journal.revive(engine, registry).is_err() {
        return Some(FAILURE_PAUSE);
    }
    let due_in = journal.checkpoint_due_in(registry, &shared.options);
    let is_awaited = shared.clears.needs_checkpoint(journal.checkpointed());
    if !is_awaited && due_in.is_none_or(|due_in| !due_in.is_zero()) {
        return due_in;
    }
    match journal.checkpoint(engine, registry) {
        Ok(()) if is_awaited => Some(Duration::ZERO),
        Ok(()) => journal.checkpoint_due_in(registry, &shared.options),
        Err(_) => Some(FAILURE_PAUSE),
    }
}
