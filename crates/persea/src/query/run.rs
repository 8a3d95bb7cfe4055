//! From text to rows: parse, plan, execute, commit.

use std::sync::Arc;
use std::time::Instant;

use persea_collections::View;
use persea_executor::{
    Access, BuiltInFunctions, ConstantFolder, Cursor, DatabaseCatalog, ExecuteOptions, IntermediateCommits,
    Limits, QueryContext, QueryStats,
};
use persea_planner::{PlanOptions, Planned};
use persea_vpack::{Builder, Slice, VPackBuf};

use super::access::{Opened, check_declared, ended_wait, open};
use super::extra::{self, Facts, Timings};
use super::tracking::Started;
use super::{QueryOptions, QueryOutcome, RowSet};
use crate::database::Database;
use crate::error::{Error, Phase, Result};
use crate::transaction::Bound;

/// How often a query that writes is run again after it lost against another transaction.
const ATTEMPTS_MAX: usize = 8;

/// Runs a query to its end.
///
/// A query that writes is one transaction. When it loses against another one, nothing of it was visible to anybody,
/// so it runs again on the newer state; not so when it has committed something in between. Inside of a transaction that
/// was begun before, it runs once, as a part of it.
pub(crate) fn run(
    database: &Database,
    text: &str,
    binds: &Arc<VPackBuf>,
    options: &QueryOptions,
    started: Instant,
) -> Result<QueryOutcome> {
    let initializing = started.elapsed();
    let attempts_max = if database.bound().is_some() { 1 } else { ATTEMPTS_MAX };
    let mut attempt = 1;
    loop {
        let timings = Timings { initializing, ..Timings::default() };
        let mut progress = Progress { started, timings, has_committed: false };
        match run_once(database, text, binds, options, &mut progress) {
            Err(error) if attempt < attempts_max && !progress.has_committed && is_lost_race(&error) => {
                attempt += 1;
                std::thread::yield_now();
            }
            outcome => return outcome,
        }
    }
}

/// How far an attempt to run a query has come.
struct Progress {
    started: Instant,
    /// How long its phases took.
    timings: Timings,
    /// Whether it has committed something before its end.
    has_committed: bool,
}

impl Progress {
    fn measure<T>(
        &mut self,
        phase: impl FnOnce(&mut Timings) -> &mut std::time::Duration,
        work: impl FnOnce() -> T,
    ) -> T {
        let begun = Instant::now();
        let outcome = work();
        *phase(&mut self.timings) += begun.elapsed();
        outcome
    }
}

fn run_once(
    database: &Database,
    text: &str,
    binds: &Arc<VPackBuf>,
    options: &QueryOptions,
    progress: &mut Progress,
) -> Result<QueryOutcome> {
    let query = progress.measure(|timings| &mut timings.parsing, || persea_aql::parse(text))?;
    if query.is_modification {
        database.refuse_writing()?;
    }
    let view = progress.measure(|timings| &mut timings.loading_collections, || database.view())?;
    let planned = plan(database, &view, &query, binds.as_slice(), options)?;
    check_declared(database, &planned)?;
    let mut registration = database.instance().running().register(&Started {
        database: database.name(),
        text,
        binds,
        is_modification: planned.plan.is_modification,
        is_stream: options.stream,
        interrupt: database.interrupt(),
    });
    let limits = Limits {
        memory_bytes: options.memory_bytes_max,
        max_runtime: options.runtime_max,
        kill_flag: registration.kill.flag().clone(),
        peak_memory_bytes: registration.peak_memory_bytes.clone(),
    };
    let _interruptible = database.bound().map(|bound| bound.interruptible(&registration.kill));
    let kill = registration.kill.clone();
    let opened = progress.measure(
        |timings| &mut timings.loading_collections,
        || open(database, query.is_modification, &planned, view, options, &kill),
    );
    let outcome = opened
        .and_then(|opened| complete(database, &planned, opened, limits, options, progress))
        .map_err(|error| ended_wait(error, options, progress.started.elapsed()));
    match &outcome {
        Ok((_, n_warnings)) => registration.ended(0, *n_warnings),
        Err(error) => registration.ended(error.number(), 0),
    }
    outcome.map(|(outcome, _)| outcome)
}

/// Runs a plan and, unless the transaction goes on, commits what it wrote; gives also the number of warnings.
fn complete(
    database: &Database,
    planned: &Planned,
    opened: Opened<'_>,
    limits: Limits,
    options: &QueryOptions,
    progress: &mut Progress,
) -> Result<(QueryOutcome, usize)> {
    let finished = match opened {
        Opened::Own(access) => {
            let (access, finished) = execute(database, planned, access, limits, options, progress);
            let finished = finished?;
            if let Some(Access::Write(transaction)) = access {
                progress.measure(|timings| &mut timings.finalizing, || transaction.commit())?;
            }
            finished
        }
        Opened::Lent(bound, locks, kill) => bound.lend_to_query(&locks, &kill, |transaction| {
            let access = Access::Write(transaction);
            let (access, finished) = execute(database, planned, access, limits, options, progress);
            match access {
                Some(Access::Write(transaction)) => (Some(transaction), finished),
                _ => (None, finished),
            }
        })?,
    };
    let mut warnings = planned.warnings.clone();
    warnings.extend(finished.warnings);
    warnings.truncate(options.warnings_max);
    let shown_plan = (options.profile > 1).then(|| persea_planner::plan_to_vpack(&planned.plan));
    progress.timings.total = progress.started.elapsed();
    let extra = extra::build(&Facts {
        warnings: &warnings,
        stats: &finished.stats,
        planned,
        timings: progress.timings,
        profile: options.profile,
        plan: shown_plan.as_ref().map(VPackBuf::as_slice),
    })?;
    Ok((QueryOutcome { rows: finished.rows, extra }, warnings.len()))
}

