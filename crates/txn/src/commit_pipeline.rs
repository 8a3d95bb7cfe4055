//! Group commit: concurrent committers are merged by a leader into one engine batch, and share syncs.
//!
//! The first committer to arrive leads. It writes its own write set, and whatever queued up meanwhile is written by the
//! next leader, which is the first of those that wait; so no committer works for others longer than one group.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};
use persea_kv::{Engine, Store, Tree, Write};

use crate::snapshots::SnapshotRegistry;
use crate::write_set::Layers;
use crate::{Error, Result};

/// Most committers merged into one engine batch.
const GROUP_COMMITS_MAX: usize = 1024;
/// A group is closed once it holds this many bytes.
const GROUP_BYTES_MAX: usize = 64 << 20;

/// A write set that waits for a leader.
#[derive(Debug)]
struct Request {
    layers: Layers,
    state: Mutex<RequestState>,
    changed: Condvar,
}

#[derive(Debug)]
enum RequestState {
    Waiting,
    /// The previous leader has passed the lead on to this request's thread.
    Leads,
    Done(persea_kv::Result<u64>),
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Arc<Request>>,
    is_led: bool,
}

#[derive(Debug, Default)]
struct SyncState {
    synced: u64,
    is_running: bool,
    /// Message of the first sync that failed. Kernels forget about pages they could not write, so a later sync that
    /// succeeds proves nothing about them.
    failure: Option<Box<str>>,
}

/// Counters of the pipeline since the manager was opened.
#[derive(Debug, Default)]
pub(crate) struct PipelineCounters {
    pub(crate) groups: AtomicU64,
    pub(crate) grouped_commits: AtomicU64,
    pub(crate) group_commits_max: AtomicU64,
    pub(crate) syncs: AtomicU64,
    pub(crate) sync_failures: AtomicU64,
}

/// Brings write sets to the engine.
#[derive(Debug)]
pub(crate) struct CommitPipeline {
    engine: Engine,
    queue: Mutex<Queue>,
    sync: Mutex<SyncState>,
    sync_ended: Condvar,
    pub(crate) counters: PipelineCounters,
}

impl CommitPipeline {
    pub(crate) fn new(engine: Engine) -> CommitPipeline {
        CommitPipeline {
            engine,
            queue: Mutex::default(),
            sync: Mutex::default(),
            sync_ended: Condvar::new(),
            counters: PipelineCounters::default(),
        }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// True while commits are being written or wait for it.
    pub(crate) fn is_busy(&self) -> bool {
        self.queue.lock().is_led
    }

    /// Writes a write set atomically; returns the version that contains it.
    pub(crate) fn commit(&self, registry: &SnapshotRegistry, layers: Layers) -> Result<u64> {
        let mut queue = self.queue.lock();
        if !queue.is_led {
            queue.is_led = true;
            drop(queue);
            let outcome = self.write_group(registry, &[&layers]);
            self.pass_the_lead();
            return Ok(outcome?);
        }
        let request =
            Arc::new(Request { layers, state: Mutex::new(RequestState::Waiting), changed: Condvar::new() });
        queue.waiting.push_back(request.clone());
        drop(queue);
        match request.wait() {
            Some(outcome) => Ok(outcome?),
            None => self.lead(registry, &request),
        }
    }

    /// Writes the leader's request together with all that wait.
    fn lead(&self, registry: &SnapshotRegistry, own: &Arc<Request>) -> Result<u64> {
        let followers = self.take_group(own.data_bytes());
        let group: Vec<&Layers> =
            std::iter::once(own).chain(&followers).map(|request| &request.layers).collect();
        let outcome = match self.write_group(registry, &group) {
            Ok(version) => {
                followers.iter().for_each(|request| request.finish(Ok(version)));
                Ok(version)
            }
            Err(error) if followers.is_empty() => Err(error),
            // One write set may have failed the group (the storage is full, say): the others deserve their own try.
            Err(_) => {
                for request in &followers {
                    request.finish(self.write_group(registry, &[&request.layers]));
                }
                self.write_group(registry, &[&own.layers])
            }
        };
        self.pass_the_lead();
        Ok(outcome?)
    }

    fn take_group(&self, own_bytes: usize) -> Vec<Arc<Request>> {
        let mut queue = self.queue.lock();
        let mut group_bytes = own_bytes;
        let mut n_taken = 0;
        for request in queue.waiting.iter().take(GROUP_COMMITS_MAX - 1) {
            group_bytes += request.data_bytes();
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

    fn write_group(&self, registry: &SnapshotRegistry, group: &[&Layers]) -> persea_kv::Result<u64> {
        let n_commits = group.len() as u64;
        self.counters.groups.fetch_add(1, Ordering::Relaxed);
        self.counters.grouped_commits.fetch_add(n_commits, Ordering::Relaxed);
        self.counters.group_commits_max.fetch_max(n_commits, Ordering::Relaxed);
        self.write(registry, || self.engine.write(writes_of(group)))
    }

    /// Runs an engine write and publishes the version it made.
    pub(crate) fn write(
        &self,
        registry: &SnapshotRegistry,
        write: impl FnOnce() -> persea_kv::Result<u64>,
    ) -> persea_kv::Result<u64> {
        registry.write_begins();
        let outcome = write();
        registry.write_ended(outcome.as_ref().ok().copied());
        outcome
    }

    /// Returns when everything up to `version` survives a power failure. Concurrent callers share a sync.
    pub(crate) fn sync_up_to(&self, registry: &SnapshotRegistry, version: u64) -> Result<()> {
        let mut state = self.sync.lock();
        loop {
            if state.synced >= version {
                return Ok(());
            }
            if let Some(failure) = &state.failure {
                return Err(Error::SyncFailed(failure.clone()));
            }
            if !state.is_running {
                break;
            }
            self.sync_ended.wait(&mut state);
        }
        state.is_running = true;
        drop(state);
        let reached = registry.latest();
        let outcome = self.engine.sync();
        let mut state = self.sync.lock();
        state.is_running = false;
        self.counters.syncs.fetch_add(1, Ordering::Relaxed);
        match &outcome {
            Ok(()) => state.synced = state.synced.max(reached),
            Err(error) => {
                self.counters.sync_failures.fetch_add(1, Ordering::Relaxed);
                state.failure = Some(error.to_string().into());
            }
        }
        drop(state);
        self.sync_ended.notify_all();
        Ok(outcome?)
    }
}

/// The writes of a group, tree by tree; within a tree in the order of the commits.
fn writes_of<'g>(group: &'g [&'g Layers]) -> impl Iterator<Item = Write<'g>> + Clone {
    Tree::ALL.into_iter().flat_map(move |tree| {
        group.iter().flat_map(move |layers| layers.iter().flat_map(move |layer| layer.writes(tree)))
    })
}

impl Request {
    fn data_bytes(&self) -> usize {
        self.layers.iter().map(|layer| layer.data_bytes()).sum()
    }

    /// Waits for the outcome; `None` means that this thread has to lead.
    fn wait(&self) -> Option<persea_kv::Result<u64>> {
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
        self.changed.notify_one();
    }

    fn finish(&self, outcome: persea_kv::Result<u64>) {
        self.set(RequestState::Done(outcome));
    }
}
