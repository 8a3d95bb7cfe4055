//! From the syntax tree of an AQL query to the plan that is executed.
//!
//! [`plan()`] resolves names and bind parameters, checks what the grammar cannot, folds constants, and runs the
//! optimizer: an ordered list of rules ([`REGISTRY`]), one file each, under the names ArangoDB uses where the rule is
//! the same. The result is a [`Plan`]: pipelines of nodes over numbered variables, described in [`mod@plan`].
//! [`explain()`] shows it as JSON, [`explain_text`] as a table.
//!
//! The planner sees the world through three traits of its own: [`Catalog`] (collections, indexes, graphs),
//! [`FunctionCatalog`] (functions and whether they are deterministic) and [`ConstantEvaluator`] (the value of
//! expressions without variables). It knows neither storage nor how nodes are executed, and nothing of HTTP.
//!
//! ```
//! use std::sync::Arc;
//!
//! use persea_planner::plan::{Expr, IndexKind};
//! use persea_planner::{
//!     Catalog, CollectionMeta, ConstantEvaluator, Evaluated, FunctionCatalog, FunctionMeta, GraphMeta, IndexField,
//!     IndexMeta, PlanOptions, TextOptions, explain_text,
//! };
//! use persea_vpack::Slice;
//!
//! struct World;
//!
//! impl Catalog for World {
//!     fn database(&self) -> &str {
//!         "_system"
//!     }
//!
//!     fn collection(&self, name: &str) -> Option<Arc<CollectionMeta>> {
//!         let index = IndexMeta {
//!             id: 7,
//!             name: "by_age".into(),
//!             kind: IndexKind::Persistent,
//!             type_name: "persistent".into(),
//!             fields: vec![IndexField::parse("age")],
//!             unique: false,
//!             sparse: false,
//!             selectivity: Some(0.01),
//!             stored_values: vec![],
//!             can_cover: true,
//!             in_progress: false,
//!             deduplicate: true,
//!             estimates: true,
//!             cache_enabled: false,
//!         };
//!         (name == "users").then(|| {
//!             Arc::new(CollectionMeta {
//!                 id: 1,
//!                 name: "users".into(),
//!                 is_edge: false,
//!                 count: 1000,
//!                 indexes: vec![index],
//!             })
//!         })
//!     }
//!
//!     fn graph(&self, _: &str) -> Option<Arc<GraphMeta>> {
//!         None
//!     }
//! }
//!
//! impl FunctionCatalog for World {
//!     fn lookup(&self, _: &str) -> Option<FunctionMeta> {
//!         None
//!     }
//! }
//!
//! impl ConstantEvaluator for World {
//!     fn evaluate(&self, _: &Expr) -> Option<Evaluated> {
//!         None
//!     }
//! }
//!
//! let text = "FOR u IN users FILTER u.age == 33 RETURN u.name";
//! let query = persea_aql::parse(text)?;
//! let planned = persea_planner::plan(&query, Slice::null(), &World, &World, &World, &PlanOptions::default())?;
//! assert!(planned.plan.rules.contains(&"use-indexes"));
//! assert!(explain_text(text, &planned, &TextOptions::default()).contains("persistent index scan"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
pub mod catalog;
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
    Catalog, CollectionMeta, ConstantEvaluator, Evaluated, FunctionCatalog, FunctionMeta, GraphMeta,
    IndexField, IndexMeta,
};
pub use error::Error;
pub use explain::{TextOptions, explain, explain_text, node_type_name, plan_to_vpack, rules_to_vpack};
pub use expr::Purity;
pub use options::PlanOptions;
pub use plan::Plan;
pub use planner::{PlanStats, Planned, plan};
pub use rules::{REGISTRY, Rule, RuleFlags};
pub use var_set::VarSet;
