//! Group commit: all who wait for a sync share one.
//!
//! Whoever comes first leads: it syncs for everybody who waits at that moment. Whoever comes while a sync runs waits
//! for it to end, and if it came too late for that one, one of those leads the next.
//!
//! Before it syncs, the leader may wait a little for those who took part in the last sync, since these come back
//! at about the same time: without it, each sync would serve only the half of the writers that the last one left out.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::primitives::{Condvar, Mutex};

/// Waits shorter than this are longer than they are worth.
const GATHER_MIN: Duration = Duration::from_micros(20);

/// Serves those who wait for a sync.
pub(crate) struct SyncGate {
    state: Mutex<State>,
    /// A sync has ended.
    ended: Condvar,
    /// As many as were expected have come.
    gathered: Condvar,
    gather_max: Duration,
}

struct State {
    synced: u64,
    is_led: bool,
    is_gathering: bool,
    has_failed: bool,
    /// How many syncs have been begun.
    n_begun: u64,
    /// Those who came since the last one was begun, without the one who leads.
    n_waiting: usize,
    /// Those whom the last sync served, and those who came while it ran.
    n_expected: usize,
    last_duration: Duration,
}

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

impl SyncGate {
    /// A gate of a log that is synced up to `synced`.
    pub(crate) fn new(synced: u64, gather_max: Duration) -> Self {
        let state = State {
            synced,
            is_led: false,
            is_gathering: false,
            has_failed: false,
            n_begun: 0,
            n_waiting: 0,
            n_expected: 0,
            last_duration: Duration::ZERO,
        };
        Self { state: Mutex::new(state), ended: Condvar::new(), gathered: Condvar::new(), gather_max }
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // As long as no sync is begun after this one joined the waiting, it is counted among them.
        let mut joined = None;
        let result = loop {
            if state.synced >= target {
                break Some(Ok(()));
            }
            if state.has_failed {
                break Some(Err(SyncFailed));
            }
            if !state.is_led {
                break None;
            }
            if joined != Some(state.n_begun) {
                joined = Some(state.n_begun);
                state.n_waiting += waiter.count();
            }
            if state.is_gathering && state.n_waiting + 1 >= state.n_expected {
                self.gathered.notify_one();
            }
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        if joined == Some(state.n_begun) {
            state.n_waiting -= waiter.count();
        }
        if let Some(result) = result {
            return result;
        }
        state.is_led = true;
        let gather_max = self.gather_max.min(state.last_duration / 4);
        if waiter == Waiter::Commit && gather_max >= GATHER_MIN {
            let begin = Instant::now();
            state.is_gathering = true;
            while state.n_waiting + 1 < state.n_expected {
                let Some(rest) = gather_max.checked_sub(begin.elapsed()) else { break };
                let waited = self.gathered.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner);
                state = waited.0;
            }
            state.is_gathering = false;
        }
        let n_served = std::mem::take(&mut state.n_waiting) + waiter.count();
        state.n_begun += 1;
        drop(state);
        let mut lead = Lead { gate: self, n_served, begin: Instant::now(), synced: None };
        let result = sync(n_served);
        lead.synced = result.ok();
        drop(lead);
        result.map(|_| ())
    }
}

/// Ends the lead in every case: a leader that panics must not leave the others waiting.
struct Lead<'a> {
    gate: &'a SyncGate,
    n_served: usize,
    begin: Instant,
    synced: Option<u64>,
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.synced {
            Some(synced) => state.synced = state.synced.max(synced),
            None => state.has_failed = true,
        }
        state.is_led = false;
        state.last_duration = self.begin.elapsed();
        state.n_expected = self.n_served + state.n_waiting;
        drop(state);
        self.gate.ended.notify_all();
    }
}
