//! AQL syntax tree to execution plan: nodes, optimizer rules, explain.

pub mod catalog;
mod build;
mod error;
mod estimate;
pub mod explain;
mod expr;
mod flow;
mod fold;
mod options;
pub mod plan;
mod planner;
mod rules;
mod value;
mod var_set;
mod warnings;

pub use catalog::{
    Catalog, CollectionMeta, ConstantEvaluator, Evaluated, FunctionCatalog, FunctionMeta, GraphMeta, IndexField,
    IndexMeta,
};
pub use error::Error;
pub use explain::{TextOptions, explain, explain_text, node_type_name, plan_to_vpack, rules_to_vpack};
pub use expr::Purity;
pub use options::PlanOptions;
pub use plan::Plan;
pub use planner::{PlanStats, Planned, plan};
pub use rules::{REGISTRY, Rule, RuleFlags};
pub use var_set::VarSet;
