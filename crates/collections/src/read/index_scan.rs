//! Walking the entries of an index.

use std::ops::Bound;

use persea_index::{IndexKind, KeyRange, RangeEnd, split_key, split_unique_value, stored_slice};
use persea_kv::{Direction, Tree};
use persea_order::Value;
use persea_txn::{Range, ReadView};
use persea_vpack::Slice;

use super::LocalId;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::keyspaces::{FIELD_KEY_BYTES_MAX, read_u64};

/// Which entries of an index are wanted: the first fields equal to `eq`, the next one between `lower` and `upper`.
#[derive(Debug, Clone, Copy, Default)]
pub struct IndexBounds<'a> {
    /// Values of the first fields.
    pub eq: &'a [Value<'a>],
    /// Least value of the next field, and whether it is inside.
    pub lower: Option<(Value<'a>, bool)>,
    /// Greatest value of the next field, and whether it is inside.
    pub upper: Option<(Value<'a>, bool)>,
}

impl<'a> IndexBounds<'a> {
    /// Entries whose first fields equal `eq`.
    pub fn equal(eq: &'a [Value<'a>]) -> Self {
        Self { eq, lower: None, upper: None }
    }
}

/// One entry of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexEntry<'v> {
    /// The document.
    pub local_id: LocalId,
    /// Stored values as an array; [`Slice::none`] when the index has none.
    pub stored: Slice<'v>,
    /// Sort keys of the fields, one after the other; of the primary index, the bytes of `_key`.
    pub key: &'v [u8],
}

/// Entries of an index, borrowed from a [`View`](super::View).
pub struct IndexScan<'v> {
    source: Source<'v>,
    layout: Layout,
    recheck: bool,
}

// There is one a scan, on the stack; boxing the range would allocate for each.
#[allow(clippy::large_enum_variant)]
enum Source<'v> {
    Range(Range<'v>),
    /// The at most one entry that an equality on all fields of a unique index finds.
    Point(Option<IndexEntry<'v>>),
}

#[derive(Clone, Copy)]
enum Layout {
    /// Key, then the local id in the value.
    Unique,
    /// Key and local id, then stored values in the value.
    Shared,
}

impl<'v> IndexScan<'v> {
    pub(super) fn open(
        view: &'v ReadView,
        index: &Index,
        bounds: &IndexBounds<'_>,
        direction: Direction,
        buffer: &mut KeyRange,
    ) -> Result<Self> {
        match index.kind() {
            IndexKind::Primary => Self::open_primary(view, index, bounds, direction),
            IndexKind::Edge => {
                Err(Error::NotImplemented("scanning the edge index other than by vertex".into()))
            }
            _ => Self::open_persistent(view, index, bounds, direction, buffer),
        }
    }

    fn open_primary(
        view: &'v ReadView,
        index: &Index,
        bounds: &IndexBounds<'_>,
        direction: Direction,
    ) -> Result<Self> {
        let source = match bounds {
            IndexBounds { eq: [], lower: None, upper: None } => {
                Source::Range(view.range(Tree::Index, index.keyspace, super::EVERYTHING, direction)?)
            }
            IndexBounds { eq: [key], lower: None, upper: None } => match key.as_str() {
                Some(key) => Source::Point(point(view, index, key.as_bytes())?),
                None => Source::Point(None),
            },
            _ => return Err(Error::NotImplemented("ranges of the primary index".to_owned())),
        };
        Ok(Self { source, layout: Layout::Unique, recheck: false })
    }

    fn open_persistent(
        view: &'v ReadView,
        index: &Index,
        bounds: &IndexBounds<'_>,
        direction: Direction,
        buffer: &mut KeyRange,
    ) -> Result<Self> {
        let definition = index.definition();
        if definition.unique && bounds.eq.len() == definition.fields.len() {
            let recheck = definition.point_key(bounds.eq, FIELD_KEY_BYTES_MAX, &mut buffer.start);
            let entry = point(view, index, &buffer.start)?;
            return Ok(Self { source: Source::Point(entry), layout: Layout::Unique, recheck });
        }
        let (lower, upper) = (bounds.lower.map(RangeEnd::from), bounds.upper.map(RangeEnd::from));
        definition.bounds_into(bounds.eq, lower, upper, FIELD_KEY_BYTES_MAX, buffer);
        let layout = if definition.unique { Layout::Unique } else { Layout::Shared };
        let recheck = buffer.recheck;
        if buffer.is_empty() {
            return Ok(Self { source: Source::Point(None), layout, recheck });
        }
        let end = buffer.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = (Bound::Included(&buffer.start[..]), end);
        let source = Source::Range(view.range(Tree::Index, index.keyspace, range, direction)?);
        Ok(Self { source, layout, recheck })
    }

    /// Whether entries may be among them that do not match, because values that long are cut in keys: the reader
    /// has to check the documents.
    pub fn needs_recheck(&self) -> bool {
        self.recheck
    }
}

fn point<'v>(view: &'v ReadView, index: &Index, key: &[u8]) -> Result<Option<IndexEntry<'v>>> {
    match view.get(Tree::Index, index.keyspace, key)? {
        None => Ok(None),
        Some(value) => match split_unique_value(value) {
            // The key of a point is what the caller asked for; it has no use for it.
            Some((local_id, stored)) => {
                Ok(Some(IndexEntry { local_id: LocalId(local_id), stored, key: &[] }))
            }
            None => Err(damaged()),
        },
    }
}

fn damaged() -> Error {
    Error::Corrupt("entry of an index".to_owned())
}

impl Layout {
    #[inline]
    fn entry<'v>(self, key: &'v [u8], value: &'v [u8]) -> Option<IndexEntry<'v>> {
        match self {
            Self::Unique => {
                let local_id = LocalId(read_u64(value)?);
                let stored = stored_slice(value.get(8..).unwrap_or_default());
                Some(IndexEntry { local_id, stored, key })
            }
            Self::Shared => {
                let (key, local_id) = split_key(key)?;
                Some(IndexEntry { local_id: LocalId(local_id), stored: stored_slice(value), key })
            }
        }
    }
}

impl<'v> Iterator for IndexScan<'v> {
    type Item = Result<IndexEntry<'v>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Point(entry) => entry.take().map(Ok),
            Source::Range(range) => match range.next()? {
                Ok((key, value)) => Some(self.layout.entry(key, value).ok_or_else(damaged)),
                Err(error) => Some(Err(error.into())),
            },
        }
    }
}
