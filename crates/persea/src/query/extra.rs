//! What an answer tells besides its rows: warnings, statistics, profile, plan.

use std::time::Duration;

use persea_executor::QueryStats;
use persea_planner::Planned;
use persea_vpack::{Builder, Slice, VPackBuf};

use crate::error::Result;

/// How long each phase of a query took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timings {
    /// Taking over the bind values.
    pub(crate) initializing: Duration,
    pub(crate) parsing: Duration,
    /// Opening the snapshot or transaction.
    pub(crate) loading_collections: Duration,
    pub(crate) instantiating_executors: Duration,
    pub(crate) executing: Duration,
    /// Committing.
    pub(crate) finalizing: Duration,
    pub(crate) total: Duration,
}

/// What `extra` is built from.
pub(crate) struct Facts<'a> {
    pub(crate) warnings: &'a [(u32, String)],
    pub(crate) stats: &'a QueryStats,
    pub(crate) planned: &'a Planned,
    pub(crate) timings: Timings,
    /// The profile level asked for.
    pub(crate) profile: u8,
    /// The plan, when it was asked for.
    pub(crate) plan: Option<Slice<'a>>,
}

/// Builds `extra`.
pub(crate) fn build(facts: &Facts<'_>) -> Result<VPackBuf> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("warnings");
    add_warnings(&mut builder, facts.warnings);
    builder.key("stats");
    add_stats(&mut builder, facts);
    if facts.profile > 0 {
        builder.key("profile");
        add_profile(&mut builder, facts);
    }
    if let Some(plan) = facts.plan {
        builder.key("plan").add_slice(plan);
    }
    builder.close();
    Ok(builder.finish()?)
}

/// The list of warnings as objects of `code` and `message`.
pub(crate) fn add_warnings(builder: &mut Builder, warnings: &[(u32, String)]) {
    builder.open_array();
    for (code, message) in warnings {
        builder.open_object();
        builder.key("code").add_u64(u64::from(*code));
        builder.key("message").add_str(message);
        builder.close();
    }
    builder.close();
}

fn add_stats(builder: &mut Builder, facts: &Facts<'_>) {
    let stats = facts.stats;
    builder.open_object();
    let counters = [
        ("writesExecuted", stats.writes_executed),
        ("writesIgnored", stats.writes_ignored),
        ("documentLookups", stats.document_lookups),
        ("seeks", stats.seeks),
        ("scannedFull", stats.scanned_full),
        ("scannedIndex", stats.scanned_index),
        // There are no search views, no index cache and no cluster; clients read these all the same.
        ("searchParallelism", 0),
        ("cursorsCreated", stats.cursors_created),
        ("cursorsRearmed", stats.cursors_rearmed),
        ("cacheHits", 0),
        ("cacheMisses", 0),
        ("filtered", stats.filtered),
        ("httpRequests", 0),
    ];
    for (name, count) in counters {
        builder.key(name).add_u64(count);
    }
    if let Some(count) = stats.full_count {
        builder.key("fullCount").add_u64(count);
    }
    builder.key("executionTime").add_f64(facts.timings.total.as_secs_f64());
    builder.key("peakMemoryUsage").add_u64(stats.peak_memory_usage as u64);
    builder.key("intermediateCommits").add_u64(stats.intermediate_commits);
    if facts.profile > 1 {
        builder.key("nodes").open_array();
        for node in &stats.nodes {
            builder.open_object();
            builder.key("id").add_u64(u64::from(node.id));
            builder.key("calls").add_u64(node.calls);
            builder.key("items").add_u64(node.items);
            builder.key("filtered").add_u64(node.filtered);
            builder.key("runtime").add_f64(node.runtime.as_secs_f64());
            builder.close();
        }
        builder.close();
    }
    builder.close();
}

fn add_profile(builder: &mut Builder, facts: &Facts<'_>) {
    let planning = &facts.planned.stats;
    let seconds = |duration: Duration| duration.as_secs_f64();
    builder.open_object();
    builder.key("initializing").add_f64(seconds(facts.timings.initializing));
    builder.key("parsing").add_f64(seconds(facts.timings.parsing));
    // Expressions are simplified while the plan is built; there is no phase of its own for it.
    builder.key("optimizing ast").add_f64(0.0);
    builder.key("loading collections").add_f64(seconds(facts.timings.loading_collections));
    builder.key("instantiating plan").add_f64(seconds(planning.build_time));
    builder.key("optimizing plan").add_f64(seconds(planning.optimize_time));
    builder.key("instantiating executors").add_f64(seconds(facts.timings.instantiating_executors));
    builder.key("executing").add_f64(seconds(facts.timings.executing));
    builder.key("finalizing").add_f64(seconds(facts.timings.finalizing));
    builder.close();
}
