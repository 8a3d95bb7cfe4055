//! What a node that produces documents does with each of them.

use std::sync::Arc;

use super::{Expr, VarId};

/// What a document-producing node does with each document.
///
/// Order of work for a document: bind `out` (needed only by `filter`), evaluate `filter`, drop the document unless
/// truthy, then fill the projection variables. `out` is live after the node exactly if `produces_document`.
#[derive(Clone, Debug)]
pub struct DocumentOutput {
    /// The document variable.
    pub out: VarId,
    /// Whether later nodes read the whole document. If not, only `projections` are produced (possibly none at all:
    /// then only the number of rows matters and the document need not even be read unless `filter` does).
    pub produces_document: bool,
    /// Attribute paths extracted into variables of their own.
    pub projections: Vec<Projection>,
    /// Condition evaluated on the document (reads `out` and variables bound before this node); only documents for
    /// which it is truthy are produced.
    pub filter: Option<Expr>,
    /// The attribute paths of `out` that `filter` reads; empty when it needs the whole document.
    pub filter_projections: Vec<AttributePath>,
    /// Upper bound of projections instead of reading whole documents.
    pub max_projections: usize,
    /// Whether document values should be taken from caches.
    pub use_cache: bool,
}

impl DocumentOutput {
    /// Produces whole documents in `out`, without filter.
    #[must_use]
    pub fn document(out: VarId) -> Self {
        Self {
            out,
            produces_document: true,
            projections: Vec::new(),
            filter: None,
            filter_projections: Vec::new(),
            max_projections: 5,
            use_cache: true,
        }
    }
}

/// A path of attribute names, outermost first, never empty.
pub type AttributePath = Vec<Arc<str>>;

/// One attribute path of a document in a variable of its own; null if missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// The attribute path.
    pub path: AttributePath,
    /// Where its value goes.
    pub out: VarId,
}
