//! Named graphs: their definitions, kept as documents of `_graphs`, and the rules for vertices and edges in them.

mod change;
mod definition;
mod documents;
mod error;
mod store;

pub use definition::{EdgeDefinition, NamedGraph};
pub use error::GraphError;
pub use store::UnusedCollections;

/// Name of the collection that holds the definitions.
pub(crate) const GRAPHS: &str = "_graphs";
