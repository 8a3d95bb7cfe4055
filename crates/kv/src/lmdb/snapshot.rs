//! Snapshots: LMDB read transactions that can be shared between threads.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::Bound;

use heed::types::Bytes;
use heed::{RoRange, RoRevRange, RoTxn, WithoutTls};

use super::reader_gate::Pass;
use super::{Databases, Environment, engine_error};
use crate::store::{Bounds, Direction, StoreSnapshot, Tree, is_empty_range};
use crate::{Error, Result};

/// A state of an [`LmdbStore`](super::LmdbStore). While it lives, LMDB reuses no page it can see.
pub struct LmdbSnapshot {
    // Declared, and so dropped, before the pass: the transaction must be over when the gate counts it out.
    transaction: RoTxn<'static, WithoutTls>,
    databases: Databases,
    version: u64,
    _pass: Pass,
}

// SAFETY: LMDB's rule for environments without thread-local slots is that calls on one read transaction must not race.
// What read-only calls write to the shared transaction is one thing: the root of a named database, filled in at the first
// use of that database. `begin` makes that first use for all three databases before the value is shared; after it, a read
// transaction is only read (it tracks no cursors, has no dirty pages, and pages are addressed in the map directly), and
// every cursor is owned by its iterator. Ending the transaction needs `&mut`/drop, which Rust orders after all uses.
// In a damaged file a page number out of range also sets an error flag, which is an idempotent store of one bit in a word
// that nothing else changes: every thread then gets an error.
unsafe impl Sync for LmdbSnapshot {}

impl LmdbSnapshot {
    /// `None` if the data lies beyond the reservation, since another process has written it.
    pub(super) fn begin(
        environment: &Environment,
        databases: Databases,
        pass: Pass,
    ) -> Result<Option<LmdbSnapshot>> {
        let transaction = match environment.clone().static_read_txn() {
            Ok(transaction) => transaction,
            Err(heed::Error::Mdb(heed::MdbError::MapResized)) => return Ok(None),
            Err(heed::Error::Mdb(heed::MdbError::ReadersFull)) => {
                return Err(Error::ReadersFull { limit: environment.max_readers() });
            }
            Err(error) => return Err(engine_error(error)),
        };
        for tree in Tree::ALL {
            databases.of(tree).stat(&transaction).map_err(engine_error)?;
        }
        let version = transaction.id() as u64;
        Ok(Some(LmdbSnapshot { transaction, databases, version, _pass: pass }))
    }
}

impl fmt::Debug for LmdbSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LmdbSnapshot").field("version", &self.version).finish_non_exhaustive()
    }
}

impl StoreSnapshot for LmdbSnapshot {
    type Range<'s> = LmdbRange<'s>;

    fn version(&self) -> u64 {
        self.version
    }

    #[inline]
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<&[u8]>> {
        if key.is_empty() {
            return Ok(None);
        }
        self.databases.of(tree).get(&self.transaction, key).map_err(engine_error)
    }

    fn range(&self, tree: Tree, bounds: Bounds<'_>, direction: Direction) -> Result<LmdbRange<'_>> {
        if is_empty_range(&bounds) {
            return Ok(LmdbRange(Cursor::Empty));
        }
        // LMDB knows no empty key; as a lower bound it bounds nothing.
        let bounds = match bounds {
            (Bound::Included([]) | Bound::Excluded([]), end) => (Bound::Unbounded, end),
            bounds => bounds,
        };
        let database = self.databases.of(tree);
        match direction {
            Direction::Forward => database.range(&self.transaction, &bounds).map(Cursor::Forward),
            Direction::Reverse => database.rev_range(&self.transaction, &bounds).map(Cursor::Reverse),
        }
        .map(LmdbRange)
        .map_err(engine_error)
    }

    fn entries(&self, tree: Tree) -> Result<u64> {
        self.databases.of(tree).len(&self.transaction).map_err(engine_error)
    }
}

/// Range of an [`LmdbSnapshot`]: an LMDB cursor.
pub struct LmdbRange<'s>(Cursor<'s>);

enum Cursor<'s> {
    /// Nothing lies within the bounds.
    Empty,
    Forward(RoRange<'s, Bytes, Bytes>),
    Reverse(RoRevRange<'s, Bytes, Bytes>),
}

impl fmt::Debug for LmdbRange<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LmdbRange").finish_non_exhaustive()
    }
}

impl<'s> Iterator for LmdbRange<'s> {
    type Item = Result<(&'s [u8], &'s [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = match &mut self.0 {
            Cursor::Empty => return None,
            Cursor::Forward(range) => range.next(),
            Cursor::Reverse(range) => range.next(),
        };
        entry.map(|entry| entry.map_err(engine_error))
    }
}
