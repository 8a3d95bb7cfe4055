//! From text to rows: parse, plan, execute, commit.

use std::sync::Arc;
use std::time::Instant;

use persea_collections::View;
use persea_executor::{Access, ConstantFolder, Cursor, ExecuteOptions, Limits, QueryContext};
use persea_planner::{PlanOptions, Planned};
use persea_vpack::{Builder, Slice, VPackBuf};

use super::extra::{self, Facts, Timings};
use super::tracking::Started;
use super::{QueryOptions, QueryOutcome, RowSet};
use crate::catalog::{DatabaseCatalog, Functions};
use crate::database::Database;
use crate::error::{Error, Phase, Result};

/// How often a query that writes is run again after it lost against another transaction.
const ATTEMPTS_MAX: usize = 8;

/// Runs a query to its end.
///
/// A query that writes is one transaction. When it loses against another one, nothing of it was visible to anybody,
/// so it runs again on the newer state.
pub(crate) fn run(
    database: &Database,
    text: &str,
    binds: &Arc<VPackBuf>,
    options: &QueryOptions,
    started: Instant,
) -> Result<QueryOutcome> {
    let initializing = started.elapsed();
    let mut attempt = 1;
    loop {
        let clock = Clock { started, timings: Timings { initializing, ..Timings::default() } };
        match run_once(database, text, binds, options, clock) {
            Err(error) if is_lost_race(&error) && attempt < ATTEMPTS_MAX => {
                attempt += 1;
                std::thread::yield_now();
            }
            outcome => return outcome,
        }
    }
}

/// Measures the phases of a query.
struct Clock {
    started: Instant,
    timings: Timings,
}

impl Clock {
    fn measure<T>(
        &mut self,
        phase: impl FnOnce(&mut Timings) -> &mut std::time::Duration,
        work: impl FnOnce() -> T,
    ) -> T {
        let begun = Instant::now();
        let outcome = work();
        *phase(&mut self.timings) = begun.elapsed();
        outcome
    }
}

fn run_once(
    database: &Database,
    text: &str,
    binds: &Arc<VPackBuf>,
    options: &QueryOptions,
    mut clock: Clock,
) -> Result<QueryOutcome> {
    let query = clock.measure(|timings| &mut timings.parsing, || persea_aql::parse(text))?;
    let (access, view) = clock.measure(
        |timings| &mut timings.loading_collections,
        || {
            let mut access = Access::open(database, query.is_modification)?;
            let view = access.view()?;
            Result::Ok((access, view))
        },
    )?;
    let planned = plan(database, &view, &query, binds.as_slice(), options)?;
    let mut registration = database.instance().running().register(&Started {
        database: database.name(),
        text,
        binds,
        is_modification: planned.plan.is_modification,
        is_stream: options.stream,
    });
    let limits = Limits {
        memory_bytes: options.memory_bytes_max,
        max_runtime: options.runtime_max,
        kill_flag: registration.kill.clone(),
        peak_memory_bytes: registration.peak_memory_bytes.clone(),
    };
    let outcome = complete(database, &planned, access, limits, options, &mut clock);
    match &outcome {
        Ok((_, n_warnings)) => registration.ended(0, *n_warnings),
        Err(error) => registration.ended(error.number(), 0),
    }
    outcome.map(|(outcome, _)| outcome)
}

/// Runs a plan and commits what it wrote; gives also the number of warnings.
fn complete(
    database: &Database,
    planned: &Planned,
    access: Access,
    limits: Limits,
    options: &QueryOptions,
    clock: &mut Clock,
) -> Result<(QueryOutcome, usize)> {
    let mut cursor = clock.measure(
        |timings| &mut timings.instantiating_executors,
        || cursor(database, planned, access, limits, options),
    )?;
    let rows =
        clock.measure(|timings| &mut timings.executing, || rows(&mut cursor, options.memory_bytes_max))?;
    let finalizing = Instant::now();
    let outcome = cursor.finish();
    let mut warnings = planned.warnings.clone();
    warnings.extend(outcome.warnings.into_iter().map(|warning| (warning.code, warning.message)));
    warnings.truncate(options.warnings_max);
    if let Access::Write(transaction) = outcome.access {
        transaction.commit()?;
    }
    let shown_plan = (options.profile > 1).then(|| persea_planner::plan_to_vpack(&planned.plan));
    clock.timings.finalizing = finalizing.elapsed();
    clock.timings.total = clock.started.elapsed();
    let extra = extra::build(&Facts {
        warnings: &warnings,
        stats: &outcome.stats,
        planned,
        timings: clock.timings,
        profile: options.profile,
        plan: shown_plan.as_ref().map(VPackBuf::as_slice),
    })?;
    Ok((QueryOutcome { rows, extra }, warnings.len()))
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
            ..ExecuteOptions::default()
        },
    };
    Cursor::new(Arc::new(planned.plan.clone()), context).map_err(Error::Execute)
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
    let view = database.inner().view()?;
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
    let view = database.inner().view()?;
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
    persea_planner::plan(query, binds, &catalog, &Functions, &ConstantFolder, &plan_options)
        .map_err(|source| Error::Plan { phase: Phase::of(&source), source })
}

fn is_lost_race(error: &Error) -> bool {
    match error {
        Error::Collections(error) | Error::Execute(persea_executor::Error::Collections(error)) => {
            error.is_retryable()
        }
        _ => false,
    }
}

/// Opening what a query may read and write.
trait OpenAccess: Sized {
    fn open(database: &Database, writes: bool) -> Result<Self>;
    fn view(&mut self) -> Result<View>;
}

impl OpenAccess for Access {
    fn open(database: &Database, writes: bool) -> Result<Access> {
        let inner = database.inner();
        Ok(if writes { Access::Write(inner.begin()?) } else { Access::Read(inner.view()?) })
    }

    fn view(&mut self) -> Result<View> {
        Ok(match self {
            Access::Read(view) => view.clone(),
            Access::Write(transaction) => transaction.view()?,
        })
    }
}
