//! Calculation: more columns.

use super::{BoxedOperator, Live, Operator, compute};
use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::Compiled;
use crate::runtime::Runtime;

/// Computes expressions for each row, one after the other.
///
/// Neighbouring Calculation nodes share one operator, so that long lists of LETs are not nested deeply.
pub(crate) struct Calculation<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    steps: Vec<(Compiled<'q>, Register)>,
    /// Registers kept in the end; all if there is nothing to be dropped.
    live: Option<Live>,
}

impl<'q> Calculation<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        steps: Vec<(Compiled<'q>, Register)>,
        live: Option<Live>,
    ) -> Self {
        Calculation { input, runtime, steps, live }
    }
}

impl<'q> Operator<'q> for Calculation<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let Some(mut batch) = self.input.next(wanted)? else { return Ok(None) };
        self.runtime.check()?;
        for (expr, out) in &self.steps {
            compute(&mut batch, expr, *out, self.runtime)?;
        }
        if let Some(live) = &self.live {
            batch.keep_columns(live);
        }
        Ok(Some(batch))
    }

    fn rewind(&mut self) {
        self.input.rewind();
    }
}
