//! Document counts: a few counters a collection, each in a row of its own, summed by readers.
//!
//! A single counter would make every two writers of a collection conflict. Instead there are as many as commits that
//! were ever under way at once, and each commit has one for itself until it has ended: it adds the change of the count,
//! the newest revision and the last value of the key generator. A snapshot's count is the sum of the rows it sees, so
//! counts are exact in every snapshot and transaction.

use std::ops::Bound;

use parking_lot::Mutex;
use persea_kv::{Direction, Tree};
use persea_txn::{ReadView, Transaction};

use crate::error::{Error, Result};
use crate::keyspaces::{META_COUNTS, pair_key, read_u64};
use crate::revision::{HybridClock, Revision};

/// What the rows of a collection add up to, or one of them says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) count: i64,
    pub(crate) revision: Revision,
    pub(crate) key_value: u64,
    /// When a row was last written; the clock has to stay above it.
    pub(crate) stamp: Revision,
}

/// Bytes of a row's value; without the stamp in rows of a commit each, which have it as their key.
const ROW_BYTES: usize = 32;
const ROW_BYTES_WITHOUT_STAMP: usize = 24;

impl Totals {
    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.revision = self.revision.max(other.revision);
        self.key_value = self.key_value.max(other.key_value);
        self.stamp = self.stamp.max(other.stamp);
    }

    fn to_bytes(self) -> [u8; ROW_BYTES] {
        let words = [self.count as u64, self.revision.0, self.key_value, self.stamp.0];
        let mut bytes = [0; ROW_BYTES];
        for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_be_bytes();
        }
        bytes
    }

    fn from_bytes(key: u64, bytes: &[u8]) -> Option<Self> {
        Some(Self {
            count: read_u64(bytes)? as i64,
            revision: Revision(read_u64(bytes.get(8..)?)?),
            key_value: read_u64(bytes.get(16..)?)?,
            stamp: Revision(match bytes.len() {
                ROW_BYTES_WITHOUT_STAMP => key,
                _ => read_u64(bytes.get(24..)?)?,
            }),
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Row {
    key: u64,
    totals: Totals,
}

/// The counters of a collection that no commit has at present. The one used last comes first, so that few are in use.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    free: Mutex<Vec<Row>>,
}

impl Counters {
    /// A counter that nobody else has until it is dropped.
    pub(crate) fn take(&self, clock: &HybridClock) -> Counter<'_> {
        let free = self.free.lock().pop();
        let row = free.unwrap_or_else(|| Row { key: clock.tick().0, totals: Totals::default() });
        Counter { counters: self, row, changed: None }
    }
}

/// A counter that a commit has for itself.
#[derive(Debug)]
pub(crate) struct Counter<'c> {
    counters: &'c Counters,
    row: Row,
    changed: Option<Totals>,
}

impl Counter<'_> {
    /// Adds a change as part of `transaction`.
    pub(crate) fn put(
        &mut self,
        transaction: &mut Transaction,
        collection: u64,
        change: Totals,
    ) -> Result<()> {
        let mut totals = self.row.totals;
        totals.add(change);
        transaction.put(Tree::Meta, META_COUNTS, &pair_key(collection, self.row.key), &totals.to_bytes())?;
        self.changed = Some(totals);
        Ok(())
    }

    /// The transaction has been committed. Unless this is called, the counter stays as it was.
    pub(crate) fn keep(mut self) {
        if let Some(changed) = self.changed {
            self.row.totals = changed;
        }
    }
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        self.counters.free.lock().push(self.row);
    }
}

/// Calls `visit` with each row of a collection.
fn for_each_row(view: &ReadView, collection: u64, mut visit: impl FnMut(Row)) -> Result<()> {
    let first = pair_key(collection, 0);
    let last = pair_key(collection, u64::MAX);
    let bounds = (Bound::Included(&first[..]), Bound::Included(&last[..]));
    for entry in view.range(Tree::Meta, META_COUNTS, bounds, Direction::Forward)? {
        let (key, value) = entry?;
        let row = key.get(8..).and_then(read_u64).and_then(|key| {
            let totals = Totals::from_bytes(key, value)?;
            Some(Row { key, totals })
        });
        visit(row.ok_or_else(|| Error::Corrupt("count row".to_owned()))?);
    }
    Ok(())
}

/// The totals a snapshot sees.
pub(crate) fn totals(view: &ReadView, collection: u64) -> Result<Totals> {
    let mut totals = Totals::default();
    for_each_row(view, collection, |row| totals.add(row.totals))?;
    Ok(totals)
}

/// The totals and the counters of a collection that nobody is writing to.
pub(crate) fn load(view: &ReadView, collection: u64) -> Result<(Totals, Counters)> {
    let mut totals = Totals::default();
    let mut rows = Vec::new();
    for_each_row(view, collection, |row| {
        totals.add(row.totals);
        rows.push(row);
    })?;
    Ok((totals, Counters { free: Mutex::new(rows) }))
}

/// Removes the rows that `view` sees.
pub(crate) fn remove(view: &ReadView, transaction: &mut Transaction, collection: u64) -> Result<()> {
    let mut keys = Vec::new();
    for_each_row(view, collection, |row| keys.push(row.key))?;
    for key in keys {
        transaction.delete(Tree::Meta, META_COUNTS, &pair_key(collection, key))?;
    }
    Ok(())
}
