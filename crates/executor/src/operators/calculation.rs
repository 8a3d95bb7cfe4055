//! Calculation: one more column.

use super::{BoxedOperator, Live, Operator, compute};
use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::Compiled;
use crate::runtime::Runtime;

/// Computes an expression for each row.
pub(crate) struct Calculation<'q> {
    pub(crate) input: BoxedOperator<'q>,
    pub(crate) runtime: &'q Runtime,
    pub(crate) expr: Compiled<'q>,
    pub(crate) out: Register,
    pub(crate) live: Live,
}

impl<'q> Operator<'q> for Calculation<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let Some(mut batch) = self.input.next(wanted)? else { return Ok(None) };
        self.runtime.check()?;
        compute(&mut batch, &self.expr, self.out, self.runtime)?;
        batch.keep_columns(&self.live);
        Ok(Some(batch))
    }

    fn rewind(&mut self) {
        self.input.rewind();
    }
}
