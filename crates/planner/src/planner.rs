//! From a parsed query to the plan that is executed.

use std::time::{Duration, Instant};

use persea_aql::Query;
use persea_vpack::Slice;

use crate::build::{self, Environment};
use crate::catalog::{Catalog, ConstantEvaluator, FunctionCatalog};
use crate::error::Error;
use crate::options::PlanOptions;
use crate::plan::{NodeKind, Plan};
use crate::rules::{self, Context, RuleSwitches};
use crate::warnings::Warnings;
use crate::{estimate, flow};

/// The result of planning.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan to execute: the cheapest.
    pub plan: Plan,
    /// The other plans considered, cheapest first; only with [`PlanOptions::all_plans`].
    pub alternatives: Vec<Plan>,
    /// Warnings: number and message.
    pub warnings: Vec<(u32, String)>,
    /// What the optimizer did.
    pub stats: PlanStats,
}

/// Figures about the optimizer's work.
#[derive(Clone, Debug, Default)]
pub struct PlanStats {
    /// Rules run.
    pub rules_executed: u64,
    /// Rules switched off.
    pub rules_skipped: u64,
    /// Plans considered.
    pub plans_created: u64,
    /// Time for building the plan from the syntax tree.
    pub build_time: Duration,
    /// Time for optimizing it.
    pub optimize_time: Duration,
    /// Time of each rule, in the order of the registry.
    pub rule_times: Vec<(&'static str, Duration)>,
}

/// Plans a query: resolves names, checks it, and optimizes.
///
/// # Errors
/// The query refers to what does not exist or breaks a rule the grammar can't express; see [`Error`].
pub fn plan(
    query: &Query,
    binds: Slice<'_>,
    catalog: &dyn Catalog,
    functions: &dyn FunctionCatalog,
    evaluator: &dyn ConstantEvaluator,
    options: &PlanOptions,
) -> Result<Planned, Error> {
    let started = Instant::now();
    let mut warnings = Warnings::new(options);
    for warning in &query.warnings {
        warnings.add(warning.code, warning.message.clone())?;
    }
    let environment = Environment { catalog, functions, evaluator, options };
    let mut plan = build::build(query, binds, environment, &mut warnings)?;
    if options.full_count {
        set_full_count(&mut plan);
    }
    estimate::estimate(&mut plan);
    let build_time = started.elapsed();

    let switches = RuleSwitches::new(&options.rules);
    let mut context = Context { functions, evaluator, warnings: &mut warnings, options };
    let mut stats = PlanStats { build_time, ..PlanStats::default() };
    let mut plans = rules::optimize(plan, &switches, &mut context, &mut stats)?;
    stats.optimize_time = started.elapsed().saturating_sub(build_time);

    let any_warning = warnings.any;
    for plan in &mut plans {
        plan.cacheable &= !any_warning;
        flow::annotate(plan, functions);
        estimate::estimate(plan);
    }
    // Equal costs keep the order of creation, so that the plan as written wins.
    plans.sort_by(|one, two| one.estimated_cost().total_cmp(&two.estimated_cost()));
    stats.plans_created = plans.len() as u64;
    let mut plans = plans.into_iter();
    let Some(best) = plans.next() else { return Err(Error::TooMuchNesting) };
    let alternatives = if options.all_plans { plans.collect() } else { Vec::new() };
    Ok(Planned { plan: best, alternatives, warnings: warnings.into_list(), stats })
}

/// The last LIMIT of the main query counts what it leaves out.
fn set_full_count(plan: &mut Plan) {
    let last = plan.root.nodes.iter_mut().rev().find_map(|node| match &mut node.kind {
        NodeKind::Limit(limit) => Some(limit),
        _ => None,
    });
    if let Some(limit) = last {
        limit.full_count = true;
    }
}
