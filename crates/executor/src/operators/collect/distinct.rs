//! Distinct: each combination of values once, in the order of first occurrence, as soon as it is found.

use hashbrown::HashTable;

use super::hash::hash_rows;
use super::{Groups, Specification};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::operators::{BoxedOperator, Operator};
use crate::runtime::Runtime;

/// Passes on the first row of each group.
pub(crate) struct Distinct<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    specification: Specification<'q>,
    inputs: Vec<Register>,
    kept: Vec<Register>,
    groups: Groups<'q>,
    table: HashTable<(u64, u32)>,
    hashes: Vec<u64>,
}

impl<'q> Distinct<'q> {
    pub(super) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        specification: Specification<'q>,
    ) -> Self {
        let (inputs, kept) = (specification.inputs(), specification.kept());
        let groups = Groups::new(runtime, &specification);
        Distinct {
            input,
            runtime,
            specification,
            inputs,
            kept,
            groups,
            table: HashTable::new(),
            hashes: Vec::new(),
        }
    }
}

impl<'q> Operator<'q> for Distinct<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let mut ask = wanted;
        loop {
            let Some(batch) = self.input.next(ask)? else { return Ok(None) };
            self.runtime.check()?;
            let before = self.groups.len();
            hash_rows(&batch, &self.inputs, &mut self.hashes);
            for (row, &row_hash) in self.hashes.iter().enumerate() {
                let known = self.table.find(row_hash, |&(other, group)| {
                    other == row_hash && self.groups.matches(group as usize, &batch, row, &self.inputs)
                });
                if known.is_none() {
                    let group = self.groups.add_group(&batch, row, &self.kept) as u32;
                    self.table.insert_unique(row_hash, (row_hash, group), |&(hash, _)| hash);
                }
            }
            if self.groups.len() > before {
                return Ok(Some(self.groups.output(before..self.groups.len(), &self.specification)?));
            }
            ask = (ask * 2).min(BATCH_ROWS);
        }
    }

    fn rewind(&mut self) {
        self.groups = Groups::new(self.runtime, &self.specification);
        self.table.clear();
        self.input.rewind();
    }
}
