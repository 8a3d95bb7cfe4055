//! The input of operators that work through it row by row, and may need several batches of output for one of input.

use super::BoxedOperator;
use crate::Error;
use crate::batch::Batch;
use crate::runtime::Runtime;

/// The input, and how far an operator is in it. `T` is what the operator computes once for all rows of an input batch.
pub(crate) struct OuterRows<'q, T = ()> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    unfinished: Option<(Batch<'q>, T)>,
    /// The row that is worked for, in the batch that was taken last.
    pub(crate) row: usize,
}

impl<'q, T> OuterRows<'q, T> {
    pub(crate) fn new(input: BoxedOperator<'q>, runtime: &'q Runtime) -> Self {
        OuterRows { input, runtime, unfinished: None, row: 0 }
    }

    /// The batch that was put back, or else the next one, at its first row and with what `prepare` computes for it;
    /// `None` at the end. Looks whether the query may go on.
    pub(crate) fn take(
        &mut self,
        wanted: usize,
        prepare: impl FnOnce(&Batch<'q>) -> Result<T, Error>,
    ) -> Result<Option<(Batch<'q>, T)>, Error> {
        let taken = match self.unfinished.take() {
            Some(unfinished) => unfinished,
            None => match self.input.next(wanted)? {
                Some(source) => {
                    self.row = 0;
                    let prepared = prepare(&source)?;
                    (source, prepared)
                }
                None => return Ok(None),
            },
        };
        self.runtime.check()?;
        Ok(Some(taken))
    }

    /// Keeps a batch for the next time, unless all its rows are done.
    pub(crate) fn put_back(&mut self, source: Batch<'q>, prepared: T) {
        if self.row < source.len() {
            self.unfinished = Some((source, prepared));
        }
    }

    /// Back to the beginning, for the next row of the surrounding query.
    pub(crate) fn rewind(&mut self) {
        self.unfinished = None;
        self.input.rewind();
    }
}
