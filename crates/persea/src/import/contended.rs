//! Writing a batch whose documents others may write as well.
//!
//! What holds documents waits for none, so imports cannot stop each other for good: at the first document that is lost to
//! another transaction, what stands before it is committed, and that one is waited for alone. A document is lost if another
//! transaction holds it, or has changed it since the snapshot; on a newer one it can be had.

use std::thread;
use std::time::{Duration, Instant};

use persea_collections::{Error as WriteError, InsertTally, LockTimeouts, TransactionOptions, WriteOptions};

use super::batch::Batch;
use crate::collection::Collection;
use crate::error::Result;

/// How long the next document is waited for at least, once one was to be had.
const PATIENCE_MIN: Duration = Duration::from_millis(1);

/// Writes batches one by one.
pub(super) struct ContendedWriter {
    collection: Collection,
    options: WriteOptions,
    patience_max: Duration,
    /// How long the next document is waited for. Each wait in vain halves it, so that all of them together take no longer
    /// than twice the first; each that was not in vain doubles it again.
    patience: Duration,
}

/// What became of the attempt to write one document.
enum Attempt {
    Done(InsertTally),
    Lost(WriteError),
}

impl ContendedWriter {
    /// `patience` is how long a document that others hold is waited for.
    pub(super) fn new(collection: Collection, options: WriteOptions, patience: Duration) -> ContendedWriter {
        ContendedWriter { collection, options, patience_max: patience, patience }
    }

    /// How a transaction begins that takes no document that another holds.
    pub(super) fn without_waiting(collection: &Collection) -> TransactionOptions {
        waiting(collection, Duration::ZERO)
    }

    /// Writes all documents of a batch, in order.
    ///
    /// # Errors
    /// When writing fails altogether; parts may have been written.
    pub(super) fn write(&mut self, batch: &Batch) -> Result<InsertTally> {
        // A transaction of the caller's holds what it has until its end, and can't be tried again.
        if self.collection.database().bound().is_some() {
            return self
                .collection
                .write(|tx| tx.insert_and_count(self.collection.inner(), batch.documents(0), &self.options));
        }
        let mut tally = InsertTally::default();
        let mut position = 0;
        while position < batch.len() {
            let (n_written, part) = self.write_until_lost(batch, position)?;
            tally.append(position, part);
            position += n_written;
            if position < batch.len() {
                tally.append(position, self.write_lost(batch, position)?);
                position += 1;
            }
        }
        Ok(tally)
    }

    /// Writes the documents from a position on, up to the first that is lost. Returns how many that are.
    fn write_until_lost(&self, batch: &Batch, position: usize) -> Result<(usize, InsertTally)> {
        let database = self.collection.database().inner();
        let mut transaction = database.begin_with(&Self::without_waiting(&self.collection))?;
        let documents = batch.documents(position);
        let mut tally = transaction.insert_until_lost(self.collection.inner(), documents, &self.options)?;
        let n_decided = match take_lost(&mut tally) {
            Some((lost, _)) => lost,
            None => batch.len() - position,
        };
        match transaction.commit() {
            Ok(()) => Ok((n_decided, tally)),
            Err(error) if error.is_retryable() => Ok((0, InsertTally::default())),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes one document, for which others are waited for; whoever holds it for too long makes it an error.
    fn write_lost(&mut self, batch: &Batch, position: usize) -> Result<InsertTally> {
        let begun = Instant::now();
        loop {
            let left = self.patience.saturating_sub(begun.elapsed());
            match self.attempt(batch, position, left)? {
                Attempt::Done(tally) => {
                    self.patience = (self.patience * 2).max(PATIENCE_MIN).min(self.patience_max);
                    return Ok(tally);
                }
                Attempt::Lost(error) if left.is_zero() => {
                    self.patience /= 2;
                    return Ok(InsertTally { errors: vec![(0, error)], ..InsertTally::default() });
                }
                // It was changed before it could be locked, or part of a deadlock that the others come out of now.
                Attempt::Lost(_) => thread::yield_now(),
            }
        }
    }

    fn attempt(&self, batch: &Batch, position: usize, wait_max: Duration) -> Result<Attempt> {
        let database = self.collection.database().inner();
        let mut transaction = database.begin_with(&waiting(&self.collection, wait_max))?;
        let document = batch.documents(position).take(1);
        let outcome = transaction.insert_until_lost(self.collection.inner(), document, &self.options);
        let outcome = outcome.and_then(|mut tally| match take_lost(&mut tally) {
            Some((_, error)) => Err(error),
            None => transaction.commit().map(|()| tally),
        });
        match outcome {
            Ok(tally) => Ok(Attempt::Done(tally)),
            Err(error) if error.is_retryable() || matches!(error, WriteError::Deadlock) => {
                Ok(Attempt::Lost(error))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// How a transaction begins that waits so long for documents that others hold.
fn waiting(collection: &Collection, wait_max: Duration) -> TransactionOptions {
    let timeouts = LockTimeouts { key: wait_max, ..LockTimeouts::default() };
    collection.writing().with_lock_timeouts(timeouts)
}

/// Takes out the document that was lost, which is the last of the errors.
fn take_lost(tally: &mut InsertTally) -> Option<(usize, WriteError)> {
    tally.errors.pop_if(|(_, error)| error.is_retryable())
}
