//! A view: everything as of one moment, for readers.

use std::ops::Bound;
use std::sync::Arc;

use persea_index::KeyRange;
use persea_kv::{Direction, Tree};
use persea_txn::ReadView;
use persea_vpack::Slice;
use smallvec::SmallVec;

use super::{DocumentScan, EVERYTHING, EdgeDirection, EdgeScan, IndexBounds, IndexScan};
use crate::collection::Collection;
use crate::counts;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::shared::Shared;

/// Number of a document within its collection. It grows with insertion and survives updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u64);

/// Everything as of one moment: a snapshot, and the writes of the transaction it was taken from.
///
/// Clones are cheap and share the snapshot. Slices borrow from the view and are valid as long as it lives; no lookup
/// or scan copies a document.
#[derive(Debug, Clone)]
pub struct View {
    inner: ReadView,
    /// Changes of document counts by the transaction the view was taken from.
    counts: Arc<SmallVec<[(u64, i64); 2]>>,
}

impl View {
    pub(crate) fn new(inner: ReadView, counts: SmallVec<[(u64, i64); 2]>) -> Self {
        Self { inner, counts: Arc::new(counts) }
    }

    pub(crate) fn latest(shared: &Shared) -> Result<Self> {
        Ok(Self::new(shared.manager.snapshot()?, SmallVec::new()))
    }

    /// All documents in order of insertion (or the reverse).
    ///
    /// # Errors
    /// Storage errors.
    pub fn scan(&self, collection: &Collection, direction: Direction) -> Result<DocumentScan<'_>> {
        let keyspace = collection.definition().documents;
        Ok(DocumentScan::new(self.inner.range(Tree::Documents, keyspace, EVERYTHING, direction)?))
    }

    /// The documents with local ids above `after` in order of insertion: to go on with a scan later.
    ///
    /// # Errors
    /// Storage errors.
    pub fn scan_after(&self, collection: &Collection, after: LocalId) -> Result<DocumentScan<'_>> {
        let keyspace = collection.definition().documents;
        let start = after.0.to_be_bytes();
        let bounds = (Bound::Excluded(&start[..]), Bound::Unbounded);
        Ok(DocumentScan::new(self.inner.range(Tree::Documents, keyspace, bounds, Direction::Forward)?))
    }

    /// The document with this local id.
    ///
    /// # Errors
    /// Storage errors.
    pub fn document(&self, collection: &Collection, local_id: LocalId) -> Result<Option<Slice<'_>>> {
        let keyspace = collection.definition().documents;
        let bytes = self.inner.get(Tree::Documents, keyspace, &local_id.0.to_be_bytes())?;
        Ok(bytes.map(Slice::trusted))
    }

    /// Calls `found` with the position and document of each of `local_ids`, which are best sorted.
    ///
    /// # Errors
    /// Storage errors, and what `found` returns.
    pub fn documents<'v>(
        &'v self,
        collection: &Collection,
        local_ids: &[LocalId],
        mut found: impl FnMut(usize, Option<Slice<'v>>) -> Result<()>,
    ) -> Result<()> {
        let keyspace = collection.definition().documents;
        for (position, local_id) in local_ids.iter().enumerate() {
            let bytes = self.inner.get(Tree::Documents, keyspace, &local_id.0.to_be_bytes())?;
            found(position, bytes.map(Slice::trusted))?;
        }
        Ok(())
    }

    /// The document with this key.
    ///
    /// # Errors
    /// Storage errors; [`Error::Corrupt`] when only the primary index knows the document.
    pub fn by_key(&self, collection: &Collection, key: &str) -> Result<Option<(LocalId, Slice<'_>)>> {
        let definition = collection.definition();
        let entry = self.inner.get(Tree::Index, definition.primary, key.as_bytes())?;
        let Some(local_id) = entry.and_then(read_u64) else { return Ok(None) };
        let bytes = self.inner.get(Tree::Documents, definition.documents, &local_id.to_be_bytes())?;
        let bytes = bytes.ok_or_else(|| {
            Error::Corrupt(format!("document {}/{key} is in the primary index only", definition.name))
        })?;
        Ok(Some((LocalId(local_id), Slice::trusted(bytes))))
    }

    /// Local id of the document with this key, without reading the document.
    ///
    /// # Errors
    /// Storage errors.
    pub fn local_id(&self, collection: &Collection, key: &str) -> Result<Option<LocalId>> {
        let keyspace = collection.definition().primary;
        Ok(self.inner.get(Tree::Index, keyspace, key.as_bytes())?.and_then(read_u64).map(LocalId))
    }

    /// The entries of `index` within `bounds`, in index order (or the reverse).
    ///
    /// # Errors
    /// [`Error::IndexNotFound`] when the index was dropped, [`Error::WriteConflict`] when it was created after this
    /// view's moment (see [`can_use`](Self::can_use)), [`Error::NotImplemented`] for ranges of the primary index and
    /// for the edge index (use [`edges`](Self::edges)), storage errors.
    pub fn index_scan(
        &self,
        collection: &Collection,
        index: &Index,
        bounds: &IndexBounds<'_>,
        direction: Direction,
    ) -> Result<IndexScan<'_>> {
        self.index_scan_with(collection, index, bounds, direction, &mut KeyRange::default())
    }

    /// As [`index_scan`](Self::index_scan), with a buffer to reuse when many scans follow each other.
    ///
    /// # Errors
    /// As [`index_scan`](Self::index_scan).
    pub fn index_scan_with(
        &self,
        collection: &Collection,
        index: &Index,
        bounds: &IndexBounds<'_>,
        direction: Direction,
        buffer: &mut KeyRange,
    ) -> Result<IndexScan<'_>> {
        // Truncating gives an index new keyspaces, so the one at hand may be an old one.
        let definition = collection.definition();
        let current = definition.indexes.iter().find(|current| current.id() == index.id());
        let current = current.ok_or(Error::IndexNotFound)?;
        if !self.can_use(current) {
            let name = current.name();
            return Err(Error::WriteConflict(format!("index '{name}' is newer than the snapshot")));
        }
        IndexScan::open(&self.inner, current, bounds, direction, buffer)
    }

    /// Whether the index was complete at this view's moment.
    pub fn can_use(&self, index: &Index) -> bool {
        index.complete_since <= self.inner.commit_seq()
    }

    /// The edges at a vertex, with the vertex at their other end.
    ///
    /// # Errors
    /// [`Error::CollectionTypeInvalid`] when this is no edge collection, storage errors.
    pub fn edges(
        &self,
        collection: &Collection,
        direction: EdgeDirection,
        vertex: &str,
    ) -> Result<EdgeScan<'_>> {
        EdgeScan::open(&self.inner, collection, direction, vertex)
    }

    /// Number of documents, exact.
    ///
    /// # Errors
    /// Storage errors.
    pub fn count(&self, collection: &Collection) -> Result<u64> {
        let (totals, _) = counts::totals(&self.inner, collection.id())?;
        let own: i64 =
            self.counts.iter().filter(|(id, _)| *id == collection.id()).map(|(_, change)| change).sum();
        Ok(u64::try_from(totals.count + own).unwrap_or(0))
    }

    pub(crate) fn inner(&self) -> &ReadView {
        &self.inner
    }
}
