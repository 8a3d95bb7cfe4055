//! Writing a batch whose documents others write as well.
//!
//! A batch holds many documents for long, so beside others of its size it may lose each time. An import is no unit, but
//! for a complete one, so what has lost is written in parts, in order: they hold less, for a shorter time.

use std::ops::Range;
use std::time::{Duration, Instant};

use persea_collections::{Error as WriteError, InsertTally, WriteOptions};

use super::batch::Batch;
use crate::collection::Collection;
use crate::error::Result;

/// How long an import goes on dividing what has lost: who holds a document of each batch must not hold it for hours.
const PATIENCE: Duration = Duration::from_secs(10);
/// So few documents that have lost are written by themselves; of more, the part is halved.
const N_LOST_FEW: usize = 8;

/// Writes batches one by one.
pub(super) struct ContendedWriter {
    collection: Collection,
    options: WriteOptions,
    patience: Duration,
}

impl ContendedWriter {
    pub(super) fn new(collection: Collection, options: WriteOptions) -> ContendedWriter {
        ContendedWriter { collection, options, patience: PATIENCE }
    }

    /// Writes all documents of a batch.
    ///
    /// # Errors
    /// When writing fails altogether; parts may have been written.
    pub(super) fn write(&mut self, batch: &Batch) -> Result<InsertTally> {
        self.write_part(batch, 0..batch.len())
    }

    fn write_part(&mut self, batch: &Batch, part: Range<usize>) -> Result<InsertTally> {
        let begun = Instant::now();
        // A transaction of the caller's holds what it has until its end, and can't be tried again.
        if part.len() <= 1 || self.patience.is_zero() || self.collection.database().bound().is_some() {
            let documents = || batch.documents().skip(part.start).take(part.len());
            let tally = self.collection.insert_and_count(documents, &self.options);
            self.patience = self.patience.saturating_sub(begun.elapsed());
            return tally;
        }
        let middle = part.start.midpoint(part.end);
        let mut outcome = self.try_once(batch, &part);
        // Behind what it has lost against it gets through, unless there is more of it.
        if outcome.as_ref().is_ok_and(has_lost) {
            outcome = self.try_once(batch, &part);
        }
        let cut = match outcome {
            Ok(tally) => match first_of_few_lost(&tally) {
                None if !has_lost(&tally) => return Ok(tally),
                None => middle..middle,
                Some(first) => part.start + first..part.start + first + 1,
            },
            Err(error) if error.is_retryable() || matches!(error, WriteError::Deadlock) => middle..middle,
            Err(error) => return Err(error.into()),
        };
        self.patience = self.patience.saturating_sub(begun.elapsed());
        let mut tally = InsertTally::default();
        for smaller in [part.start..cut.start, cut.clone(), cut.end..part.end] {
            if !smaller.is_empty() {
                tally.append(smaller.start - part.start, self.write_part(batch, smaller)?);
            }
        }
        Ok(tally)
    }

    /// Writes the documents, unless some have lost against others: then it is told which, and nothing is written.
    fn try_once(&self, batch: &Batch, part: &Range<usize>) -> persea_collections::Result<InsertTally> {
        let database = self.collection.database().inner();
        let mut transaction = database.begin_with(&self.collection.writing())?;
        let documents = batch.documents().skip(part.start).take(part.len());
        let tally = transaction.insert_and_count(self.collection.inner(), documents, &self.options)?;
        if !has_lost(&tally) {
            transaction.commit()?;
        }
        Ok(tally)
    }
}

fn has_lost(tally: &InsertTally) -> bool {
    tally.errors.iter().any(|(_, error)| error.is_retryable())
}

fn first_of_few_lost(tally: &InsertTally) -> Option<usize> {
    let mut lost = tally.errors.iter().filter(|(_, error)| error.is_retryable());
    let (first, _) = lost.next()?;
    (lost.count() < N_LOST_FEW).then_some(*first)
}
