//! From text to rows: parse, plan, execute, commit.

use std::sync::Arc;
use std::time::Instant;

use persea_collections::View;
use persea_executor::{Access, ConstantFolder, Cursor, ExecuteOptions, Limits, Outcome, QueryContext};
use persea_planner::{PlanOptions, Planned};
use persea_vpack::{Builder, Slice, VPackBuf};

use super::extra::{self, Facts, Timings};
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
    binds: Slice<'_>,
    options: &QueryOptions,
) -> Result<QueryOutcome> {
    let mut attempt = 1;
    loop {
        match run_once(database, text, binds, options) {
            Err(error) if is_lost_race(&error) && attempt < ATTEMPTS_MAX => {
                attempt += 1;
                std::thread::yield_now();
            }
            outcome => return outcome,
        }
    }
}

fn run_once(
    database: &Database,
    text: &str,
    binds: Slice<'_>,
    options: &QueryOptions,
) -> Result<QueryOutcome> {
    let started = Instant::now();
    let query = persea_aql::parse(text)?;
    let parsing = started.elapsed();
    let mut access = Access::open(database, query.is_modification)?;
    let view = access.view()?;
    let planned = plan(database, &view, &query, binds, options)?;
    let registration =
        database.instance().running().register(database.name(), text, planned.plan.is_modification);
    let limits = Limits {
        memory_bytes: options.memory_bytes_max,
        max_runtime: options.runtime_max,
        kill_flag: registration.kill.clone(),
    };
    let executing = Instant::now();
    let (rows, outcome) = execute(database, &planned, access, limits, options)?;
    let mut warnings = planned.warnings.clone();
    warnings.extend(outcome.warnings.into_iter().map(|warning| (warning.code, warning.message)));
    warnings.truncate(options.warnings_max);
    if let Access::Write(transaction) = outcome.access {
        transaction.commit()?;
    }
    let timings = Timings { parsing, executing: executing.elapsed(), total: started.elapsed() };
    let shown_plan = (options.profile > 1).then(|| persea_planner::plan_to_vpack(&planned.plan));
    let extra = extra::build(&Facts {
        warnings: &warnings,
        stats: &outcome.stats,
        planned: &planned,
        timings,
        profile: options.profile,
        plan: shown_plan.as_ref().map(VPackBuf::as_slice),
    })?;
    Ok(QueryOutcome { rows, extra })
}

fn execute(
    database: &Database,
    planned: &Planned,
    access: Access,
    limits: Limits,
    options: &QueryOptions,
) -> Result<(RowSet, Outcome)> {
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
    let mut rows = RowSet::default();
    let mut builder = Builder::new();
    let memory_bytes_max = options.memory_bytes_max;
    let mut cursor = Cursor::new(Arc::new(planned.plan.clone()), context).map_err(Error::Execute)?;
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
    Ok((rows, cursor.finish()))
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
