//! The groups of a Collect: their values, aggregates and members.

use persea_functions::{AggregateKind, AggregateState};
use persea_order::{Value, equal};

use super::{Content, Specification};
use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::check_range;
use crate::memory::Reservation;
use crate::runtime::Runtime;

/// One aggregate of all groups.
enum AggregateColumn {
    /// Counts need no more than a number each.
    Counts(Vec<u64>),
    States(AggregateKind, Vec<AggregateState>),
}

/// Groups in the order in which they were found.
pub(super) struct Groups<'q> {
    runtime: &'q Runtime,
    /// Copies of the group values, in columns 0, 1, …
    values: Batch<'q>,
    len: usize,
    aggregates: Vec<AggregateColumn>,
    /// For INTO the rows of each group, and the batches they lie in.
    members: Vec<Vec<(u32, u32)>>,
    batches: Vec<Batch<'q>>,
    reservation: Reservation,
}

impl<'q> Groups<'q> {
    pub(super) fn new(runtime: &'q Runtime, specification: &Specification<'q>) -> Self {
        let aggregates = specification
            .aggregates
            .iter()
            .map(|(kind, ..)| {
                if kind.only_counts() {
                    AggregateColumn::Counts(Vec::new())
                } else {
                    AggregateColumn::States(*kind, Vec::new())
                }
            })
            .collect();
        Groups {
            runtime,
            values: Batch::new(&runtime.memory),
            len: 0,
            aggregates,
            members: Vec::new(),
            batches: Vec::new(),
            reservation: Reservation::new(&runtime.memory),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether a row has the values of a group.
    pub(super) fn matches(&self, group: usize, batch: &Batch<'q>, row: usize, inputs: &[Register]) -> bool {
        inputs
            .iter()
            .enumerate()
            .all(|(column, &input)| equal(self.values.value(column, group), batch.value(input, row)))
    }

    /// Adds an empty group with copies of some values of a row.
    pub(super) fn add_group(&mut self, batch: &Batch<'q>, row: usize, kept: &[Register]) -> usize {
        for (column, &input) in kept.iter().enumerate() {
            self.values.push_copy(column, batch.value(input, row));
        }
        for aggregate in &mut self.aggregates {
            match aggregate {
                AggregateColumn::Counts(counts) => counts.push(0),
                AggregateColumn::States(kind, states) => states.push(AggregateState::new(*kind)),
            }
        }
        self.members.push(Vec::new());
        self.len += 1;
        self.len - 1
    }

    /// Takes in a batch whose rows belong to the given groups.
    pub(super) fn add_rows(
        &mut self,
        mut batch: Batch<'q>,
        group_of: &[u32],
        specification: &Specification<'q>,
    ) -> Result<(), Error> {
        for (aggregate, (_, input, _)) in self.aggregates.iter_mut().zip(&specification.aggregates) {
            match aggregate {
                AggregateColumn::Counts(counts) => {
                    group_of.iter().for_each(|&group| counts[group as usize] += 1);
                }
                AggregateColumn::States(_, states) => {
                    let Some(input) = input else { continue };
                    let values = batch.column(*input);
                    let value = |row: usize| values.get(row).copied().unwrap_or(Value::NULL);
                    match &mut states[..] {
                        [state] if values.len() == group_of.len() => state.add_column(values)?,
                        states => {
                            for (row, &group) in group_of.iter().enumerate() {
                                states[group as usize].add(value(row))?;
                            }
                        }
                    }
                }
            }
        }
        if let Some((content, _)) = &specification.into {
            let number = self.batches.len() as u32;
            for (row, &group) in group_of.iter().enumerate() {
                self.members[group as usize].push((number, row as u32));
            }
            batch.keep_columns(&content.registers());
            self.batches.push(batch);
        }
        self.reservation.resize(self.bytes())
    }

    fn bytes(&self) -> usize {
        let aggregates: usize = self
            .aggregates
            .iter()
            .map(|aggregate| match aggregate {
                AggregateColumn::Counts(counts) => counts.capacity() * 8,
                // Looking at each state for each batch would cost more than the states of most aggregates hold.
                AggregateColumn::States(_, states) => {
                    let sampled: usize = states.iter().take(64).map(AggregateState::heap_bytes).sum();
                    states.capacity() * size_of::<AggregateState>() + sampled * (states.len() / 64).max(1)
                }
            })
            .sum();
        let batches: usize = self.batches.iter().map(Batch::column_bytes).sum();
        let rows = self.batches.iter().map(|batch| batch.len() * 8).sum::<usize>();
        aggregates + batches + rows + self.values.column_bytes()
    }

    /// The output rows of some groups.
    pub(super) fn output(
        &self,
        groups: std::ops::Range<usize>,
        specification: &Specification<'q>,
    ) -> Result<Batch<'q>, Error> {
        let mut batch = Batch::new(&self.runtime.memory);
        for (column, out) in specification.outs().into_iter().enumerate() {
            batch.write_from(&self.values, &[out], |_, values, columns| {
                if let [out] = columns {
                    out.extend_from_slice(values.column(column).get(groups.clone()).unwrap_or_default());
                }
                Ok(())
            })?;
        }
        for (aggregate, (_, _, out)) in self.aggregates.iter().zip(&specification.aggregates) {
            batch.fill(*out, |scope, column| {
                for group in groups.clone() {
                    column.push(match aggregate {
                        AggregateColumn::Counts(counts) => Value::from_u64(counts[group]),
                        AggregateColumn::States(_, states) => {
                            states[group].finish(scope.arena(), &self.runtime.env)?
                        }
                    });
                }
                Ok(())
            })?;
        }
        if let Some((content, out)) = &specification.into {
            batch.fill(*out, |scope, column| {
                for group in groups.clone() {
                    let mut builder = persea_functions::ArenaBuilder::new(scope.arena(), &self.runtime.env);
                    builder.open_array();
                    for &(number, row) in &self.members[group] {
                        self.add_member(content, number as usize, row as usize, &mut builder)?;
                    }
                    builder.close();
                    column.push(builder.finish()?);
                }
                Ok(())
            })?;
        }
        batch.set_len(groups.len());
        Ok(batch)
    }

    fn add_member(
        &self,
        content: &Content<'q>,
        batch: usize,
        row: usize,
        builder: &mut persea_functions::ArenaBuilder<'_>,
    ) -> Result<(), Error> {
        let batch = &self.batches[batch];
        match content {
            Content::Value(register) => {
                let value = batch.value(*register, row);
                check_range(value)?;
                builder.add(value);
            }
            Content::Variables(variables) => {
                builder.open_object();
                for (name, register) in variables {
                    let value = batch.value(*register, row);
                    check_range(value)?;
                    builder.entry(name, value);
                }
                builder.close();
            }
        }
        Ok(())
    }

    /// Forgets the first groups; those after them take their places.
    pub(super) fn drop_first(&mut self, count: usize) {
        let kept: Vec<u32> = (count as u32..self.len as u32).collect();
        self.values.set_len(self.len);
        let mut values = Batch::new(&self.runtime.memory);
        let columns: Vec<Register> = self.values.written_registers().collect();
        values.copy_rows(&self.values, &kept, &columns);
        self.values = values;
        for aggregate in &mut self.aggregates {
            match aggregate {
                AggregateColumn::Counts(counts) => drop(counts.drain(..count)),
                AggregateColumn::States(_, states) => drop(states.drain(..count)),
            }
        }
        self.members.drain(..count);
        self.len -= count;
        // Batches that only the dropped groups refer to go too.
        let first_used = self.members.iter().flatten().map(|&(batch, _)| batch as usize).min();
        let unused = first_used.unwrap_or(self.batches.len());
        self.batches.drain(..unused);
        for (batch, _) in self.members.iter_mut().flatten() {
            *batch -= unused as u32;
        }
    }
}
