//! Profiled: measures another operator.

use std::time::Instant;

use super::{BoxedOperator, Operator};
use crate::Error;
use crate::batch::Batch;
use crate::runtime::Runtime;

/// Counts calls, rows and time of an operator, time of the operators before it included; what is the operator's own is
/// worked out at the end.
pub(crate) struct Profiled<'q> {
    pub(crate) inner: BoxedOperator<'q>,
    pub(crate) runtime: &'q Runtime,
    /// Position among the figures of the nodes.
    pub(crate) slot: usize,
}

impl<'q> Operator<'q> for Profiled<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let started = Instant::now();
        let filtered_before = self.runtime.counters.filtered.get();
        let result = self.inner.next(wanted);
        if let Some(figures) = self.runtime.counters.nodes.borrow_mut().get_mut(self.slot) {
            let figures = &mut figures.profile;
            figures.calls += 1;
            figures.runtime += started.elapsed();
            figures.filtered += self.runtime.counters.filtered.get() - filtered_before;
            if let Ok(Some(batch)) = &result {
                figures.items += batch.len() as u64;
            }
        }
        result
    }

    fn rewind(&mut self) {
        self.inner.rewind();
    }
}
