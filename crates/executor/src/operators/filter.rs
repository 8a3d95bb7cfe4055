//! Filter: keeps the rows whose condition is truthy.

use super::{BoxedOperator, Live, Operator, filter_rows};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch};
use crate::expression::Compiled;
use crate::runtime::Runtime;

/// Keeps some of the rows.
///
/// The condition is an expression rather than a register where the builder could fold the calculation before the filter
/// into it, so that no column of booleans is written.
pub(crate) struct Filter<'q> {
    pub(crate) input: BoxedOperator<'q>,
    pub(crate) runtime: &'q Runtime,
    pub(crate) condition: Compiled<'q>,
    pub(crate) live: Live,
}

impl<'q> Operator<'q> for Filter<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        // As long as nothing passes, ask for more at a time.
        let mut ask = wanted;
        loop {
            let Some(mut batch) = self.input.next(ask)? else { return Ok(None) };
            self.runtime.check()?;
            let dropped = filter_rows(&mut batch, &self.condition, self.runtime)?;
            self.runtime.counters.filtered.add(dropped);
            if !batch.is_empty() {
                batch.keep_columns(&self.live);
                return Ok(Some(batch));
            }
            ask = (ask * 2).min(BATCH_ROWS);
        }
    }

    fn rewind(&mut self) {
        self.input.rewind();
    }
}
