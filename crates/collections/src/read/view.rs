//! A view: everything as of one moment, for readers.

use std::ops::Bound;
use std::sync::Arc;

use persea_index::{IndexKind, KeyRange};
use persea_kv::{Direction, Tree};
use persea_txn::{CommitSeq, ReadView};
use persea_vpack::Slice;
use smallvec::SmallVec;

use super::definitions::Definitions;
use super::{DocumentScan, EVERYTHING, EdgeDirection, EdgeScan, IndexBounds, IndexScan};
use crate::collection::Collection;
use crate::counts;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::keyspaces::{META_COLLECTIONS, read_u64};
use crate::shared::Shared;

/// Number of a document within its collection. It grows with insertion and survives updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u64);

/// Everything as of one moment: a snapshot, and the writes of the transaction it was taken from.
///
/// Collections are read as they were defined at that moment, whatever happens to them later. Clones are cheap and share
/// the snapshot. Slices borrow from the view and are valid as long as it lives; no lookup or scan copies a document.
#[derive(Debug, Clone)]
pub struct View {
    inner: ReadView,
    details: Arc<Details>,
}

#[derive(Debug)]
struct Details {
    /// Changes of document counts by the transaction the view was taken from.
    counts: SmallVec<[(u64, i64); 2]>,
    /// What the view reads with does not change while it lives: truncating gives a collection new keyspaces, of which
    /// the snapshot knows nothing, while it goes on showing the old ones.
    definitions: Definitions,
}

impl View {
    /// A view with the changes of counts and the definitions that its transaction made or uses.
    pub(crate) fn new(
        inner: ReadView,
        counts: SmallVec<[(u64, i64); 2]>,
        definitions: impl Iterator<Item = (u64, Arc<Definition>)>,
    ) -> Self {
        let details = Details { counts, definitions: Definitions::default() };
        for (collection_id, definition) in definitions {
            details.definitions.add(collection_id, definition);
        }
        Self { inner, details: Arc::new(details) }
    }

    pub(crate) fn latest(shared: &Shared) -> Result<Self> {
        Ok(Self::new(shared.manager.snapshot()?, SmallVec::new(), std::iter::empty()))
    }

    /// The definition of a collection at this view's moment.
    #[inline]
    pub(crate) fn definition(&self, collection: &Collection) -> Result<&Definition> {
        self.details.definitions.get(collection, || {
            collection.definition_as_of(self.inner.commit_seq(), |key| {
                Ok(self.inner.get(Tree::Meta, META_COLLECTIONS, key)?)
            })
        })
    }

    /// The newest commit that the view shows.
    pub fn commit_seq(&self) -> CommitSeq {
        self.inner.commit_seq()
    }

    /// Whether the view may still be read: a store may limit for how long after there is a newer state. Scans ask when
    /// they begin; who reads for long asks now and then.
    ///
    /// # Errors
    /// [`Error::SnapshotTooOld`].
    #[inline]
    pub fn check_age(&self) -> Result<()> {
        Ok(self.inner.check_age()?)
    }

    /// The indexes that the collection had at this view's moment.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`] when it was dropped before, storage errors.
    pub fn indexes(&self, collection: &Collection) -> Result<Arc<[Arc<Index>]>> {
        Ok(Arc::clone(&self.definition(collection)?.indexes))
    }

    /// The name that the collection had at this view's moment.
    ///
    /// # Errors
    /// As [`indexes`](Self::indexes).
    pub fn collection_name(&self, collection: &Collection) -> Result<&str> {
        Ok(&self.definition(collection)?.name)
    }

    /// All documents in order of insertion (or the reverse).
    ///
    /// # Errors
    /// Storage errors.
    pub fn scan(&self, collection: &Collection, direction: Direction) -> Result<DocumentScan<'_>> {
        let keyspace = self.definition(collection)?.documents;
        Ok(DocumentScan::new(self.inner.range(Tree::Documents, keyspace, EVERYTHING, direction)?))
    }

    /// The documents with local ids above `after` in order of insertion: to go on with a scan later.
    ///
    /// # Errors
    /// Storage errors.
    pub fn scan_after(&self, collection: &Collection, after: LocalId) -> Result<DocumentScan<'_>> {
        let keyspace = self.definition(collection)?.documents;
        let start = after.0.to_be_bytes();
        let bounds = (Bound::Excluded(&start[..]), Bound::Unbounded);
        Ok(DocumentScan::new(self.inner.range(Tree::Documents, keyspace, bounds, Direction::Forward)?))
    }

    /// The document with this local id.
    ///
    /// # Errors
    /// Storage errors.
    pub fn document(&self, collection: &Collection, local_id: LocalId) -> Result<Option<Slice<'_>>> {
        let keyspace = self.definition(collection)?.documents;
        let bytes = self.inner.get(Tree::Documents, keyspace, &local_id.0.to_be_bytes())?;
        Ok(bytes.map(Slice::trusted))
    }

    /// The document that an index entry of this view refers to.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when there is none, storage errors.
    pub fn indexed_document(&self, collection: &Collection, local_id: LocalId) -> Result<Slice<'_>> {
        self.document(collection, local_id)?.ok_or_else(|| {
            let LocalId(number) = local_id;
            Error::Corrupt(format!("document {number} of '{}' is in an index only", collection.name()))
        })
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
        let keyspace = self.definition(collection)?.documents;
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
        let definition = self.definition(collection)?;
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
        let keyspace = self.definition(collection)?.primary;
        Ok(self.inner.get(Tree::Index, keyspace, key.as_bytes())?.and_then(read_u64).map(LocalId))
    }

    /// The entries of `index` within `bounds`, in index order (or the reverse).
    ///
    /// # Errors
    /// [`Error::IndexNotFound`] when the index was dropped before, [`Error::DefinitionChanged`] when it was created after this
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
        // Truncating gives an index new keyspaces, so the one at hand may be an older or newer one.
        let has_id = |other: &&Arc<Index>| other.id() == index.id();
        let own = self.definition(collection)?.indexes.iter().find(has_id);
        match own.filter(|own| self.can_use(own)) {
            Some(own) => IndexScan::open(&self.inner, own, bounds, direction, buffer),
            None if collection.indexes().iter().any(|current| has_id(&current)) => {
                let name = index.name();
                Err(Error::DefinitionChanged(format!("index '{name}' is newer than the snapshot")))
            }
            None => Err(Error::IndexNotFound),
        }
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
        let definition = self.definition(collection)?;
        let edge_index = definition.indexes.iter().find(|index| index.kind() == IndexKind::Edge);
        let edge_index =
            edge_index.ok_or_else(|| Error::CollectionTypeInvalid(format!("'{}'", definition.name)))?;
        EdgeScan::open(&self.inner, edge_index, direction, vertex)
    }

    /// Number of documents, exact.
    ///
    /// # Errors
    /// Storage errors.
    pub fn count(&self, collection: &Collection) -> Result<u64> {
        let totals = counts::totals(&self.inner, collection.id())?;
        let own: i64 = self
            .details
            .counts
            .iter()
            .filter(|(id, _)| *id == collection.id())
            .map(|(_, change)| change)
            .sum();
        Ok(u64::try_from(totals.count + own).unwrap_or(0))
    }

    pub(crate) fn inner(&self) -> &ReadView {
        &self.inner
    }
}
