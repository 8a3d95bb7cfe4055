//! Writing many documents as VelocyPack in one commit: one result or one error an item, in the items' order.

use std::time::{Duration, Instant};

use persea_collections::{Error as WriteError, Transaction, WriteOptions, WriteOutcome};
use persea_vpack::Slice;

use super::Collection;
use crate::error::{Error, Result};

/// One result or one error an item.
type Outcomes = Vec<Result<WriteOutcome>>;
type ItemOutcomes = Vec<std::result::Result<WriteOutcome, WriteError>>;

/// How often a call is tried again because one of its items lost against another transaction.
const ATTEMPTS_MAX: usize = 16;
/// How long it goes on trying; less than for single documents, since what the others of the call have got is lost when
/// nothing is tried any more.
const PATIENCE: Duration = Duration::from_millis(1_500);

impl Collection {
    /// Inserts the members of an array.
    ///
    /// # Errors
    /// 1227 for what is no array; errors of single items are in the results.
    pub fn insert_many_with(&self, documents: Slice<'_>, options: &WriteOptions) -> Result<Outcomes> {
        self.each(|tx| tx.insert_many(&self.inner, documents, options))
    }

    /// Merges each member of an array into the document that its `_key` or `_id` names.
    ///
    /// # Errors
    /// As [`insert_many_with`](Collection::insert_many_with).
    pub fn update_many_with(&self, patches: Slice<'_>, options: &WriteOptions) -> Result<Outcomes> {
        self.each(|tx| tx.update_many(&self.inner, patches, options))
    }

    /// Replaces the document that each member of an array names by its `_key` or `_id`.
    ///
    /// # Errors
    /// As [`insert_many_with`](Collection::insert_many_with).
    pub fn replace_many_with(&self, documents: Slice<'_>, options: &WriteOptions) -> Result<Outcomes> {
        self.each(|tx| tx.replace_many(&self.inner, documents, options))
    }

    /// Removes the documents that the members of an array name: by key, identifier, or object.
    ///
    /// # Errors
    /// As [`insert_many_with`](Collection::insert_many_with).
    pub fn remove_many_with(&self, items: Slice<'_>, options: &WriteOptions) -> Result<Outcomes> {
        self.each(|tx| tx.remove_many(&self.inner, items, options))
    }

    /// Does the work, again if an item lost against another transaction: on a newer snapshot it wins, as a single call
    /// would.
    fn each(
        &self,
        mut work: impl FnMut(&mut Transaction) -> std::result::Result<ItemOutcomes, WriteError>,
    ) -> Result<Outcomes> {
        // A transaction can't move on to a newer snapshot.
        let attempts_max = if self.database.bound().is_some() { 1 } else { ATTEMPTS_MAX };
        let mut attempt = 0;
        let begun = Instant::now();
        let outcomes = self.write(|tx| {
            attempt += 1;
            let mut outcomes = work(tx)?;
            if attempt < attempts_max
                && begun.elapsed() < PATIENCE
                && let Some(error) = take_lost(&mut outcomes)
            {
                return Err(error);
            }
            Ok(outcomes)
        })?;
        Ok(outcomes.into_iter().map(|outcome| outcome.map_err(Error::from)).collect())
    }
}

/// Takes out the error of an item that lost against another transaction.
fn take_lost(outcomes: &mut ItemOutcomes) -> Option<WriteError> {
    let lost = |outcome: &_| matches!(outcome, Err(error) if WriteError::is_retryable(error));
    let lost = outcomes.iter().position(lost)?;
    outcomes.swap_remove(lost).err()
}
