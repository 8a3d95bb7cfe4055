//! Walking all documents of a collection.

use persea_txn::Range;
use persea_vpack::Slice;

use super::LocalId;
use crate::error::{Error, Result};
use crate::keyspaces::read_u64;

/// Documents with their local ids, borrowed from a [`View`](super::View).
pub struct DocumentScan<'v> {
    range: Range<'v>,
}

impl<'v> DocumentScan<'v> {
    pub(super) fn new(range: Range<'v>) -> Self {
        Self { range }
    }
}

impl<'v> Iterator for DocumentScan<'v> {
    type Item = Result<(LocalId, Slice<'v>)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.range.next()? {
            Ok((key, document)) => Some(match read_u64(key) {
                Some(local_id) => Ok((LocalId(local_id), Slice::trusted(document))),
                None => Err(Error::Corrupt("key of a document".to_owned())),
            }),
            Err(error) => Some(Err(error.into())),
        }
    }
}
