//! Hash collect: all groups at once, found by the hash of their values.

use hashbrown::HashTable;

use super::{Groups, Specification};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::operators::{BoxedOperator, Operator, combine_hash};
use crate::runtime::Runtime;

/// Groups rows in any order. Without group values there is exactly one group, also for empty input.
pub(crate) struct HashCollect<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    specification: Specification<'q>,
    inputs: Vec<Register>,
    kept: Vec<Register>,
    groups: Option<Groups<'q>>,
    next: usize,
}

/// Hashes the group values of each row of a batch.
pub(super) fn hash_rows(batch: &Batch<'_>, inputs: &[Register], out: &mut Vec<u64>) {
    out.clear();
    out.resize(batch.len(), 0);
    for &input in inputs {
        for (combined, value) in out.iter_mut().zip(batch.column(input)) {
            *combined = combine_hash(*combined, *value);
        }
    }
}

impl<'q> HashCollect<'q> {
    pub(super) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        specification: Specification<'q>,
    ) -> Self {
        let (inputs, kept) = (specification.inputs(), specification.kept());
        HashCollect { input, runtime, specification, inputs, kept, groups: None, next: 0 }
    }

    fn gather(&mut self) -> Result<Groups<'q>, Error> {
        let mut groups = Groups::new(self.runtime, &self.specification);
        let mut table: HashTable<(u64, u32)> = HashTable::new();
        let (mut hashes, mut group_of) = (Vec::new(), Vec::new());
        while let Some(batch) = self.input.next(BATCH_ROWS)? {
            self.runtime.check()?;
            group_of.clear();
            if self.inputs.is_empty() {
                if groups.len() == 0 {
                    groups.add_group(&batch, 0, &self.kept);
                }
                group_of.resize(batch.len(), 0);
            } else {
                hash_rows(&batch, &self.inputs, &mut hashes);
                for (row, &row_hash) in hashes.iter().enumerate() {
                    let known = table.find(row_hash, |&(other, group)| {
                        other == row_hash && groups.matches(group as usize, &batch, row, &self.inputs)
                    });
                    group_of.push(match known {
                        Some(&(_, group)) => group,
                        None => {
                            let group = groups.add_group(&batch, row, &self.kept) as u32;
                            table.insert_unique(row_hash, (row_hash, group), |&(hash, _)| hash);
                            group
                        }
                    });
                }
            }
            groups.add_rows(batch, &group_of, &self.specification)?;
        }
        if self.inputs.is_empty() && groups.len() == 0 {
            let surrounding = self.specification.inlet.as_ref().map(|inlet| inlet.surrounding.borrow());
            match surrounding.as_ref().and_then(|rows| rows.as_ref()) {
                Some(surrounding) => groups.add_group(surrounding, 0, &self.kept),
                None => groups.add_group(&Batch::new(&self.runtime.memory), 0, &self.kept),
            };
        }
        Ok(groups)
    }
}

impl<'q> Operator<'q> for HashCollect<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let groups = match self.groups.take() {
            Some(groups) => groups,
            None => self.gather()?,
        };
        self.runtime.check()?;
        let end = groups.len().min(self.next + wanted.clamp(1, BATCH_ROWS));
        let batch = groups.output(self.next..end, &self.specification)?;
        self.next = end;
        self.groups = Some(groups);
        Ok(if batch.is_empty() { None } else { Some(batch) })
    }

    fn rewind(&mut self) {
        self.groups = None;
        self.next = 0;
        self.input.rewind();
    }
}
