//! Group commit: concurrent committers are merged by a leader into one write, and share syncs.
//!
//! The first committer to arrive leads. It writes its own write set, and whatever queued up meanwhile is written by the
//! next leader, which is the first of those that wait; so no committer works for others longer than one group.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use persea_kv::{Engine, Store};

use crate::journal::{Committed, Journal, Lacks, Notice};
use crate::manager::Shared;
use crate::primitives::{Condvar, Mutex};
use crate::snapshots::SnapshotRegistry;
use crate::write_set::{Layers, data_bytes, writes_of};
use crate::{CommitSeq, Result};

/// Most committers merged into one write.
const GROUP_COMMITS_MAX: usize = 1024;
/// A group is closed once it holds this many bytes.
const GROUP_BYTES_MAX: usize = 4 << 20;
/// How often one that waits looks for its outcome before it sleeps: a leader needs about 2 µs for a group, less than it
/// takes to fall asleep and to be woken.
const LOOKS_BEFORE_SLEEP: u32 = 200;

/// A write set that waits for a leader.
#[derive(Debug)]
struct Request {
    layers: Layers,
    state: Mutex<RequestState>,
    /// Whether `state` has changed, to be asked without the lock.
    is_answered: AtomicBool,
    changed: Condvar,
}

#[derive(Debug)]
enum RequestState {
    Waiting,
    /// The previous leader has passed the lead on to this request's thread.
    Leads,
    Done(Result<Committed>),
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Arc<Request>>,
    is_led: bool,
}

/// Counters of the pipeline since the manager was opened.
#[derive(Debug, Default)]
pub(crate) struct PipelineCounters {
    pub(crate) groups: AtomicU64,
    pub(crate) grouped_commits: AtomicU64,
    pub(crate) group_commits_max: AtomicU64,
}

/// Brings write sets to where they are durable and visible: through the journal, or to the engine at once.
#[derive(Debug)]
pub(crate) struct CommitPipeline {
    engine: Engine,
    journal: Option<Journal>,
    queue: Mutex<Queue>,
    bulk_bytes_min: usize,
    pub(crate) counters: PipelineCounters,
}

impl CommitPipeline {
    pub(crate) fn new(engine: Engine, journal: Option<Journal>, bulk_bytes_min: usize) -> CommitPipeline {
        CommitPipeline {
            engine,
            journal,
            queue: Mutex::default(),
            bulk_bytes_min,
            counters: PipelineCounters::default(),
        }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref()
    }

    /// True while commits are being written or wait for it.
    pub(crate) fn is_busy(&self) -> bool {
        self.queue.lock().is_led
    }

    /// The last commit up to which the engine has everything.
    pub(crate) fn checkpointed(&self) -> CommitSeq {
        self.journal.as_ref().map_or(CommitSeq(u64::MAX), Journal::checkpointed)
    }

    /// Writes a write set atomically and publishes it.
    pub(crate) fn commit(&self, shared: &Shared, layers: Layers) -> Result<Committed> {
        if let Some(journal) = &self.journal
            && data_bytes(&layers) >= self.bulk_bytes_min
        {
            return journal.commit_bulk(&self.engine, &shared.registry, &layers);
        }
        let mut queue = self.queue.lock();
        if !queue.is_led {
            queue.is_led = true;
            drop(queue);
            let outcome = self.write_group(shared, &[&layers]);
            self.pass_the_lead();
            return outcome;
        }
        let request = Arc::new(Request::new(layers));
        queue.waiting.push_back(request.clone());
        drop(queue);
        match request.wait() {
            Some(outcome) => outcome,
            None => self.lead(shared, &request),
        }
    }

    /// Writes the leader's request together with all that wait.
    fn lead(&self, shared: &Shared, own: &Arc<Request>) -> Result<Committed> {
        let followers = self.take_group(data_bytes(&own.layers));
        let group: Vec<&Layers> =
            std::iter::once(own).chain(&followers).map(|request| &request.layers).collect();
        let outcome = match self.write_group(shared, &group) {
            Ok(committed) => {
                let is_numbered = u64::from(self.journal.is_some());
                for (position, request) in (1..).zip(&followers) {
                    let first = CommitSeq(committed.first.0 + position * is_numbered);
                    request.finish(Ok(Committed { first, ..committed }));
                }
                Ok(committed)
            }
            Err(error) if followers.is_empty() => Err(error),
            // One write set may have failed the group (the storage is full, say): the others deserve their own try.
            Err(_) => {
                for request in &followers {
                    request.finish(self.write_group(shared, &[&request.layers]));
                }
                self.write_group(shared, &[&own.layers])
            }
        };
        self.pass_the_lead();
        outcome
    }

