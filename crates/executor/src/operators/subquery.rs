//! Subquery: runs a nested pipeline for each row and binds its results as an array.
//!
//! A pipeline whose operators treat each row by itself is run once for a whole batch: an extra column numbers the
//! surrounding rows, and the results come back in that order. Others (with a SORT, LIMIT or COLLECT of their own) are
//! rewound and run row by row.

use persea_functions::ArenaBuilder;
use persea_order::Value;
use persea_vpack::Slice;

use super::{BoxedOperator, Inlet, Live, Operator, evaluator};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::{Compiled, check_range};
use crate::runtime::Runtime;

/// How the nested pipeline is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubqueryMode {
    /// Once for the whole query.
    Constant,
    /// Once for each input batch; the register numbers the surrounding rows.
    Batched(Register),
    /// Once for each row.
    RowByRow,
    /// Once for each row, and each row is passed on before the next one is run.
    RowAtATime,
}

/// The parts of a subquery.
pub(crate) struct SubqueryParts<'q> {
    pub(crate) pipeline: BoxedOperator<'q>,
    pub(crate) inlet: Inlet<'q>,
    pub(crate) mode: SubqueryMode,
    /// The register of the results in the nested pipeline; none if it ends in a modification.
    pub(crate) result: Option<Register>,
    pub(crate) only_count: bool,
    pub(crate) guard: Option<Compiled<'q>>,
    pub(crate) captures: Live,
    pub(crate) out: Register,
}

/// See the head of this file.
pub(crate) struct Subquery<'q> {
    pub(crate) input: BoxedOperator<'q>,
    pub(crate) runtime: &'q Runtime,
    pub(crate) parts: SubqueryParts<'q>,
    pub(crate) live: Live,
    /// The result of a constant subquery, in column 0.
    constant: Option<Batch<'q>>,
    /// Rows of the input that have not been passed on, when that happens one at a time.
    waiting: Option<Batch<'q>>,
}

