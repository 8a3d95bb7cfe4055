//! The edges at vertices, read from the edge index.

use std::collections::HashSet;

use persea_collections::EdgeDirection as IndexDirection;
use persea_vpack::Slice;

use crate::collection::Collection;
use crate::error::Result;

/// Which edges at a vertex are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeDirection {
    /// Edges that start at the vertex.
    Outbound,
    /// Edges that end at the vertex.
    Inbound,
    /// Both.
    Any,
}

impl EdgeDirection {
    fn of_index(self) -> &'static [IndexDirection] {
        match self {
            EdgeDirection::Outbound => &[IndexDirection::Outbound],
            EdgeDirection::Inbound => &[IndexDirection::Inbound],
            EdgeDirection::Any => &[IndexDirection::Outbound, IndexDirection::Inbound],
        }
    }
}

impl Collection {
    /// Gives every edge at one of the vertices to `each`, once, and returns how many there were. Vertices are named
    /// by identifiers (`collection/key`) and needn't exist.
    ///
    /// ```
    /// # fn main() -> Result<(), persea::Error> {
    /// use persea::EdgeDirection;
    ///
    /// let db = persea::Database::in_memory()?;
    /// let roads = db.create_edge_collection("roads")?;
    /// roads.insert(&serde_json::json!({ "_from": "towns/a", "_to": "towns/b" }))?;
    /// let mut ends = Vec::new();
    /// roads.edges_at(&["towns/a"], EdgeDirection::Any, |edge| {
    ///     ends.extend(edge.get("_to").and_then(|to| to.as_str()).map(str::to_owned));
    /// })?;
    /// assert_eq!(ends, ["towns/b"]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// 1218 when the collection holds no edges, storage errors.
    pub fn edges_at(
        &self,
        vertices: &[&str],
        direction: EdgeDirection,
        mut each: impl FnMut(Slice<'_>),
    ) -> Result<usize> {
        let view = self.view()?;
        let mut seen = HashSet::new();
        for vertex in vertices {
            for direction in direction.of_index() {
                for edge in view.edges(self.inner(), *direction, vertex)? {
                    let (local_id, _) = edge?;
                    if !seen.insert(local_id) {
                        continue;
                    }
                    each(view.indexed_document(self.inner(), local_id)?);
                }
            }
        }
        Ok(seen.len())
    }
}