/// What a plan that ran to its end leaves.
struct Finished {
    rows: RowSet,
    stats: QueryStats,
    warnings: Vec<(u32, String)>,
}

/// Runs a plan. What it was given to work on comes back, without the writes of a failed query; it is lost only when
/// the query could not even begin.
fn execute(
    database: &Database,
    planned: &Planned,
    access: Access,
    limits: Limits,
    options: &QueryOptions,
    progress: &mut Progress,
) -> (Option<Access>, Result<Finished>) {
    let cursor = progress.measure(
        |timings| &mut timings.instantiating_executors,
        || cursor(database, planned, access, limits, options),
    );
    let mut cursor = match cursor {
        Ok(cursor) => cursor,
        Err(error) => return (None, Err(error)),
    };
    let rows =
        progress.measure(|timings| &mut timings.executing, || rows(&mut cursor, options.memory_bytes_max));
    let ended = cursor.finish();
    progress.has_committed = ended.stats.intermediate_commits > 0;
    let warnings = ended.warnings.into_iter().map(|warning| (warning.code, warning.message)).collect();
    let finished = rows.map(|rows| Finished { rows, stats: ended.stats, warnings });
    (Some(ended.access), finished)
}

fn cursor(
    database: &Database,
    planned: &Planned,
    access: Access,
    limits: Limits,
    options: &QueryOptions,
) -> Result<Cursor> {
    let context = QueryContext {
        database: database.inner().clone(),
        access,
        limits,
        options: ExecuteOptions {
            // Warnings of the planning count too.
            max_warning_count: options.warnings_max.saturating_sub(planned.warnings.len()),
            fail_on_warning: options.fail_on_warning,
            profile: options.profile > 1,
            user: Some("root".to_owned()),
            intermediate_commits: intermediate_commits(database, options),
            readable_collections: database.bound().and_then(Bound::readable),
            ..ExecuteOptions::default()
        },
    };
    Cursor::new(Arc::new(planned.plan.clone()), context).map_err(Error::Execute)
}

/// When to commit before the end: never inside of a transaction, whose end decides about everything in it.
fn intermediate_commits(database: &Database, options: &QueryOptions) -> Option<IntermediateCommits> {
    let (writes, bytes) = (options.intermediate_commit_count, options.intermediate_commit_bytes);
    if database.bound().is_some() || (writes, bytes) == (None, None) {
        return None;
    }
    Some(IntermediateCommits { writes: writes.unwrap_or(u64::MAX), bytes: bytes.unwrap_or(u64::MAX) })
}

fn rows(cursor: &mut Cursor, memory_bytes_max: usize) -> Result<RowSet> {
    let mut rows = RowSet::default();
    let mut builder = Builder::new();
    cursor
        .run(&mut |value| {
            builder.clear();
            value.write_to(&mut builder);
            rows.push(builder.as_slice()?.bytes());
            if memory_bytes_max > 0 && rows.size_bytes() > memory_bytes_max {
                return Err(persea_executor::Error::MemoryLimit);
            }
            Ok(())
        })
        .map_err(Error::Execute)?;
    Ok(rows)
}

/// Tells how a query would run, as text for a person.
pub(crate) fn explain_text(
    database: &Database,
    text: &str,
    binds: Slice<'_>,
    options: &QueryOptions,
) -> Result<String> {
    let query = persea_aql::parse(text)?;
    let view = database.view()?;
    let planned = plan(database, &view, &query, binds, options)?;
    Ok(persea_planner::explain_text(text, &planned, &persea_planner::TextOptions::default()))
}

/// Tells how a query would run.
pub(crate) fn explain(
    database: &Database,
    text: &str,
    binds: Slice<'_>,
    options: &QueryOptions,
) -> Result<VPackBuf> {
    let query = persea_aql::parse(text)?;
    let view = database.view()?;
    let planned = plan(database, &view, &query, binds, options)?;
    Ok(persea_planner::explain(&planned, options.all_plans, options.profile > 1))
}

fn plan(
    database: &Database,
    view: &View,
    query: &persea_aql::Query,
    binds: Slice<'_>,
    options: &QueryOptions,
) -> Result<Planned> {
    let plan_options = PlanOptions {
        rules: options.rules.clone(),
        full_count: options.full_count,
        all_plans: options.all_plans,
        max_warnings: options.warnings_max,
        fail_on_warning: options.fail_on_warning,
        ..PlanOptions::default()
    };
    let catalog = DatabaseCatalog::new(database.inner(), view);
    persea_planner::plan(query, binds, &catalog, &BuiltInFunctions, &ConstantFolder, &plan_options)
        .map_err(|source| Error::Plan { phase: Phase::of(&source), source })
}

fn is_lost_race(error: &Error) -> bool {
    match error {
        Error::Collections(error) | Error::Execute(persea_executor::Error::Collections(error)) => {
            // An index that was dropped since the plan was made: another plan does without it.
            error.is_retryable() || matches!(error, persea_collections::Error::IndexNotFound)
        }
        Error::Execute(persea_executor::Error::IndexNotFound(_)) => true,
        _ => false,
    }
}
