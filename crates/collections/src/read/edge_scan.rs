//! Walking the edges at a vertex.
//!
//! An entry is keyed by the vertex id, a zero byte (which no id contains) and the local id of the edge, and holds the
//! id of the vertex at the other end: a traversal that needs no attribute of an edge never reads its document.

use std::ops::Bound;

use persea_index::{LOCAL_ID_BYTES, append_local_id, split_key, write_edge_prefix};
use persea_kv::{Direction, Tree};
use persea_txn::{Range, ReadView};

use super::LocalId;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::keyspaces::FIELD_KEY_BYTES_MAX;

/// Which edges of a vertex are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EdgeDirection {
    /// Edges that start at the vertex.
    Outbound,
    /// Edges that end at the vertex.
    Inbound,
}

impl EdgeDirection {
    /// The other direction.
    pub fn reversed(self) -> Self {
        match self {
            Self::Outbound => Self::Inbound,
            Self::Inbound => Self::Outbound,
        }
    }
}

/// Edges at one vertex, with the id of the vertex at the other end.
pub struct EdgeScan<'v> {
    range: Range<'v>,
}

impl<'v> EdgeScan<'v> {
    pub(super) fn open(
        view: &'v ReadView,
        edge_index: &Index,
        direction: EdgeDirection,
        vertex: &str,
    ) -> Result<Self> {
        let keyspace = match direction {
            EdgeDirection::Outbound => edge_index.keyspace,
            EdgeDirection::Inbound => edge_index.keyspace_in,
        };
        let mut lower = Vec::with_capacity(vertex.len() + 1 + LOCAL_ID_BYTES);
        write_edge_prefix(vertex, FIELD_KEY_BYTES_MAX, &mut lower);
        let mut upper = lower.clone();
        append_local_id(&mut upper, u64::MAX);
        let bounds = (Bound::Included(&lower[..]), Bound::Included(&upper[..]));
        Ok(Self { range: view.range(Tree::Index, keyspace, bounds, Direction::Forward)? })
    }
}

impl<'v> Iterator for EdgeScan<'v> {
    type Item = Result<(LocalId, &'v str)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.range.next()? {
            Ok((key, opposite)) => Some(edge_entry(key, opposite)),
            Err(error) => Some(Err(error.into())),
        }
    }
}

fn edge_entry<'v>(key: &[u8], opposite: &'v [u8]) -> Result<(LocalId, &'v str)> {
    match (split_key(key), std::str::from_utf8(opposite)) {
        (Some((_, local_id)), Ok(opposite)) => Ok((LocalId(local_id), opposite)),
        _ => Err(Error::Corrupt("entry of an edge index".to_owned())),
    }
}
