//! Counters of a query's work, as the `stats` attribute of a cursor reports them.

use std::cell::{Cell, RefCell};
use std::time::Duration;

/// What a query has done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryStats {
    /// Documents written.
    pub writes_executed: u64,
    /// Writes that failed and were ignored because the query said so.
    pub writes_ignored: u64,
    /// Documents read one by one through an index or by key.
    pub document_lookups: u64,
    /// Searches for a position in an index.
    pub seeks: u64,
    /// Documents seen by full scans.
    pub scanned_full: u64,
    /// Index entries seen.
    pub scanned_index: u64,
    /// Index cursors opened.
    pub cursors_created: u64,
    /// Index cursors moved to another place instead of opening a new one.
    pub cursors_rearmed: u64,
    /// Rows dropped by filters.
    pub filtered: u64,
    /// Commits before the end of the query.
    pub intermediate_commits: u64,
    /// The number of rows there would have been without the last LIMIT, when asked for.
    pub full_count: Option<u64>,
    /// Wall clock time from the start of the execution.
    pub execution_time: Duration,
    /// The most memory held at one time, in bytes, a multiple of 32768.
    pub peak_memory_usage: usize,
    /// Figures for each node, when the query is profiled.
    pub nodes: Vec<NodeProfile>,
}

/// Work of one node of the plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeProfile {
    /// Number of the node in the plan.
    pub id: u32,
    /// How often it was asked for rows.
    pub calls: u64,
    /// Rows it produced.
    pub items: u64,
    /// Rows it dropped by a filter of its own.
    pub filtered: u64,
    /// Time spent in it, not counting the nodes before it.
    pub runtime: Duration,
}

/// Counters that operators share while a query runs.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) writes_executed: Count,
    pub(crate) writes_ignored: Count,
    pub(crate) document_lookups: Count,
    pub(crate) seeks: Count,
    pub(crate) scanned_full: Count,
    pub(crate) scanned_index: Count,
    pub(crate) cursors_created: Count,
    pub(crate) cursors_rearmed: Count,
    pub(crate) filtered: Count,
    pub(crate) intermediate_commits: Count,
    pub(crate) full_count: Cell<Option<u64>>,
    pub(crate) nodes: RefCell<Vec<NodeFigures>>,
}

/// Figures of a node, those of the nodes before it in the same pipeline included.
#[derive(Debug)]
pub(crate) struct NodeFigures {
    pub(crate) profile: NodeProfile,
    /// Position of the node before it.
    pub(crate) upstream: Option<usize>,
}

/// One counter.
#[derive(Debug, Default)]
pub(crate) struct Count(Cell<u64>);

impl Count {
    /// Adds to it, once a batch rather than once a row.
    pub(crate) fn add(&self, count: usize) {
        self.0.set(self.0.get() + count as u64);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.get()
    }
}

impl Counters {
    /// The figures of each node without those of the nodes before it.
    fn own_figures(&self) -> Vec<NodeProfile> {
        let nodes = self.nodes.borrow();
        let mut own: Vec<NodeProfile> = nodes
            .iter()
            .map(|node| {
                let mut profile = node.profile.clone();
                if let Some(upstream) = node.upstream.and_then(|position| nodes.get(position)) {
                    profile.runtime = profile.runtime.saturating_sub(upstream.profile.runtime);
                    profile.filtered = profile.filtered.saturating_sub(upstream.profile.filtered);
                }
                profile
            })
            .collect();
        own.sort_by_key(|profile| profile.id);
        own
    }

    pub(crate) fn to_stats(&self) -> QueryStats {
        QueryStats {
            writes_executed: self.writes_executed.get(),
            writes_ignored: self.writes_ignored.get(),
            document_lookups: self.document_lookups.get(),
            seeks: self.seeks.get(),
            scanned_full: self.scanned_full.get(),
            scanned_index: self.scanned_index.get(),
            cursors_created: self.cursors_created.get(),
            cursors_rearmed: self.cursors_rearmed.get(),
            filtered: self.filtered.get(),
            intermediate_commits: self.intermediate_commits.get(),
            full_count: self.full_count.get(),
            execution_time: Duration::ZERO,
            peak_memory_usage: 0,
            nodes: self.own_figures(),
        }
    }
}
