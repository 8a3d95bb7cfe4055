//! NoResults: no rows, and none are asked for.

use super::Operator;
use crate::Error;
use crate::batch::Batch;

/// Produces nothing.
pub(crate) struct NoResults;

impl<'q> Operator<'q> for NoResults {
    fn next(&mut self, _wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        Ok(None)
    }

    fn rewind(&mut self) {}
}
