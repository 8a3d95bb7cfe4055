//! Views: what a reader sees, a snapshot and on top of it the sealed writes of its own transaction.

use std::fmt;
use std::sync::Arc;

use crate::delta::KeyHash;
use crate::keyspace::{FullBounds, full_key, strip};
use crate::merge::{MergedRange, Overlay, Overlays};
use crate::snapshots::SharedSnapshot;
use crate::write_set::Layers;
use crate::{CommitSeq, Result};
use persea_kv::{Bounds, Direction, StoreSnapshot, Tree};

/// An immutable state of the database; cheap to clone, shareable between threads, not bound to a lifetime.
///
/// A view keeps old versions alive in the storage, so views should not live longer than needed.
#[derive(Clone, Debug)]
pub struct ReadView {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    snapshot: Arc<SharedSnapshot>,
    layers: Layers,
}

impl ReadView {
    pub(crate) fn new(snapshot: Arc<SharedSnapshot>, layers: Layers) -> ReadView {
        ReadView { inner: Arc::new(Inner { snapshot, layers }) }
    }

    /// The newest commit that the view's snapshot contains.
    pub fn commit_seq(&self) -> CommitSeq {
        self.inner.snapshot.commit_seq()
    }

    /// Whether the view may still be read, which [`Options::snapshot_age_max`](crate::Options::snapshot_age_max) bounds.
    /// Ranges ask when they begin; who reads for long asks now and then, as [`ReadView::get`] does not.
    ///
    /// # Errors
    /// [`Error::SnapshotTooOld`](crate::Error::SnapshotTooOld).
    #[inline]
    pub fn check_age(&self) -> Result<()> {
        self.inner.snapshot.check_age()
    }

    /// Value of a key.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage).
    #[inline]
    pub fn get(&self, tree: Tree, keyspace: u64, key: &[u8]) -> Result<Option<&[u8]>> {
        get(&self.inner.snapshot, &self.inner.layers, tree, &full_key(keyspace, key))
    }

    /// Values of several keys of one keyspace, pushed to `values` in the order of the keys.
    ///
    /// Ascending keys are the fastest: neighbours lie on the same pages.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage), [`Error::SnapshotTooOld`](crate::Error::SnapshotTooOld); `values` then
    /// holds what was found before.
    pub fn multi_get<'v, 'k>(
        &'v self,
        tree: Tree,
        keyspace: u64,
        keys: impl IntoIterator<Item = &'k [u8]>,
        values: &mut Vec<Option<&'v [u8]>>,
    ) -> Result<()> {
        self.check_age()?;
        let mut full = full_key(keyspace, &[]);
        let prefix_len = full.len();
        for key in keys {
            full.truncate(prefix_len);
            full.extend_from_slice(key);
            values.push(get(&self.inner.snapshot, &self.inner.layers, tree, &full)?);
        }
        Ok(())
    }

    /// Walks the entries of a keyspace within `bounds`; keys come without the keyspace.
    ///
    /// Deletes and overwrites of the view's own transaction are applied. Without such writes this costs what the
    /// engine's own iteration costs.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::Error::Storage), [`Error::SnapshotTooOld`](crate::Error::SnapshotTooOld).
    pub fn range(
        &self,
        tree: Tree,
        keyspace: u64,
        bounds: Bounds<'_>,
        direction: Direction,
    ) -> Result<Range<'_>> {
        self.check_age()?;
        let bounds = FullBounds::new(keyspace, bounds);
        let main = self.inner.snapshot.main().range(tree, bounds.borrow(), direction)?;
        let overlays = self.overlays(tree, &bounds, direction);
        if overlays.is_empty() {
            return Ok(Range(Source::Main(main)));
        }
        Ok(Range(Source::Merged(Box::new(MergedRange::new(overlays, main, direction)))))
    }

    /// What lies over the engine's part of a range.
    #[inline]
    fn overlays(&self, tree: Tree, bounds: &FullBounds, direction: Direction) -> Overlays<'_> {
        let Inner { snapshot, layers } = &*self.inner;
        let layers = layers
            .iter()
            .rev()
            .map(|layer| layer.range(tree, bounds.borrow()))
            .filter(|layer| !layer.is_empty())
            .map(Overlay::Layer);
        let deltas = snapshot
            .deltas()
            .iter()
            .map(|delta| delta.range(tree, bounds.borrow(), direction, snapshot.commit_seq()))
            .filter(|delta| delta.head().is_some())
            .map(Overlay::Delta);
        layers.chain(deltas).collect()
    }

    /// True if the view overlays the snapshot with writes of its transaction.
    pub fn has_own_writes(&self) -> bool {
        !self.inner.layers.is_empty()
    }
}

/// Reads through layers and deltas, newest first, down to the engine.
#[inline]
pub(crate) fn get<'v>(
    snapshot: &'v SharedSnapshot,
    layers: &'v Layers,
    tree: Tree,
    full: &[u8],
) -> Result<Option<&'v [u8]>> {
    for layer in layers.iter().rev() {
        if let Some(written) = layer.get(tree, full) {
            return Ok(written);
        }
    }
    let deltas = snapshot.deltas();
    if !deltas.is_empty() {
        let hash = KeyHash::new(tree, full);
        for delta in deltas {
            if let Some(written) = delta.get(tree, full, hash, snapshot.commit_seq()) {
                return Ok(written);
            }
        }
    }
    Ok(snapshot.main().get(tree, full)?)
}

/// Entries of a [`ReadView::range`]: key (without keyspace) and value, borrowed from the view.
pub struct Range<'v>(Source<'v>);

#[allow(
    clippy::large_enum_variant,
    reason = "the large one is the usual one, and must not cost an allocation"
)]
enum Source<'v> {
    Main(persea_kv::Range<'v>),
    Merged(Box<MergedRange<'v>>),
}

impl fmt::Debug for Range<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Range").finish_non_exhaustive()
    }
}

impl<'v> Iterator for Range<'v> {
    type Item = Result<(&'v [u8], &'v [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Main(range) => match range.next()? {
                Ok((key, value)) => Some(Ok((strip(key), value))),
                Err(error) => Some(Err(error.into())),
            },
            Source::Merged(range) => match range.next()? {
                Ok((key, value)) => Some(Ok((strip(key), value))),
                Err(error) => Some(Err(error)),
            },
        }
    }
}
