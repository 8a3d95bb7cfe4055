//! Group commit: all who wait for a sync share one.
//!
//! Whoever comes while no sync runs leads: it syncs for everybody who waits at that moment. Whoever comes while one
//! runs waits for it to end; if it came too late for that one, one of those leads the next.
//!
//! Before it syncs, the leader may wait a little for those who took part in the last sync, since these come back
//! at about the same time: without it, each sync would serve only the half of the writers that the last one left out.
//!
//! Each who waits sleeps by itself and is woken once, with its verdict: nobody wakes only to find a lock taken. Where
//! syncs are short, it gives way to others for a while instead: to fall asleep and be woken takes longer than the sync.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::primitives::{Arc, AtomicU8, Condvar, Mutex, MutexGuard, Ordering, Thread, current, park};
use crate::wakefulness::Wakefulness;

/// Waits shorter than this are longer than they are worth.
const GATHER_MIN: Duration = Duration::from_micros(20);

/// Syncs that take longer than this are slept through.
const SHORT_SYNC: Duration = Duration::from_micros(200);
/// With more than so many that wait, those who come later sleep: giving way to so many takes long as well.
const AWAKE_MAX: usize = 64;

/// Serves those who wait for a sync.
pub(crate) struct SyncGate {
    state: Mutex<State>,
    /// As many as were expected have come.
    gathered: Condvar,
    gather_max: Duration,
    wakefulness: Wakefulness,
}

struct State {
    synced: u64,
    /// Somebody syncs, or has been told to.
    is_led: bool,
    is_gathering: bool,
    has_failed: bool,
    /// Those who came since the last sync was begun, without the one who leads.
    waiting: Vec<Arc<Ticket>>,
    /// How many of them are commits.
    n_waiting: usize,
    /// Commits that the last sync served, and those that came while it ran.
    n_expected: usize,
    last_duration: Duration,
}

/// One who waits.
struct Ticket {
    target: u64,
    waiter: Waiter,
    thread: Thread,
    verdict: AtomicU8,
}

const WAIT: u8 = 0;
const SYNCED: u8 = 1;
const FAILED: u8 = 2;
const LEAD: u8 = 3;

/// The sync has failed, for this one and all to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyncFailed;

/// Who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// Somebody who wants to know a commit durable, and is counted.
    Commit,
    /// The sync that runs from time to time; nobody waits for it.
    Background,
}

impl Waiter {
    fn count(self) -> usize {
        match self {
            Self::Commit => 1,
            Self::Background => 0,
        }
    }
}

impl Ticket {
    fn new(target: u64, waiter: Waiter) -> Arc<Self> {
        Arc::new(Self { target, waiter, thread: current(), verdict: AtomicU8::new(WAIT) })
    }

    fn sleep(&self) -> u8 {
        loop {
            match self.verdict.load(Ordering::Acquire) {
                WAIT => park(),
                verdict => return verdict,
            }
        }
    }

    fn wake(&self, verdict: u8) {
        self.verdict.store(verdict, Ordering::Release);
        self.thread.unpark();
    }
}

impl SyncGate {
    /// A gate of a log that is synced up to `synced`.
    pub(crate) fn new(synced: u64, gather_max: Duration) -> Self {
        let state = State {
            synced,
            is_led: false,
            is_gathering: false,
            has_failed: false,
            waiting: Vec::new(),
            n_waiting: 0,
            n_expected: 0,
            last_duration: Duration::ZERO,
        };
        Self {
            state: Mutex::new(state),
            gathered: Condvar::new(),
            gather_max,
            wakefulness: Wakefulness::new(),
        }
    }

