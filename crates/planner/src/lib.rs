//! AQL syntax tree to execution plan: nodes, optimizer rules, explain.

pub mod catalog;
mod error;
mod expr;
mod options;
pub mod plan;
mod value;
mod var_set;

pub use catalog::{
    Catalog, CollectionMeta, ConstantEvaluator, Evaluated, FunctionCatalog, FunctionMeta, GraphMeta, IndexField,
    IndexMeta,
};
pub use error::Error;
pub use expr::Purity;
pub use options::PlanOptions;
pub use plan::Plan;
pub use var_set::VarSet;
