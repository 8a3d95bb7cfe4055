//! Batches of an import, each a commit of its own: while one is being written, the next is prepared.
//!
//! What is prepared does not see what is still being written, and need not: a document whose key is in the batch before is
//! lost to that batch as to any other transaction, and its batch is written anew behind it. So is one with a document
//! whose unique value another had, which the batch before may have given up. So the outcome is that of one batch after the
//! other.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use persea_collections::{InsertTally, OverwriteMode, Transaction, WriteOptions};

use super::batch::Batch;
use super::contended::ContendedWriter;
use crate::collection::Collection;
use crate::error::Result;

/// A batch that was written, and what became of its documents.
pub(super) struct Written {
    pub(super) batch: Batch,
    pub(super) tally: InsertTally,
}

/// A batch that only lacks its commit.
struct Prepared {
    transaction: Transaction,
    tally: InsertTally,
}

/// A batch that is being committed.
struct UnderWay {
    batch: Batch,
    tally: InsertTally,
    commit: JoinHandle<persea_collections::Result<()>>,
}

/// Writes batches in order.
pub(super) struct Batches {
    collection: Collection,
    options: WriteOptions,
    contended: ContendedWriter,
    under_way: Option<UnderWay>,
    /// A batch had a document of the one before, it seems, so others are expected to, and wait for theirs.
    do_collide: bool,
}

impl Batches {
    /// `patience` is how long a document that others hold is waited for.
    pub(super) fn new(collection: Collection, options: WriteOptions, patience: Duration) -> Batches {
        let contended = ContendedWriter::new(collection.clone(), options.clone(), patience);
        Batches { collection, options, contended, under_way: None, do_collide: false }
    }

    /// Has a batch written behind those before it. What has come to its end by then is added to `written`.
    ///
    /// # Errors
    /// When writing fails altogether: this batch, and one before that is not in `written`, are not or only partly written
    /// then. With a sync that failed, the last one in it is visible, and may not survive a power failure.
    pub(super) fn write(&mut self, batch: Batch, written: &mut Vec<Written>) -> Result<()> {
        // A transaction of the caller's does one thing at a time.
        if self.collection.database().bound().is_some() {
            written.push(self.write_now(batch)?);
            return Ok(());
        }
        if self.do_collide {
            self.wait(&mut None, written)?;
        }
        let mut prepared = self.prepare(&batch);
        self.wait(&mut prepared, written)?;
        let started = match prepared {
            Some(prepared) => UnderWay::start(batch, prepared),
            None => Err(batch),
        };
        match started {
            Ok(under_way) => self.under_way = Some(under_way),
            Err(batch) => written.push(self.write_now(batch)?),
        }
        Ok(())
    }

    /// Has the last batch written and waits for it.
    ///
    /// # Errors
    /// As [`write`](Batches::write).
    pub(super) fn finish(&mut self, last: Option<Batch>, written: &mut Vec<Written>) -> Result<()> {
        match last {
            Some(last) if self.under_way.is_none() => written.push(self.write_now(last)?),
            Some(last) => self.write(last, written)?,
            None => {}
        }
        self.wait(&mut None, written)
    }

    fn write_now(&mut self, batch: Batch) -> Result<Written> {
        let tally = self.contended.write(&batch)?;
        Ok(Written { batch, tally })
    }

    /// Does all but the commit; `None` if the batch had better be written after the one before.
    fn prepare(&mut self, batch: &Batch) -> Option<Prepared> {
        // What fails here fails again when the batch is written after the one before, or does not.
        let begin = ContendedWriter::without_waiting(&self.collection);
        let mut transaction = self.collection.database().inner().begin_with(&begin).ok()?;
        let documents = batch.documents(0);
        let tally = transaction.insert_until_lost(self.collection.inner(), documents, &self.options).ok()?;
        let does_collide = tally.errors.iter().any(|(_, error)| self.may_be_of_the_batch_before(error));
        self.do_collide |= does_collide && self.under_way.is_some();
        (!does_collide).then_some(Prepared { transaction, tally })
    }

    /// Whether a document that failed so may succeed when the batch before is written. That one may also give up values
    /// of unique indexes, if it changes documents.
    fn may_be_of_the_batch_before(&self, error: &persea_collections::Error) -> bool {
        let changes_documents =
            matches!(self.options.overwrite_mode, OverwriteMode::Update | OverwriteMode::Replace);
        error.is_retryable()
            || (changes_documents && matches!(error, persea_collections::Error::UniqueConstraint { .. }))
    }

    /// Waits for the batch that is being committed. If it has to be written anew, `next` is given up.
    fn wait(&mut self, next: &mut Option<Prepared>, written: &mut Vec<Written>) -> Result<()> {
        let Some(UnderWay { batch, tally, commit }) = self.under_way.take() else { return Ok(()) };
        match commit.join().unwrap_or_else(|panic| resume_unwind(panic)) {
            Ok(()) => written.push(Written { batch, tally }),
            Err(error) if error.is_committed() => {
                written.push(Written { batch, tally });
                return Err(error.into());
            }
            Err(error) if error.is_retryable() => {
                *next = None;
                written.push(self.write_now(batch)?);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl UnderWay {
    /// Gives the batch back, of which nothing is written, where no thread is to be had.
    fn start(batch: Batch, prepared: Prepared) -> std::result::Result<UnderWay, Batch> {
        let Prepared { transaction, tally } = prepared;
        let thread = thread::Builder::new().name("import".into());
        match thread.spawn(move || transaction.commit()) {
            Ok(commit) => Ok(UnderWay { batch, tally, commit }),
            Err(_) => Err(batch),
        }
    }
}

impl Drop for Batches {
    /// Of an import that was given up nothing goes on in the background.
    fn drop(&mut self) {
        if let Some(UnderWay { commit, .. }) = self.under_way.take() {
            // Whoever wants to know the outcome finishes the import.
            let _ = commit.join();
        }
    }
}