    fn take_group(&self, own_bytes: usize) -> Vec<Arc<Request>> {
        let mut queue = self.queue.lock();
        let mut group_bytes = own_bytes;
        let mut n_taken = 0;
        for request in queue.waiting.iter().take(GROUP_COMMITS_MAX - 1) {
            group_bytes += data_bytes(&request.layers);
            if group_bytes > GROUP_BYTES_MAX {
                break;
            }
            n_taken += 1;
        }
        queue.waiting.drain(..n_taken).collect()
    }

    fn pass_the_lead(&self) {
        let mut queue = self.queue.lock();
        match queue.waiting.pop_front() {
            Some(next) => {
                drop(queue);
                next.set(RequestState::Leads);
            }
            None => queue.is_led = false,
        }
    }

    fn write_group(&self, shared: &Shared, group: &[&Layers]) -> Result<Committed> {
        let n_commits = group.len() as u64;
        self.counters.groups.fetch_add(1, Ordering::Relaxed);
        self.counters.grouped_commits.fetch_add(n_commits, Ordering::Relaxed);
        self.counters.group_commits_max.fetch_max(n_commits, Ordering::Relaxed);
        match &self.journal {
            Some(journal) => {
                let outcome = journal.commit(&shared.registry, group);
                if !matches!(outcome, Ok((_, Notice::Nothing))) {
                    shared.bell.ring();
                }
                outcome.map(|(committed, _)| committed)
            }
            None => {
                let version =
                    self.write_directly(&shared.registry, || self.engine.write(writes_of(group)))?;
                Ok(Committed { first: CommitSeq(version), lacks: Lacks::Nothing })
            }
        }
    }

    /// Runs a write of an engine that has no journal, and publishes the version it made.
    fn write_directly(
        &self,
        registry: &SnapshotRegistry,
        write: impl FnOnce() -> persea_kv::Result<u64>,
    ) -> Result<u64> {
        // A snapshot that is kept for nobody would make the engine copy what it could change in place.
        registry.release_engine();
        let outcome = write();
        if let Ok(version) = &outcome {
            registry.publish_version(*version);
        }
        registry.engine_released();
        Ok(outcome?)
    }

    /// Runs a write that is no commit, and returns the version of the engine that it has made.
    pub(crate) fn write_beside(
        &self,
        registry: &SnapshotRegistry,
        write: impl FnOnce() -> persea_kv::Result<u64>,
    ) -> Result<u64> {
        match &self.journal {
            Some(journal) => journal.write_beside(&self.engine, registry, write),
            None => self.write_directly(registry, write),
        }
    }

    /// Returns when a commit survives a power failure. Concurrent callers share a sync.
    pub(crate) fn sync(&self, committed: Committed) -> Result<()> {
        match (&self.journal, committed.lacks) {
            (Some(journal), Lacks::Sync(end)) => journal.sync(end),
            (None, _) | (_, Lacks::Nothing | Lacks::NewLog) => Ok(()),
        }
    }
}

impl Request {
    fn new(layers: Layers) -> Request {
        Request {
            layers,
            state: Mutex::new(RequestState::Waiting),
            is_answered: AtomicBool::new(false),
            changed: Condvar::new(),
        }
    }

    /// Waits for the outcome; `None` means that this thread has to lead.
    fn wait(&self) -> Option<Result<Committed>> {
        for _ in 0..LOOKS_BEFORE_SLEEP {
            if self.is_answered.load(Ordering::Acquire) {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = self.state.lock();
        loop {
            match std::mem::replace(&mut *state, RequestState::Waiting) {
                RequestState::Waiting => self.changed.wait(&mut state),
                RequestState::Leads => return None,
                RequestState::Done(outcome) => return Some(outcome),
            }
        }
    }

    fn set(&self, state: RequestState) {
        *self.state.lock() = state;
        self.is_answered.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    fn finish(&self, outcome: Result<Committed>) {
        self.set(RequestState::Done(outcome));
    }
}
