//! AQL syntax tree to execution plan: nodes, optimizer rules, explain.

pub mod catalog;
pub mod plan;

pub use catalog::{
    Catalog, CollectionMeta, ConstantEvaluator, Evaluated, FunctionCatalog, FunctionMeta, GraphMeta, IndexField,
    IndexMeta,
};
pub use plan::Plan;
