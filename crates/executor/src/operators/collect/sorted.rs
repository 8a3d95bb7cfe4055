//! Sorted collect: the input arrives in the order of the group values, so a group ends where the next begins.

use super::{Groups, Specification};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::operators::{BoxedOperator, Operator};
use crate::runtime::Runtime;

/// Groups neighbouring rows. Only the last group is open; finished ones are passed on.
pub(crate) struct SortedCollect<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    specification: Specification<'q>,
    inputs: Vec<Register>,
    kept: Vec<Register>,
    groups: Groups<'q>,
    is_done: bool,
}

impl<'q> SortedCollect<'q> {
    pub(super) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        specification: Specification<'q>,
    ) -> Self {
        let (inputs, kept) = (specification.inputs(), specification.kept());
        let groups = Groups::new(runtime, &specification);
        SortedCollect { input, runtime, specification, inputs, kept, groups, is_done: false }
    }

    fn add(&mut self, batch: Batch<'q>) -> Result<(), Error> {
        let mut group_of = Vec::with_capacity(batch.len());
        for row in 0..batch.len() {
            let last = self.groups.len().checked_sub(1);
            let group = match last {
                Some(last) if self.groups.matches(last, &batch, row, &self.inputs) => last,
                _ => self.groups.add_group(&batch, row, &self.kept),
            };
            group_of.push(group as u32);
        }
        self.groups.add_rows(batch, &group_of, &self.specification)
    }
}

impl<'q> Operator<'q> for SortedCollect<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let wanted = wanted.clamp(1, BATCH_ROWS);
        while !self.is_done && self.groups.len() <= wanted {
            self.runtime.check()?;
            match self.input.next(BATCH_ROWS)? {
                Some(batch) => self.add(batch)?,
                None => self.is_done = true,
            }
        }
        let finished = if self.is_done { self.groups.len() } else { self.groups.len() - 1 };
        let count = finished.min(BATCH_ROWS);
        if count == 0 {
            return Ok(None);
        }
        let batch = self.groups.output(0..count, &self.specification)?;
        self.groups.drop_first(count);
        Ok(Some(batch))
    }

    fn rewind(&mut self) {
        self.groups = Groups::new(self.runtime, &self.specification);
        self.is_done = false;
        self.input.rewind();
    }
}
