//! The optimizer: an ordered list of rules, each rewriting the whole plan.
//!
//! Names and meaning are ArangoDB's where the rule is the same. [`REGISTRY`] is the one place that decides which rules
//! exist and when they run.

mod fuse_filters;
mod index_match;
mod inline_subqueries;
mod interchange_adjacent_enumerations;
mod move_calculations_down;
mod move_calculations_up;
mod move_filters_into_enumerate;
mod move_filters_up;
mod optimize_count;
mod optimize_subqueries;
mod optimize_traversal_last_element_access;
mod optimize_traversals;
mod propagate_constant_attributes;
mod reduce_extraction_to_projection;
mod remove_collect_variables;
mod remove_data_modification_out_variables;
mod remove_filter_covered_by_index;
mod remove_redundant_calculations;
mod remove_redundant_or;
mod remove_redundant_sorts;
mod remove_sort_rand_limit_1;
mod remove_unnecessary_calculations;
mod remove_unnecessary_filters;
mod replace_or_with_in;
mod simplify_conditions;
mod sort_in_values;
mod sort_limit;
mod specialize_collect;
mod splice_subqueries;
mod support;
mod use_hash_joins;
mod use_index_for_sort;
mod use_indexes;

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
const HIDDEN: RuleFlags = RuleFlags { hidden: true, can_be_disabled: false, ..NORMAL };
const HIDDEN_OFFABLE: RuleFlags = RuleFlags { hidden: true, ..NORMAL };
const FORKING: RuleFlags = RuleFlags { can_create_additional_plans: true, ..NORMAL };

