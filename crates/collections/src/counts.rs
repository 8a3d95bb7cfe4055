//! Document counts: one small row a commit and collection, summed by readers, folded now and then.
//!
//! A shared counter would make every two writers of a collection conflict. Instead each commit adds a row of its own
//! with the change of the count, the newest revision and the last value of the key generator; a snapshot's count is
//! the sum of the rows it sees, so counts are exact in every snapshot and transaction.

use std::ops::Bound;

use persea_kv::{Direction, Tree};
use persea_txn::{ReadView, Transaction};

use crate::error::{Error, Result};
use crate::keyspaces::{META_COUNTS, pair_key, read_u64};
use crate::revision::Revision;

/// Rows a collection may have before they are folded into one: bounds what counting costs.
pub(crate) const ROWS_MAX: usize = 128;

/// What the rows of a collection add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) count: i64,
    pub(crate) revision: Revision,
    pub(crate) key_value: u64,
    /// Newest stamp of a row; the clock has to stay above it. Not part of the stored row.
    pub(crate) stamp: Revision,
}

impl Totals {
    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.revision = self.revision.max(other.revision);
        self.key_value = self.key_value.max(other.key_value);
        self.stamp = self.stamp.max(other.stamp);
    }

    pub(crate) fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.count.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.revision.0.to_be_bytes());
        bytes[16..].copy_from_slice(&self.key_value.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            count: read_u64(bytes)? as i64,
            revision: Revision(read_u64(bytes.get(8..)?)?),
            key_value: read_u64(bytes.get(16..)?)?,
            stamp: Revision::default(),
        })
    }
}

/// Adds the row of one commit.
pub(crate) fn put_row(
    transaction: &mut Transaction,
    collection: u64,
    stamp: Revision,
    row: Totals,
) -> Result<()> {
    Ok(transaction.put(Tree::Meta, META_COUNTS, &pair_key(collection, stamp.0), &row.to_bytes())?)
}

/// Calls `visit` with the key and content of each row of a collection.
fn for_each_row(view: &ReadView, collection: u64, mut visit: impl FnMut(&[u8], Totals)) -> Result<()> {
    let first = pair_key(collection, 0);
    let last = pair_key(collection, u64::MAX);
    let bounds = (Bound::Included(&first[..]), Bound::Included(&last[..]));
    for entry in view.range(Tree::Meta, META_COUNTS, bounds, Direction::Forward)? {
        let (key, value) = entry?;
        let stamp = key.get(8..).and_then(read_u64).map(Revision);
        let (Some(stamp), Some(row)) = (stamp, Totals::from_bytes(value)) else {
            return Err(Error::Corrupt("count row".to_owned()));
        };
        visit(key, Totals { stamp, ..row });
    }
    Ok(())
}

/// The totals a snapshot sees, and the number of rows they come from.
pub(crate) fn totals(view: &ReadView, collection: u64) -> Result<(Totals, usize)> {
    let mut totals = Totals::default();
    let mut n_rows = 0;
    for_each_row(view, collection, |_, row| {
        totals.add(row);
        n_rows += 1;
    })?;
    Ok((totals, n_rows))
}

/// Replaces the rows that `view` sees by one with the stamp `replacement`, or by none.
pub(crate) fn fold(
    view: &ReadView,
    transaction: &mut Transaction,
    collection: u64,
    replacement: Option<Revision>,
) -> Result<()> {
    let mut keys = Vec::new();
    let mut totals = Totals::default();
    for_each_row(view, collection, |key, row| {
        keys.push(key.to_vec());
        totals.add(row);
    })?;
    for key in keys {
        transaction.delete(Tree::Meta, META_COUNTS, &key)?;
    }
    if let Some(stamp) = replacement {
        put_row(transaction, collection, stamp, totals)?;
    }
    Ok(())
}
