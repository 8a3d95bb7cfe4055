//! Return: passes on the one column that is the result.

use super::{BoxedOperator, Live, Operator};
use crate::Error;
use crate::batch::Batch;
use crate::runtime::Runtime;

/// The end of a pipeline.
pub(crate) struct ReturnRows<'q> {
    pub(crate) input: BoxedOperator<'q>,
    pub(crate) runtime: &'q Runtime,
    /// The result, and in a subquery what tells its rows apart.
    pub(crate) live: Live,
}

impl<'q> Operator<'q> for ReturnRows<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let Some(mut batch) = self.input.next(wanted)? else { return Ok(None) };
        self.runtime.check()?;
        batch.keep_columns(&self.live);
        Ok(Some(batch))
    }

    fn rewind(&mut self) {
        self.input.rewind();
    }
}