/// All rules in the order in which they run.
pub static REGISTRY: &[Rule] = &[
    Rule {
        name: "inline-subqueries",
        description: "Merges the subquery a FOR runs over into the outer query.",
        flags: NORMAL,
        apply: Apply::Rewrite(inline_subqueries::apply),
    },
    Rule {
        name: "simplify-conditions",
        description: "Simplifies conditions, for example attributes of object literals.",
        flags: NORMAL,
        apply: Apply::Rewrite(simplify_conditions::apply),
    },
    Rule {
        name: "move-calculations-up",
        description: "Moves calculations and subqueries out of loops and in front of filters.",
        flags: NORMAL,
        apply: Apply::Rewrite(move_calculations_up::apply),
    },
    Rule {
        name: "move-filters-up",
        description: "Moves filters to where their variables are known first.",
        flags: NORMAL,
        apply: Apply::Rewrite(move_filters_up::apply),
    },
    Rule {
        name: "remove-redundant-calculations",
        description: "Shares calculations that occur more than once.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_redundant_calculations::apply),
    },
    Rule {
        name: "remove-unnecessary-filters",
        description: "Removes filters that are always true; always-false ones empty the result.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_unnecessary_filters::apply),
    },
    Rule {
        name: "remove-unnecessary-calculations",
        description: "Removes calculations whose result is not used, and merges those used once.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_unnecessary_calculations::apply),
    },
    Rule {
        name: "specialize-collect",
        description: "Picks the method of COLLECT: hash, sorted, distinct or count.",
        flags: HIDDEN,
        apply: Apply::Rewrite(specialize_collect::apply),
    },
    Rule {
        name: "remove-redundant-sorts",
        description: "Removes sorts that a later or finer sort makes pointless.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_redundant_sorts::apply),
    },
    Rule {
        name: "optimize-subqueries",
        description: "Limits subqueries to what is used of their results.",
        flags: NORMAL,
        apply: Apply::Rewrite(optimize_subqueries::apply),
    },
    Rule {
        name: "interchange-adjacent-enumerations",
        description: "Tries adjacent loops over collections in other orders.",
        flags: FORKING,
        apply: Apply::Fork(interchange_adjacent_enumerations::fork),
    },
    Rule {
        name: "move-calculations-up-2",
        description: "Second pass of move-calculations-up.",
        flags: NORMAL,
        apply: Apply::Rewrite(move_calculations_up::apply),
    },
    Rule {
        name: "move-filters-up-2",
        description: "Second pass of move-filters-up.",
        flags: NORMAL,
        apply: Apply::Rewrite(move_filters_up::apply),
    },
    Rule {
        name: "remove-redundant-sorts-2",
        description: "Second pass of remove-redundant-sorts.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_redundant_sorts::apply),
    },
    Rule {
        name: "remove-sort-rand-limit-1",
        description: "Reads one document chosen at random for SORT RAND() LIMIT 1.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_sort_rand_limit_1::apply),
    },
    Rule {
        name: "remove-collect-variables",
        description: "Removes outputs of COLLECT that are not used.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_collect_variables::apply),
    },
    Rule {
        name: "propagate-constant-attributes",
        description: "Uses constants from equality filters in joins.",
        flags: NORMAL,
        apply: Apply::Rewrite(propagate_constant_attributes::apply),
    },
    Rule {
        name: "remove-data-modification-out-variables",
        description: "Does not build OLD and NEW if they are not used.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_data_modification_out_variables::apply),
    },
    Rule {
        name: "replace-or-with-in",
        description: "Turns equality comparisons joined by OR into IN.",
        flags: NORMAL,
        apply: Apply::Rewrite(replace_or_with_in::apply),
    },
    Rule {
        name: "remove-redundant-or",
        description: "Merges comparisons joined by OR that overlap.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_redundant_or::apply),
    },
    Rule {
        name: "use-indexes",
        description: "Uses indexes for filter conditions.",
        flags: NORMAL,
        apply: Apply::Rewrite(use_indexes::apply),
    },
    Rule {
        name: "remove-filter-covered-by-index",
        description: "Removes conditions that an index scan guarantees.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_filter_covered_by_index::apply),
    },
    Rule {
        name: "remove-unnecessary-filters-2",
        description: "Second pass of remove-unnecessary-filters.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_unnecessary_filters::apply),
    },
    Rule {
        name: "use-index-for-sort",
        description: "Reads an index in order instead of sorting.",
        flags: NORMAL,
        apply: Apply::Rewrite(use_index_for_sort::apply),
    },
    Rule {
        name: "sort-in-values",
        description: "Sorts lists used with IN, so that they are searched faster.",
        flags: NORMAL,
        apply: Apply::Rewrite(sort_in_values::apply),
    },
    Rule {
        name: "optimize-traversal-last-element-access",
        description: "Uses the vertex and edge variables for the last elements of a path.",
        flags: NORMAL,
        apply: Apply::Rewrite(optimize_traversal_last_element_access::apply),
    },
    Rule {
        name: "optimize-traversals",
        description: "Moves path conditions into traversals and drops outputs that are not used.",
        flags: NORMAL,
        apply: Apply::Rewrite(optimize_traversals::apply),
    },
    Rule {
        name: "use-hash-joins",
        description: "Joins by a hash table where no index serves an equality join, or an index would be probed too often.",
        flags: NORMAL,
        apply: Apply::Rewrite(use_hash_joins::apply),
    },
    Rule {
        name: "remove-unnecessary-calculations-2",
        description: "Second pass of remove-unnecessary-calculations.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_unnecessary_calculations::apply),
    },
    Rule {
        name: "move-calculations-down",
        description: "Delays calculations until after filters, sorts and limits.",
        flags: NORMAL,
        apply: Apply::Rewrite(move_calculations_down::apply),
    },
    Rule {
        name: "fuse-filters",
        description: "Merges adjacent filters.",
        flags: NORMAL,
        apply: Apply::Rewrite(fuse_filters::apply),
    },
    Rule {
        name: "move-filters-into-enumerate",
        description: "Tests filters inside collection, index and list loops.",
        flags: NORMAL,
        apply: Apply::Rewrite(move_filters_into_enumerate::apply),
    },
    Rule {
        name: "remove-unnecessary-calculations-3",
        description: "Third pass of remove-unnecessary-calculations.",
        flags: HIDDEN_OFFABLE,
        apply: Apply::Rewrite(remove_unnecessary_calculations::apply),
    },
    Rule {
        name: "sort-limit",
        description: "Keeps only as many rows while sorting as the following LIMIT needs.",
        flags: NORMAL,
        apply: Apply::Rewrite(sort_limit::apply),
    },
    Rule {
        name: "reduce-extraction-to-projection",
        description: "Takes single attributes out of documents instead of whole documents.",
        flags: NORMAL,
        apply: Apply::Rewrite(reduce_extraction_to_projection::apply),
    },
    Rule {
        name: "optimize-count",
        description: "Counts documents without producing them.",
        flags: NORMAL,
        apply: Apply::Rewrite(optimize_count::apply),
    },
    Rule {
        name: "remove-unnecessary-calculations-4",
        description: "Fourth pass of remove-unnecessary-calculations.",
        flags: NORMAL,
        apply: Apply::Rewrite(remove_unnecessary_calculations::apply),
    },
    Rule {
        name: "splice-subqueries",
        description: "Shows subqueries as part of the outer plan.",
        flags: FORCED,
        apply: Apply::Rewrite(splice_subqueries::apply),
    },
];

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
