#![doc = include_str!("../README.md")]

mod arena;
mod batch;
mod build;
mod catalog;
mod cursor;
mod error;
mod expression;
mod memory;
mod operators;
mod pinned;
mod runtime;
mod stats;

pub use catalog::{BuiltInFunctions, DatabaseCatalog};
pub use cursor::{Cursor, Outcome, execute};
pub use error::Error;
pub use expression::ConstantFolder;
pub use runtime::{Access, ExecuteOptions, IntermediateCommits, Limits, QueryContext};
pub use stats::{NodeProfile, QueryStats};
