//! The queries that run now, and the slow ones that ended lately, of all databases.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use jiff::Timestamp;
use parking_lot::Mutex;
use persea_collections::Interrupt;
use persea_vpack::{Builder, Slice, VPackBuf};

use super::properties::TrackingProperties;
use super::record::{End, Record, shortened};
use crate::error::{Error, Result};

/// Bind values of a slow query are remembered up to this size in bytes.
const REMEMBERED_BINDS_BYTES_MAX: usize = 64 << 10;

/// What is kept for one database.
#[derive(Default)]
struct Tracked {
    properties: TrackingProperties,
    running: BTreeMap<u64, Record>,
    /// The oldest first.
    slow: VecDeque<(u64, Record, End)>,
}

/// The queries of all databases.
#[derive(Default)]
pub(crate) struct RunningQueries {
    databases: Mutex<HashMap<String, Tracked>>,
    next_id: AtomicU64,
}

/// A query that starts, as it is to be kept.
pub(crate) struct Started<'a> {
    pub(crate) database: &'a str,
    pub(crate) text: &'a str,
    pub(crate) binds: &'a Arc<VPackBuf>,
    pub(crate) is_modification: bool,
    pub(crate) is_stream: bool,
    /// Ends its waits for locks, besides a kill.
    pub(crate) interrupt: Option<&'a Interrupt>,
}

/// A query's place among the running ones; it leaves them when this is dropped.
pub(crate) struct Registration {
    queries: Arc<RunningQueries>,
    id: u64,
    database: String,
    started: Instant,
    exit_code: u16,
    n_warnings: usize,
    /// Set to end the query, also while it waits for a lock.
    pub(crate) kill: Interrupt,
    /// For the executor to tell the most bytes that the query held.
    pub(crate) peak_memory_bytes: Arc<AtomicUsize>,
}

impl RunningQueries {
    /// Takes note of a query that starts.
    pub(crate) fn register(self: &Arc<Self>, query: &Started<'_>) -> Registration {
        let registration = Registration {
            queries: self.clone(),
            id: self.next_id.fetch_add(1, Ordering::Relaxed) + 1,
            database: query.database.to_owned(),
            started: Instant::now(),
            exit_code: 0,
            n_warnings: 0,
            kill: Interrupt::below(query.interrupt),
            peak_memory_bytes: Arc::default(),
        };
        let mut databases = self.databases.lock();
        let tracked = databases.entry(query.database.to_owned()).or_default();
        if tracked.properties.enabled {
            let record = Record {
                text: shortened(query.text, tracked.properties.max_query_string_length),
                binds: tracked.properties.track_bind_vars.then(|| query.binds.clone()),
                started: registration.started,
                started_at: Timestamp::now(),
                is_modification: query.is_modification,
                is_stream: query.is_stream,
                kill: registration.kill.clone(),
                peak_memory_bytes: registration.peak_memory_bytes.clone(),
            };
            tracked.running.insert(registration.id, record);
        }
        registration
    }

    /// The running queries of one database, or of all.
    pub(crate) fn list(&self, database: Option<&str>) -> Result<VPackBuf> {
        let databases = self.databases.lock();
        let mut builder = Builder::new();
        builder.open_array();
        for (name, tracked) in chosen(&databases, database) {
            for (id, record) in &tracked.running {
                record.add_to(&mut builder, *id, name, None);
            }
        }
        builder.close();
        Ok(builder.finish()?)
    }

    /// The slow queries of one database, or of all; the oldest first.
    pub(crate) fn list_slow(&self, database: Option<&str>) -> Result<VPackBuf> {
        let databases = self.databases.lock();
        let mut builder = Builder::new();
        builder.open_array();
        for (name, tracked) in chosen(&databases, database) {
            for (id, record, end) in &tracked.slow {
                record.add_to(&mut builder, *id, name, Some(*end));
            }
        }
        builder.close();
        Ok(builder.finish()?)
    }

    /// Forgets the slow queries of one database, or of all.
    pub(crate) fn clear_slow(&self, database: Option<&str>) {
        let mut databases = self.databases.lock();
        for (name, tracked) in databases.iter_mut() {
            if database.is_none_or(|wanted| wanted == name) {
                tracked.slow.clear();
            }
        }
    }

    /// Ends a running query of one database, or of any.
    pub(crate) fn kill(&self, database: Option<&str>, id: &str) -> Result<()> {
        let databases = self.databases.lock();
        let number: Option<u64> = id.parse().ok();
        let record = number
            .and_then(|id| chosen(&databases, database).find_map(|(_, tracked)| tracked.running.get(&id)));
        let record = record.ok_or_else(|| Error::with_number(1591, "query ID not found"))?;
        record.kill.set();
        Ok(())
    }

    /// What a database keeps about its queries.
    pub(crate) fn properties(&self, database: &str) -> Result<VPackBuf> {
        match self.databases.lock().get(database) {
            Some(tracked) => tracked.properties.to_vpack(),
            None => TrackingProperties::default().to_vpack(),
        }
    }

    /// Changes what a database keeps about its queries, and gives all of its properties.
    pub(crate) fn set_properties(&self, database: &str, changes: Slice<'_>) -> Result<VPackBuf> {
        let mut databases = self.databases.lock();
        let tracked = databases.entry(database.to_owned()).or_default();
        tracked.properties = tracked.properties.changed(changes)?;
        tracked.keep_newest_slow();
        tracked.properties.to_vpack()
    }

    /// Forgets a dropped database; queries that still run there go on unseen.
    pub(crate) fn forget(&self, database: &str) {
        self.databases.lock().remove(database);
    }
}

impl Tracked {
    fn remember_if_slow(&mut self, id: u64, mut record: Record, end: End) {
        let properties = &self.properties;
        let threshold = if record.is_stream {
            properties.slow_streaming_query_threshold
        } else {
            properties.slow_query_threshold
        };
        if !properties.track_slow_queries || end.run_time.as_secs_f64() < threshold {
            return;
        }
        if record.binds.as_ref().is_some_and(|binds| binds.bytes().len() > REMEMBERED_BINDS_BYTES_MAX) {
            record.binds = None;
        }
        self.slow.push_back((id, record, end));
        self.keep_newest_slow();
    }

    fn keep_newest_slow(&mut self) {
        let surplus = self.slow.len().saturating_sub(self.properties.max_slow_queries);
        self.slow.drain(..surplus);
    }
}

fn chosen<'a>(
    databases: &'a HashMap<String, Tracked>,
    wanted: Option<&'a str>,
) -> impl Iterator<Item = (&'a str, &'a Tracked)> {
    databases
        .iter()
        .map(|(name, tracked)| (name.as_str(), tracked))
        .filter(move |(name, _)| wanted.is_none_or(|wanted| wanted == *name))
}

impl Registration {
    /// Takes note of how the query ended.
    pub(crate) fn ended(&mut self, exit_code: u16, n_warnings: usize) {
        self.exit_code = exit_code;
        self.n_warnings = n_warnings;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut databases = self.queries.databases.lock();
        let Some(tracked) = databases.get_mut(&self.database) else { return };
        let Some(record) = tracked.running.remove(&self.id) else { return };
        let end =
            End { run_time: self.started.elapsed(), exit_code: self.exit_code, n_warnings: self.n_warnings };
        tracked.remember_if_slow(self.id, record, end);
    }
}
