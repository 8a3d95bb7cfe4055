//! Window: aggregates over the rows around each row. All rows are gathered first; they keep their order and columns.

use std::ops::Range;

use persea_functions::{AggregateKind, AggregateState};
use persea_order::Value;
use persea_planner::plan::{self, VarId};

use super::aggregates::{Aggregate, aggregates};
use super::window_bounds::Bounds;
use super::{BoxedOperator, Live, Operator};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::memory::Reservation;
use crate::runtime::Runtime;

/// See the head of this file.
pub(crate) struct Window<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    bounds: Bounds<'q>,
    aggregates: Vec<Aggregate>,
    live: Live,
    results: Option<std::vec::IntoIter<Batch<'q>>>,
    reservation: Reservation,
}

impl<'q> Window<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        node: &'q plan::WindowNode,
        live: Live,
    ) -> Result<Self, Error> {
        let aggregates = aggregates(&node.aggregates)?;
        Ok(Window {
            input,
            runtime,
            bounds: Bounds::compile(node.range.map(VarId::index), &node.bounds)?,
            aggregates,
            live,
            results: None,
            reservation: Reservation::new(&runtime.memory),
        })
    }

    fn run(&mut self) -> Result<Vec<Batch<'q>>, Error> {
        let mut batches = Vec::new();
        while let Some(batch) = self.input.next(BATCH_ROWS)? {
            self.runtime.check()?;
            self.reservation.grow(batch.column_bytes())?;
            batches.push(batch);
        }
        let windows = self.bounds.windows(&mut batches, self.runtime)?;
        // Where each row lies, for windows that reach into other batches.
        let places: Vec<(u32, u32)> = batches
            .iter()
            .enumerate()
            .flat_map(|(number, batch)| (0..batch.len() as u32).map(move |row| (number as u32, row)))
            .collect();
        self.reservation.grow(windows.len() * (size_of::<Option<Range<usize>>>() + 8))?;
        let mut results: Vec<Batch<'q>> = Vec::with_capacity(batches.len());
        for (kind, input, out) in &self.aggregates {
            let mut sliding = Sliding::new(*kind, *input, &places);
            let mut columns: Vec<Batch<'q>> = Vec::with_capacity(batches.len());
            let mut first = 0;
            for batch in &batches {
                self.runtime.check()?;
                let mut column = Batch::new(&self.runtime.memory);
                column.fill(*out, |scope, values| {
                    for window in &windows[first..first + batch.len()] {
                        values.push(match window {
                            Some(window) => {
                                sliding.move_to(window, &batches)?;
                                sliding.state.finish(scope.arena(), &self.runtime.env)?
                            }
                            None => Value::NULL,
                        });
                    }
                    Ok(())
                })?;
                first += batch.len();
                columns.push(column);
            }
            // Results are attached only after all windows have been read, since they share the batches.
            for (batch, column) in batches.iter_mut().zip(&columns) {
                batch.write_from(column, &[*out], |_, column, columns| {
                    if let [target] = columns {
                        target.clear();
                        target.extend_from_slice(column.column(*out));
                    }
                    Ok(())
                })?;
            }
        }
        for mut batch in batches {
            batch.keep_columns(&self.live);
            results.push(batch);
        }
        Ok(results)
    }
}

/// One aggregate whose window moves forward. While only its end moves, rows are added; otherwise it starts anew.
struct Sliding<'w> {
    state: AggregateState,
    input: Option<Register>,
    places: &'w [(u32, u32)],
    window: Range<usize>,
}

impl<'w> Sliding<'w> {
    fn new(kind: AggregateKind, input: Option<Register>, places: &'w [(u32, u32)]) -> Self {
        Sliding { state: AggregateState::new(kind), input, places, window: 0..0 }
    }

    fn move_to(&mut self, window: &Range<usize>, batches: &[Batch<'_>]) -> Result<(), Error> {
        if window.start != self.window.start || window.end < self.window.end {
            self.state.reset();
            self.window = window.start..window.start;
        }
        for &(batch, row) in &self.places[self.window.end..window.end] {
            match self.input {
                Some(input) => self.state.add(batches[batch as usize].value(input, row as usize))?,
                None => self.state.add_rows(1),
            }
        }
        self.window = window.clone();
        Ok(())
    }
}

impl<'q> Operator<'q> for Window<'q> {
    fn next(&mut self, _wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let mut results = match self.results.take() {
            Some(results) => results,
            None => self.run()?.into_iter(),
        };
        let next = results.next();
        self.results = Some(results);
        Ok(next)
    }

    fn rewind(&mut self) {
        self.results = None;
        self.input.rewind();
    }
}
