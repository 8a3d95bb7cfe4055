//! The read side: views of one moment, and the scans and lookups they offer.

mod definitions;
mod document_scan;
mod edge_scan;
mod index_scan;
mod view;

pub use document_scan::DocumentScan;
pub use edge_scan::{EdgeDirection, EdgeScan};
pub use index_scan::{IndexBounds, IndexEntry, IndexScan};
pub use view::{LocalId, View};

use std::ops::Bound;

/// Bounds that leave nothing out.
pub(crate) const EVERYTHING: (Bound<&[u8]>, Bound<&[u8]>) = (Bound::Unbounded, Bound::Unbounded);
