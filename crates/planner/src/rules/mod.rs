//! The optimizer: an ordered list of rules, each rewriting the whole plan.
//!
//! Names and meaning are ArangoDB's where the rule is the same. [`REGISTRY`] is the one place that decides which rules
//! exist and when they run.

mod support;

use std::time::Instant;

use crate::catalog::{ConstantEvaluator, FunctionCatalog};
use crate::error::Error;
use crate::options::PlanOptions;
use crate::plan::Plan;
use crate::planner::PlanStats;
use crate::warnings::Warnings;

/// What rules work with, beside the plan.
pub(crate) struct Context<'a> {
    pub(crate) functions: &'a dyn FunctionCatalog,
    pub(crate) evaluator: &'a dyn ConstantEvaluator,
    pub(crate) warnings: &'a mut Warnings,
    pub(crate) options: &'a PlanOptions,
}

/// An optimizer rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Name, as used in options and shown in plans.
    pub name: &'static str,
    /// What it does, for users.
    pub description: &'static str,
    /// Properties of the rule.
    pub flags: RuleFlags,
    apply: Apply,
}

/// Properties of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleFlags {
    /// Not shown among the applied rules.
    pub hidden: bool,
    /// May be switched off.
    pub can_be_disabled: bool,
    /// May create additional plans.
    pub can_create_additional_plans: bool,
    /// Off unless switched on.
    pub disabled_by_default: bool,
}

#[derive(Clone, Copy)]
enum Apply {
    /// Changes the plan; tells whether it did.
    Rewrite(fn(&mut Plan, &mut Context<'_>) -> Result<bool, Error>),
    /// Gives additional plans.
    Fork(fn(&Plan, usize) -> Vec<Plan>),
}

const NORMAL: RuleFlags = RuleFlags {
    hidden: false,
    can_be_disabled: true,
    can_create_additional_plans: false,
    disabled_by_default: false,
};
const FORCED: RuleFlags = RuleFlags { can_be_disabled: false, ..NORMAL };

/// All rules in the order in which they run.
pub static REGISTRY: &[Rule] = &[];

/// Which rules run.
#[derive(Clone, Debug)]
pub(crate) struct RuleSwitches {
    enabled: Vec<bool>,
}

impl RuleSwitches {
    /// Applies switches (`-name`, `+name`, `name`, `-all`, `+all`) from left to right.
    pub(crate) fn new(switches: &[String]) -> Self {
        let mut enabled: Vec<bool> = REGISTRY.iter().map(|rule| !rule.flags.disabled_by_default).collect();
        for switch in switches {
            let (on, name) = match switch.strip_prefix('-') {
                Some(name) => (false, name),
                None => (true, switch.strip_prefix('+').unwrap_or(switch)),
            };
            for (rule, enabled) in REGISTRY.iter().zip(&mut enabled) {
                if (rule.name == name || name == "all") && rule.flags.can_be_disabled {
                    *enabled = on;
                }
            }
        }
        Self { enabled }
    }
}

/// Runs all rules on a plan and those made from it.
pub(crate) fn optimize(
    plan: Plan,
    switches: &RuleSwitches,
    context: &mut Context<'_>,
    stats: &mut PlanStats,
) -> Result<Vec<Plan>, Error> {
    let mut plans = vec![plan];
    for (rule, enabled) in REGISTRY.iter().zip(&switches.enabled) {
        if !enabled {
            stats.rules_skipped += 1;
            continue;
        }
        let started = Instant::now();
        match rule.apply {
            Apply::Rewrite(rewrite) => {
                for plan in &mut plans {
                    stats.rules_executed += 1;
                    if rewrite(plan, context)? && !rule.flags.hidden {
                        plan.rules.push(rule.name);
                    }
                }
            }
            Apply::Fork(fork) => {
                stats.rules_executed += plans.len() as u64;
                let room = context.options.max_plans.saturating_sub(plans.len());
                let mut more = Vec::new();
                for plan in &plans {
                    for mut fork in fork(plan, room.saturating_sub(more.len())) {
                        fork.rules.push(rule.name);
                        more.push(fork);
                    }
                }
                plans.append(&mut more);
            }
        }
        stats.rule_times.push((rule.name, started.elapsed()));
    }
    Ok(plans)
}