    /// Returns when all before `target` is synced, by this or another thread's call of `sync`.
    ///
    /// `sync` is told how many it serves, syncs all that has been written by then and returns up to where that is,
    /// which must be at least the targets of all who wait.
    pub(crate) fn wait(
        &self,
        target: u64,
        waiter: Waiter,
        sync: impl Fn(usize) -> Result<u64, SyncFailed>,
    ) -> Result<(), SyncFailed> {
        let mut state = self.lock();
        if state.synced >= target {
            return Ok(());
        }
        if state.has_failed {
            return Err(SyncFailed);
        }
        if state.is_led {
            let ticket = Ticket::new(target, waiter);
            state.waiting.push(ticket.clone());
            state.n_waiting += waiter.count();
            if state.is_gathering && state.n_waiting + 1 >= state.n_expected {
                self.gathered.notify_one();
            }
            let awake = self.awake(&state);
            drop(state);
            self.wakefulness.wait(awake, || ticket.verdict.load(Ordering::Acquire) != WAIT);
            match ticket.sleep() {
                SYNCED => return Ok(()),
                FAILED => return Err(SyncFailed),
                _ => state = self.lock(),
            }
        }
        state.is_led = true;
        if waiter == Waiter::Commit {
            state = self.gather(state);
        }
        let served = std::mem::take(&mut state.waiting);
        let n_served = std::mem::take(&mut state.n_waiting) + waiter.count();
        drop(state);
        let mut lead = Lead { gate: self, served, n_served, begin: Instant::now(), result: Err(SyncFailed) };
        lead.result = sync(n_served);
        lead.result.map(|_| ())
    }

    /// How long the end of a sync is worth waiting for awake: until the one under way and the next are over.
    fn awake(&self, state: &State) -> Duration {
        let last = state.last_duration;
        let is_short = last < SHORT_SYNC.min(self.gather_max) && state.waiting.len() <= AWAKE_MAX;
        if is_short { 3 * last } else { Duration::ZERO }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for those who took part in the last sync: no longer than another sync would take, and only as long as some
    /// of them go on coming.
    fn gather<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let gather_max = self.gather_max.min(state.last_duration);
        let patience = gather_max / 2;
        if patience < GATHER_MIN {
            return state;
        }
        let (begin, awake) = (Instant::now(), self.awake(&state));
        state.is_gathering = true;
        while state.n_waiting + 1 < state.n_expected && begin.elapsed() < gather_max {
            let (n_before, begin_wait) = (state.n_waiting, Instant::now());
            if !awake.is_zero() && self.wakefulness.is_given() {
                drop(state);
                self.wakefulness.wait(patience, || self.lock().n_waiting != n_before);
                state = self.lock();
            }
            let rest =
                patience.saturating_sub(begin_wait.elapsed()).min(gather_max.saturating_sub(begin.elapsed()));
            if state.n_waiting == n_before && !rest.is_zero() {
                let waited = self.gathered.wait_timeout(state, rest);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            if state.n_waiting == n_before {
                break;
            }
        }
        state.is_gathering = false;
        state
    }
}

/// Ends the lead in every case: a leader that panics must not leave the others waiting.
struct Lead<'a> {
    gate: &'a SyncGate,
    served: Vec<Arc<Ticket>>,
    n_served: usize,
    begin: Instant,
    result: Result<u64, SyncFailed>,
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let last_duration = self.begin.elapsed();
        let mut state = self.gate.lock();
        state.last_duration = last_duration;
        state.n_expected = self.n_served + state.n_waiting;
        match self.result {
            Ok(synced) => {
                state.synced = state.synced.max(synced);
                // Who came while the sync was about to begin may have been served as well.
                let synced = state.synced;
                self.served.extend(state.waiting.extract_if(.., |ticket| ticket.target <= synced));
            }
            Err(SyncFailed) => {
                state.has_failed = true;
                let late = std::mem::take(&mut state.waiting);
                self.served.extend(late);
            }
        }
        let next = if state.waiting.is_empty() { None } else { Some(state.waiting.remove(0)) };
        state.is_led = next.is_some();
        state.n_waiting = state.waiting.iter().map(|ticket| ticket.waiter.count()).sum();
        drop(state);
        if let Some(next) = next {
            next.wake(LEAD);
        }
        let verdict = if self.result.is_ok() { SYNCED } else { FAILED };
        for ticket in &self.served {
            ticket.wake(verdict);
        }
    }
}
