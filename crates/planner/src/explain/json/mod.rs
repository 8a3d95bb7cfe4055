//! Explain JSON.

mod access;
mod graph;
mod grouping;
mod modification;
mod node;

use persea_vpack::{Builder, VPackBuf};

use super::expression;
use super::nodes::{Row, RowKind, row_type_name, rows};
use crate::plan::{AccessMode, Expr, Plan, VarId};
use crate::planner::Planned;
use crate::rules::REGISTRY;

/// The answer of an explain request: `plan` (or `plans`), `cacheable`, `warnings`, `stats`. `rule_times` adds the time
/// each rule took.
#[must_use]
pub fn explain(planned: &Planned, all_plans: bool, rule_times: bool) -> VPackBuf {
    let mut builder = Builder::new();
    builder.open_object();
    if all_plans {
        builder.key("plans").open_array();
        write_plan(&mut builder, &planned.plan);
        for plan in &planned.alternatives {
            write_plan(&mut builder, plan);
        }
        builder.close();
    } else {
        builder.key("plan");
        write_plan(&mut builder, &planned.plan);
        builder.key("cacheable").add_bool(planned.plan.cacheable);
    }
    builder.key("warnings").open_array();
    for (number, message) in &planned.warnings {
        builder.open_object();
        builder.key("code").add_u64(u64::from(*number));
        builder.key("message").add_str(message);
        builder.close();
    }
    builder.close();
    let stats = &planned.stats;
    builder.key("stats").open_object();
    builder.key("rulesExecuted").add_u64(stats.rules_executed);
    builder.key("rulesSkipped").add_u64(stats.rules_skipped);
    builder.key("plansCreated").add_u64(stats.plans_created);
    builder.key("peakMemoryUsage").add_u64(0);
    builder.key("executionTime").add_f64((stats.build_time + stats.optimize_time).as_secs_f64());
    if rule_times {
        builder.key("rules").open_object();
        for (name, time) in &stats.rule_times {
            builder.key(name).add_f64(time.as_secs_f64());
        }
        builder.close();
    }
    builder.close().close();
    builder.finish().unwrap_or_default()
}

/// One plan, as in `extra.plan` of a profiled query.
#[must_use]
pub fn plan_to_vpack(plan: &Plan) -> VPackBuf {
    let mut builder = Builder::new();
    write_plan(&mut builder, plan);
    builder.finish().unwrap_or_default()
}

/// The list of rules, as `GET /_api/query/rules` answers.
#[must_use]
pub fn rules_to_vpack() -> VPackBuf {
    let mut builder = Builder::new();
    builder.open_array();
    for rule in REGISTRY {
        builder.open_object();
        builder.key("name").add_str(rule.name);
        builder.key("description").add_str(rule.description);
        builder.key("flags").open_object();
        builder.key("hidden").add_bool(rule.flags.hidden);
        builder.key("clusterOnly").add_bool(false);
        builder.key("canBeDisabled").add_bool(rule.flags.can_be_disabled);
        builder.key("canCreateAdditionalPlans").add_bool(rule.flags.can_create_additional_plans);
        builder.key("disabledByDefault").add_bool(rule.flags.disabled_by_default);
        builder.key("enterpriseOnly").add_bool(false);
        builder.close().close();
    }
    builder.close();
    builder.finish().unwrap_or_default()
}

fn write_plan(builder: &mut Builder, plan: &Plan) {
    let writer = &mut Writer { builder, plan };
    writer.builder.open_object();
    writer.builder.key("nodes").open_array();
    for row in rows(plan) {
        writer.row(&row);
    }
    writer.builder.close();
    writer.builder.key("rules").open_array();
    for rule in &plan.rules {
        writer.builder.add_str(rule);
    }
    writer.builder.close();
    writer.builder.key("collections").open_array();
    for used in &plan.collections {
        writer.builder.open_object();
        writer.builder.key("name").add_str(&used.collection.name);
        writer.builder.key("type").add_str(match used.mode {
            AccessMode::Read => "read",
            AccessMode::Write => "write",
            AccessMode::Exclusive => "exclusive",
        });
        writer.builder.close();
    }
    writer.builder.close();
    writer.builder.key("variables").open_array();
    for variable in &plan.variables {
        writer.variable(variable.id);
    }
    writer.builder.close();
    writer.builder.key("estimatedCost").add_f64(plan.estimated_cost());
    writer.number("estimatedNrItems", plan.estimated_items());
    writer.builder.key("isModificationQuery").add_bool(plan.is_modification);
    writer.builder.close();
}

/// Writes one plan. What it says of nodes is in the files beside this one.
struct Writer<'a> {
    builder: &'a mut Builder,
    plan: &'a Plan,
}

impl Writer<'_> {
    fn row(&mut self, row: &Row<'_>) {
        self.builder.open_object();
        self.builder.key("type").add_str(row_type_name(&row.kind));
        self.builder.key("dependencies").open_array();
        if let Some(dependency) = row.dependency {
            self.builder.add_u64(u64::from(dependency));
        }
        self.builder.close();
        self.builder.key("id").add_u64(u64::from(row.id));
        self.builder.key("estimatedCost").add_f64(row.cost);
        self.number("estimatedNrItems", row.items);
        match &row.kind {
            RowKind::Node(node) => self.node(&node.kind),
            RowKind::SubqueryStart(subquery) => self.named("subqueryOutVariable", subquery.out),
            RowKind::SubqueryEnd(subquery, returned) => self.subquery_end(subquery, *returned),
        }
        self.builder.close();
    }

    /// A number without fraction is written as integer.
    fn number(&mut self, key: &str, value: f64) {
        self.builder.key(key);
        // Above 2^53 there is no exact integer to write anyway.
        if value.fract() == 0.0 && (0.0..9e15).contains(&value) {
            self.builder.add_u64(value as u64);
        } else {
            self.builder.add_f64(value.ceil());
        }
    }

    fn flag(&mut self, key: &str, value: bool) {
        self.builder.key(key).add_bool(value);
    }

    fn text(&mut self, key: &str, value: &str) {
        self.builder.key(key).add_str(value);
    }

    fn variable(&mut self, var: VarId) {
        self.builder.open_object();
        self.builder.key("id").add_u64(u64::from(var.0));
        if let Some(variable) = self.plan.variable(var) {
            self.builder.key("name").add_str(&variable.name);
            self.builder.key("isDataFromCollection").add_bool(variable.from_collection);
            self.builder.key("isFullDocumentFromCollection").add_bool(variable.full_document);
            if let Some(constant) = &variable.constant {
                self.builder.key("constantValue").add_slice(constant.as_slice());
            }
        }
        self.builder.close();
    }

    fn named(&mut self, key: &str, var: VarId) {
        self.builder.key(key);
        self.variable(var);
    }

    fn optional(&mut self, key: &str, var: Option<VarId>) {
        if let Some(var) = var {
            self.named(key, var);
        }
    }

    fn expression(&mut self, key: &str, expr: &Expr) {
        self.builder.key(key);
        expression::write(self.builder, self.plan, expr);
    }
}
