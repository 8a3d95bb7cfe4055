//! What the planner asks of the world: collections and graphs, functions, and the value of constant expressions.
//!
//! The traits are implemented by the layers above, so that planning runs on any store and in tests without one.

use std::sync::Arc;

use persea_vpack::VPackBuf;

use crate::plan::{Expr, IndexKind};

/// Facts about a collection.
#[derive(Clone, Debug)]
pub struct CollectionMeta {
    /// Number of the collection in its database.
    pub id: u64,
    /// Its name.
    pub name: Arc<str>,
    /// Whether it is an edge collection.
    pub is_edge: bool,
    /// Number of documents, for estimates.
    pub count: u64,
    /// All indexes, the primary one first.
    pub indexes: Vec<IndexMeta>,
}

/// Facts about an index.
#[derive(Clone, Debug)]
pub struct IndexMeta {
    /// Number of the index in its database.
    pub id: u64,
    /// Its name.
    pub name: Arc<str>,
    /// What the planner may do with it.
    pub kind: IndexKind,
    /// The type shown to users (`persistent`, `hash`, `skiplist`, …).
    pub type_name: Arc<str>,
    /// Indexed attribute paths in order, e.g. `a.b` as `["a", "b"]`.
    pub fields: Vec<IndexField>,
    /// Whether keys are unique.
    pub unique: bool,
    /// Whether documents with a null in any indexed attribute are left out.
    pub sparse: bool,
    /// Share of distinct keys (0 to 1), if known.
    pub selectivity: Option<f64>,
    /// Attribute paths stored beside the key.
    pub stored_values: Vec<Vec<Arc<str>>>,
    /// Whether full field values can be read back from index entries. False for keys that may be cut.
    pub can_cover: bool,
    /// Whether the index is still being built and must not be used.
    pub in_progress: bool,
    /// Other options shown to users.
    pub deduplicate: bool,
    /// Whether estimates are kept.
    pub estimates: bool,
    /// Whether entries are cached.
    pub cache_enabled: bool,
}

/// One indexed attribute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexField {
    /// Attribute names, outermost first.
    pub path: Vec<Arc<str>>,
    /// Position behind which `[*]` stands: `Some(n)` expands the value of the first `n` names.
    pub expanded_after: Option<usize>,
}

impl IndexField {
    /// Parses `a.b` or `a[*].b`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut expanded_after = None;
        let path = text
            .split('.')
            .enumerate()
            .map(|(position, part)| match part.strip_suffix("[*]") {
                Some(name) => {
                    expanded_after = Some(position + 1);
                    Arc::from(name)
                }
                None => Arc::from(part),
            })
            .collect();
        Self { path, expanded_after }
    }

    /// The textual form, as in index definitions.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (position, name) in self.path.iter().enumerate() {
            if position > 0 {
                text.push('.');
            }
            text.push_str(name);
            if self.expanded_after == Some(position + 1) {
                text.push_str("[*]");
            }
        }
        text
    }
}

/// Facts about a named graph.
#[derive(Clone, Debug)]
pub struct GraphMeta {
    /// Its name.
    pub name: Arc<str>,
    /// Edge collections.
    pub edge_collections: Vec<Arc<str>>,
    /// Vertex collections, orphans included.
    pub vertex_collections: Vec<Arc<str>>,
}

/// Collections and graphs of the database a query runs on.
pub trait Catalog {
    /// Name of the database, for display.
    fn database(&self) -> &str;
    /// The collection with this name, or with this number in decimal digits.
    fn collection(&self, name: &str) -> Option<Arc<CollectionMeta>>;
    /// The named graph.
    fn graph(&self, name: &str) -> Option<Arc<GraphMeta>>;
    /// Whether a view has this name.
    fn is_view(&self, _name: &str) -> bool {
        false
    }
}

/// Facts about a function.
#[derive(Clone, Debug)]
pub struct FunctionMeta {
    /// Canonical upper-case name.
    pub name: Arc<str>,
    /// Least number of arguments.
    pub min_args: usize,
    /// Greatest number of arguments; none if there is no bound.
    pub max_args: Option<usize>,
    /// Same arguments give the same value within a query.
    pub deterministic: bool,
    /// Results may be kept between queries.
    pub cacheable: bool,
    /// The function reads documents itself (`DOCUMENT` and the like).
    pub accesses_documents: bool,
    /// PRUNE may call it.
    pub in_prune: bool,
    /// Arguments that name a collection: bit `n` for argument `n`.
    pub collection_args: u64,
}

/// Functions callable from AQL.
pub trait FunctionCatalog {
    /// The built-in function with this upper-case name.
    fn lookup(&self, name: &str) -> Option<FunctionMeta>;
    /// Whether a user-defined function with this (upper-case, qualified) name exists.
    fn user_function(&self, _name: &str) -> bool {
        false
    }
}

/// A value with the warnings its computation raised.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The value.
    pub value: VPackBuf,
    /// Warnings: number and message.
    pub warnings: Vec<(u32, String)>,
}

/// Computes expressions without variables.
pub trait ConstantEvaluator {
    /// The value of `expr`, which reads no variables except the CURRENT of its own expansions and calls only
    /// deterministic functions that read no documents. `None` if it cannot be computed at plan time (it is then
    /// computed at run time, errors included).
    fn evaluate(&self, expr: &Expr) -> Option<Evaluated>;
}
