//! Entries of the edge index: one for each end, each carrying the other end.

use persea_vpack::Slice;

/// Both ends of an edge document.
///
/// The outgoing keyspace has an entry under `from` whose value is `to`, the incoming one the other way round, so a
/// traversal that needs no edge attributes reads no document. Keys are made by
/// [`write_edge_prefix`](crate::write_edge_prefix) and [`append_local_id`](crate::append_local_id).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeEnds<'a> {
    /// The `_from` attribute: id of the vertex the edge leaves.
    pub from: &'a str,
    /// The `_to` attribute: id of the vertex the edge reaches.
    pub to: &'a str,
}

impl<'a> EdgeEnds<'a> {
    /// The ends of `document`; `None` when it is no edge.
    pub fn of(document: Slice<'a>) -> Option<EdgeEnds<'a>> {
        let end = |name| document.get(name).and_then(Slice::as_str);
        Some(EdgeEnds { from: end("_from")?, to: end("_to")? })
    }
}
