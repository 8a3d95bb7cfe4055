//! Sort: by memcomparable keys, with the batches kept and only references to rows moved.
//!
//! With a limit only the best rows are kept: rows that sort behind the worst of the best known so far are dropped as they
//! come, and when twice as many as needed have been gathered the worse half goes. That is linear in the number of
//! input rows.

use std::cmp::Ordering;

use persea_order::sort_key;

use super::{BoxedOperator, Live, Operator};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::memory::Reservation;
use crate::runtime::Runtime;

/// One row: the beginning of its key as a number, the rest by reference.
#[derive(Debug, Clone, Copy)]
struct Entry {
    prefix: u64,
    key_begin: usize,
    key_end: usize,
    batch: u32,
    row: u32,
}

/// The rows gathered so far.
#[derive(Default)]
struct Gathered<'q> {
    batches: Vec<Batch<'q>>,
    entries: Vec<Entry>,
    keys: Vec<u8>,
    column_bytes: usize,
}

/// Sorts all rows, or finds the first of them.
pub(crate) struct Sort<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    keys: Vec<(Register, bool)>,
    limit: Option<usize>,
    /// Registers kept for the output.
    live: Live,
    gathered: Gathered<'q>,
    /// Key of the worst row that can still be among the first.
    cutoff: Option<Vec<u8>>,
    is_sorted: bool,
    next: usize,
    reservation: Reservation,
}

/// The first eight bytes of a key, filled up with zeros; their order is that of the keys as far as they go.
fn prefix_of(key: &[u8]) -> u64 {
    let mut prefix = [0; 8];
    let len = key.len().min(8);
    prefix[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(prefix)
}

impl<'q> Gathered<'q> {
    fn bytes(&self) -> usize {
        self.keys.capacity() + self.entries.capacity() * size_of::<Entry>() + self.column_bytes
    }
}

/// Rows with equal keys keep their order, which makes results repeatable.
fn compare_entries(keys: &[u8], left: &Entry, right: &Entry) -> Ordering {
    left.prefix
        .cmp(&right.prefix)
        .then_with(|| keys[left.key_begin..left.key_end].cmp(&keys[right.key_begin..right.key_end]))
        .then_with(|| (left.batch, left.row).cmp(&(right.batch, right.row)))
}

impl<'q> Sort<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        keys: Vec<(Register, bool)>,
        limit: Option<usize>,
        live: Live,
    ) -> Self {
        Sort {
            input,
            runtime,
            keys,
            limit,
            live,
            gathered: Gathered::default(),
            cutoff: None,
            is_sorted: false,
            next: 0,
            reservation: Reservation::new(&runtime.memory),
        }
    }

    fn write_key(&self, batch: &Batch<'q>, row: usize, out: &mut Vec<u8>) {
        for &(register, ascending) in &self.keys {
            let begin = out.len();
            sort_key(batch.value(register, row), out);
            if !ascending {
                out[begin..].iter_mut().for_each(|byte| *byte = !*byte);
            }
        }
    }

    /// Takes in a batch, without the rows that are known not to be among the first.
    fn add(&mut self, mut batch: Batch<'q>) -> Result<(), Error> {
        let number = self.gathered.batches.len() as u32;
        let mut kept: Vec<u32> = Vec::with_capacity(batch.len());
        let mut keys = std::mem::take(&mut self.gathered.keys);
        for row in 0..batch.len() {
            let begin = keys.len();
            self.write_key(&batch, row, &mut keys);
            let key = &keys[begin..];
            if self.cutoff.as_ref().is_some_and(|cutoff| key >= &cutoff[..]) {
                keys.truncate(begin);
                continue;
            }
            self.gathered.entries.push(Entry {
                prefix: prefix_of(key),
                key_begin: begin,
                key_end: keys.len(),
                batch: number,
                row: kept.len() as u32,
            });
            kept.push(row as u32);
        }
        self.gathered.keys = keys;
        if kept.is_empty() {
            return Ok(());
        }
        batch.keep_columns(&self.live);
        batch.keep_rows(&kept);
        self.gathered.column_bytes += batch.column_bytes();
        self.gathered.batches.push(batch);
        if let Some(limit) = self.limit
            && self.gathered.entries.len() >= limit.saturating_mul(2).saturating_add(BATCH_ROWS)
        {
            self.prune(limit);
        }
        self.reservation.resize(self.gathered.bytes())
    }

    /// Forgets all but the first `limit` rows.
    fn prune(&mut self, limit: usize) {
        let mut old = std::mem::take(&mut self.gathered);
        if limit == 0 {
            self.cutoff = Some(Vec::new());
            return;
        }
        let keys = std::mem::take(&mut old.keys);
        if limit < old.entries.len() {
            old.entries.select_nth_unstable_by(limit - 1, |left, right| compare_entries(&keys, left, right));
            let worst = old.entries[limit - 1];
            self.cutoff = Some(keys[worst.key_begin..worst.key_end].to_vec());
            old.entries.truncate(limit);
        }
        // Rows keep their relative order, on which the order of equal keys rests.
        old.entries.sort_unstable_by_key(|entry| (entry.batch, entry.row));
        let mut batch = Batch::new(&self.runtime.memory);
        if old.batches.iter().any(Batch::holds_arenas) {
            for entry in &old.entries {
                batch.copy_rows(&old.batches[entry.batch as usize], &[entry.row], &self.live);
            }
        } else {
            let rows: Vec<(u32, u32)> = old.entries.iter().map(|entry| (entry.batch, entry.row)).collect();
            batch.gather_many(&old.batches, &rows, &self.live);
        }
        for (row, entry) in old.entries.iter().enumerate() {
            let begin = self.gathered.keys.len();
            self.gathered.keys.extend_from_slice(&keys[entry.key_begin..entry.key_end]);
            let key_end = self.gathered.keys.len();
            let entry = Entry { key_begin: begin, key_end, batch: 0, row: row as u32, ..*entry };
            self.gathered.entries.push(entry);
        }
        self.gathered.column_bytes = batch.column_bytes();
        self.gathered.batches.push(batch);
    }

    fn sort(&mut self) -> Result<(), Error> {
        while let Some(batch) = self.input.next(BATCH_ROWS)? {
            self.runtime.check()?;
            self.add(batch)?;
        }
        let keys = std::mem::take(&mut self.gathered.keys);
        self.gathered.entries.sort_unstable_by(|left, right| compare_entries(&keys, left, right));
        self.gathered.keys = keys;
        if let Some(limit) = self.limit {
            self.gathered.entries.truncate(limit);
        }
        self.is_sorted = true;
        Ok(())
    }
}

impl<'q> Operator<'q> for Sort<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        if !self.is_sorted {
            self.sort()?;
        }
        self.runtime.check()?;
        let end = self.gathered.entries.len().min(self.next + wanted.clamp(1, BATCH_ROWS));
        let rows: Vec<(u32, u32)> =
            self.gathered.entries[self.next..end].iter().map(|entry| (entry.batch, entry.row)).collect();
        self.next = end;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut batch = Batch::new(&self.runtime.memory);
        batch.gather_many(&self.gathered.batches, &rows, &self.live);
        Ok(Some(batch))
    }

    fn rewind(&mut self) {
        self.gathered = Gathered::default();
        self.cutoff = None;
        self.is_sorted = false;
        self.next = 0;
        self.input.rewind();
    }
}
