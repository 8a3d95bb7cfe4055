//! Limit: skips rows and ends early.

use super::{BoxedOperator, Operator};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch};
use crate::runtime::Runtime;

/// Passes on `count` rows after `offset`.
pub(crate) struct Limit<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    offset: u64,
    count: u64,
    full_count: bool,
    /// Rows behind the limit must be asked for: they are counted, or asking for them writes something.
    drains: bool,
    /// Rows seen so far.
    seen: u64,
    is_done: bool,
}

impl<'q> Limit<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        offset: u64,
        count: u64,
        full_count: bool,
        input_writes: bool,
    ) -> Self {
        let drains = full_count || input_writes;
        Limit { input, runtime, offset, count, full_count, drains, seen: 0, is_done: false }
    }

    /// The first row not to be passed on.
    fn end(&self) -> u64 {
        self.offset.saturating_add(self.count)
    }

    /// Asks for all the rows behind the limit.
    fn drain(&mut self) -> Result<(), Error> {
        if self.drains {
            while let Some(batch) = self.input.next(BATCH_ROWS)? {
                self.runtime.check()?;
                self.seen += batch.len() as u64;
            }
        }
        if self.full_count {
            let counted = self.runtime.counters.full_count.get().unwrap_or(0);
            self.runtime.counters.full_count.set(Some(counted + self.seen));
        }
        Ok(())
    }
}

impl<'q> Operator<'q> for Limit<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        while !self.is_done {
            let left = self.end().saturating_sub(self.seen);
            if left == 0 {
                self.is_done = true;
                self.drain()?;
                break;
            }
            let skipping = self.offset.saturating_sub(self.seen);
            let ask = skipping.saturating_add(wanted as u64).min(left).min(BATCH_ROWS as u64) as usize;
            let Some(mut batch) = self.input.next(ask)? else {
                self.is_done = true;
                self.drain()?;
                break;
            };
            self.runtime.check()?;
            let rows = batch.len() as u64;
            batch.truncate(left.min(rows) as usize);
            batch.skip(skipping.min(rows) as usize);
            self.seen += rows;
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn rewind(&mut self) {
        self.seen = 0;
        self.is_done = false;
        self.input.rewind();
    }
}
