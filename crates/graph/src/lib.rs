#![doc = include_str!("../README.md")]

mod all_shortest_paths;
mod breadth_first;
mod depth_first;
mod error;
mod k_paths;
mod k_shortest_paths;
mod neighbors;
mod options;
mod path;
mod path_tree;
mod shortest_path;
#[cfg(test)]
mod test_graph;
mod traversal;
mod weighted;
mod weighted_shortest_path;

pub use all_shortest_paths::AllShortestPaths;
pub use error::Error;
pub use k_paths::KPaths;
pub use k_shortest_paths::KShortestPaths;
pub use neighbors::{Decision, Neighbors, PathOf, Steer};
pub use options::{Order, TraversalOptions, UniqueEdges, UniqueVertices};
pub use path::{Path, Visit};
pub use shortest_path::shortest_path;
pub use traversal::Traversal;
pub use weighted_shortest_path::weighted_shortest_path;

/// A hash map with the hasher that all searches use.
pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, ahash::RandomState>;
/// A hash set with the hasher that all searches use.
pub(crate) type Set<K> = hashbrown::HashSet<K, ahash::RandomState>;