impl<'q> Subquery<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        parts: SubqueryParts<'q>,
        live: Live,
    ) -> Self {
        Subquery { input, runtime, parts, live, constant: None, waiting: None }
    }

    /// The rows for which the subquery is run.
    fn guarded(&self, batch: &mut Batch<'q>) -> Result<Vec<u32>, Error> {
        let mut rows: Vec<u32> = (0..batch.len() as u32).collect();
        if let Some(guard) = &self.parts.guard {
            batch.write(&[], |scope, _| evaluator(scope, self.runtime).select(guard, &mut rows))?;
        }
        Ok(rows)
    }

    /// Makes rows of the surrounding query the input of the pipeline.
    fn feed(&mut self, batch: &Batch<'q>, rows: &[u32]) -> Result<(), Error> {
        let mut inlet = Batch::new(&self.runtime.memory);
        inlet.gather(batch, rows, &self.parts.captures);
        if let SubqueryMode::Batched(ordinal) = self.parts.mode {
            inlet.fill(ordinal, |_, column| {
                column.extend(rows.iter().map(|&row| Value::from_i64(i64::from(row))));
                Ok(())
            })?;
        }
        *self.parts.inlet.surrounding.borrow_mut() = Some(inlet.sibling_with(&self.parts.captures));
        *self.parts.inlet.batch.borrow_mut() = Some(inlet);
        self.parts.pipeline.rewind();
        Ok(())
    }

    /// Runs the pipeline to its end and appends its results to an open array.
    fn run_into(&mut self, builder: &mut ArenaBuilder<'_>) -> Result<(), Error> {
        while let Some(results) = self.parts.pipeline.next(BATCH_ROWS)? {
            self.runtime.check()?;
            let Some(result) = self.parts.result else { continue };
            for row in 0..results.len() {
                self.add_result(builder, results.value(result, row))?;
            }
        }
        Ok(())
    }

    fn add_result(&self, builder: &mut ArenaBuilder<'_>, value: Value<'_>) -> Result<(), Error> {
        if self.parts.only_count {
            builder.add(Value::NULL);
        } else {
            check_range(value)?;
            builder.add(value);
        }
        Ok(())
    }

    fn run_constant(&mut self, batch: &mut Batch<'q>) -> Result<(), Error> {
        let mut constant = match self.constant.take() {
            Some(constant) => constant,
            None => {
                let mut constant = Batch::new(&self.runtime.memory);
                self.feed(&constant, &[])?;
                if let Some(inlet) = self.parts.inlet.batch.borrow_mut().as_mut() {
                    inlet.set_len(1);
                }
                constant.fill(0, |scope, column| {
                    let mut builder = ArenaBuilder::new(scope.arena(), &self.runtime.env);
                    builder.open_array();
                    self.run_into(&mut builder)?;
                    builder.close();
                    column.push(builder.finish()?);
                    Ok(())
                })?;
                constant.set_len(1);
                constant
            }
        };
        let rows = self.guarded(batch)?;
        let len = batch.len();
        batch.write_from(&constant, &[self.parts.out], |_, constant, columns| {
            if let [column] = columns {
                column.clear();
                column.resize(len, Value::NULL);
                rows.iter().for_each(|&row| column[row as usize] = constant.value(0, 0));
            }
            Ok(())
        })?;
        constant.set_len(1);
        self.constant = Some(constant);
        Ok(())
    }

    fn run_batched(&mut self, batch: &mut Batch<'q>, ordinal: Register) -> Result<(), Error> {
        let rows = self.guarded(batch)?;
        self.feed(batch, &rows)?;
        let len = batch.len();
        batch.fill(self.parts.out, |scope, column| {
            column.resize(len, Value::NULL);
            let mut open: Option<ArenaBuilder<'_>> = None;
            // Arrays are closed in the order of the rows; a row without results gets an empty one.
            let mut next = 0;
            while let Some(results) = self.parts.pipeline.next(BATCH_ROWS)? {
                self.runtime.check()?;
                for row in 0..results.len() {
                    let owner = results.value(ordinal, row).as_i64().unwrap_or(0) as u32;
                    while rows.get(next).is_some_and(|&current| current < owner) {
                        column[rows[next] as usize] = finish_array(&mut open)?;
                        next += 1;
                    }
                    let builder = open.get_or_insert_with(|| open_array(scope.arena(), self.runtime));
                    let value = match self.parts.result {
                        Some(result) if !self.parts.only_count => results.value(result, row),
                        _ => Value::NULL,
                    };
                    check_range(value)?;
                    builder.add(value);
                }
            }
            for &row in &rows[next..] {
                column[row as usize] = finish_array(&mut open)?;
            }
            Ok(())
        })
    }

    fn run_by_row(&mut self, batch: &mut Batch<'q>) -> Result<(), Error> {
        let rows = self.guarded(batch)?;
        let len = batch.len();
        let source = batch.sibling_with(&self.parts.captures);
        batch.fill(self.parts.out, |scope, column| {
            column.resize(len, Value::NULL);
            for &row in &rows {
                self.feed(&source, &[row])?;
                let mut builder = open_array(scope.arena(), self.runtime);
                self.run_into(&mut builder)?;
                builder.close();
                column[row as usize] = builder.finish()?;
            }
            Ok(())
        })
    }

    fn next_waiting(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let mut waiting = match self.waiting.take() {
            Some(waiting) => waiting,
            None => match self.input.next(wanted)? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        let registers: Vec<Register> = waiting.written_registers().collect();
        let mut batch = Batch::new(&self.runtime.memory);
        batch.gather(&waiting, &[0], &registers);
        waiting.skip(1);
        if !waiting.is_empty() {
            self.waiting = Some(waiting);
        }
        Ok(Some(batch))
    }
}

fn open_array<'s>(arena: &'s bumpalo::Bump, runtime: &'s Runtime) -> ArenaBuilder<'s> {
    let mut builder = ArenaBuilder::new(arena, &runtime.env);
    builder.open_array();
    builder
}

/// The array that is open, or an empty one.
fn finish_array<'s>(open: &mut Option<ArenaBuilder<'s>>) -> Result<Value<'s>, Error> {
    match open.take() {
        Some(mut builder) => {
            builder.close();
            Ok(builder.finish()?)
        }
        None => Ok(Value::from_slice(Slice::empty_array())),
    }
}

impl<'q> Operator<'q> for Subquery<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let next = match self.parts.mode {
            SubqueryMode::RowAtATime => self.next_waiting(wanted)?,
            _ => self.input.next(wanted)?,
        };
        let Some(mut batch) = next else { return Ok(None) };
        self.runtime.check()?;
        match self.parts.mode {
            SubqueryMode::Constant => self.run_constant(&mut batch)?,
            SubqueryMode::Batched(ordinal) => self.run_batched(&mut batch, ordinal)?,
            SubqueryMode::RowByRow | SubqueryMode::RowAtATime => self.run_by_row(&mut batch)?,
        }
        batch.keep_columns(&self.live);
        Ok(Some(batch))
    }

    fn rewind(&mut self) {
        self.waiting = None;
        self.input.rewind();
    }
}
