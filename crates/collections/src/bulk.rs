//! Bulk calls: many documents in one transaction, each with a result or an error of its own.

use persea_vpack::{Slice, VPackBuf};

use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::read::View;
use crate::revision::Revision;
use crate::write::{Selector, Transaction, WriteOptions, WriteOutcome, stored_revision};

/// One result or one error an item, in the order of the items.
pub type ItemResults = Vec<Result<WriteOutcome>>;

/// What became of many documents that were inserted, where only their number matters.
#[derive(Debug, Default)]
pub struct InsertTally {
    /// Documents that are new.
    pub created: u64,
    /// Documents that changed existing ones.
    pub updated: u64,
    /// Documents left out because their key exists.
    pub ignored: u64,
    /// Positions of the documents that failed, ascending, and why.
    pub errors: Vec<(usize, Error)>,
}

impl InsertTally {
    /// Counts a document that was inserted, or what happened instead.
    pub fn add(&mut self, outcome: &WriteOutcome) {
        if outcome.is_ignored {
            self.ignored += 1;
        } else if outcome.old_rev.is_some() {
            self.updated += 1;
        } else {
            self.created += 1;
        }
    }

    /// Adds what became of further documents, the first of which has this position.
    pub fn append(&mut self, position: usize, other: InsertTally) {
        self.created += other.created;
        self.updated += other.updated;
        self.ignored += other.ignored;
        self.errors.extend(other.errors.into_iter().map(|(at, error)| (position + at, error)));
    }
}

impl Transaction {
    /// Inserts every member of the array `documents`.
    ///
    /// # Errors
    /// [`Error::DocumentTypeInvalid`] when it is no array, [`Error::CollectionNotFound`], and what concerns the
    /// transaction as a whole, such as [`Error::Deadlock`]; errors of single documents are in the results.
    pub fn insert_many(
        &mut self,
        collection: &Collection,
        documents: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<ItemResults> {
        self.write_each(collection, documents, |tx, document| tx.insert(collection, document, options))
    }

    /// Inserts documents and counts what becomes of them.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_and_count<'v>(
        &mut self,
        collection: &Collection,
        documents: impl Iterator<Item = Slice<'v>>,
        options: &WriteOptions,
    ) -> Result<InsertTally> {
        let mut tally = InsertTally::default();
        self.share_waits_for_keys(true);
        let work = |document| self.attempt(|tx| tx.insert(collection, document, options));
        let done = each(collection, documents, work, |position, outcome| match outcome {
            Ok(outcome) => tally.add(&outcome),
            Err(error) => tally.errors.push((position, error)),
        });
        self.share_waits_for_keys(false);
        done.map(|()| tally)
    }

    /// As [`insert_and_count`](Self::insert_and_count), but ends at the first document that has lost against another
    /// transaction. That one is the last of the errors; everything before it is decided.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_until_lost<'v>(
        &mut self,
        collection: &Collection,
        documents: impl Iterator<Item = Slice<'v>>,
        options: &WriteOptions,
    ) -> Result<InsertTally> {
        collection.check_exists()?;
        self.share_waits_for_keys(true);
        let tally = self.try_insert_until_lost(collection, documents, options);
        self.share_waits_for_keys(false);
        tally
    }

    fn try_insert_until_lost<'v>(
        &mut self,
        collection: &Collection,
        documents: impl Iterator<Item = Slice<'v>>,
        options: &WriteOptions,
    ) -> Result<InsertTally> {
        // As long as its key is the first value that a document can fail for, nothing is locked by then.
        let may_fail_behind_its_key =
            collection.indexes().iter().skip(1).any(|index| index.definition().unique);
        let mut tally = InsertTally::default();
        for (position, document) in documents.enumerate() {
            let insert = |tx: &mut Transaction| tx.insert(collection, document, options);
            match if may_fail_behind_its_key { self.attempt(insert) } else { insert(self) } {
                Ok(outcome) => tally.add(&outcome),
                Err(error) if error.is_of_transaction() => return Err(error),
                Err(error) => {
                    let has_lost = error.is_retryable();
                    tally.errors.push((position, error));
                    if has_lost {
                        break;
                    }
                }
            }
        }
        Ok(tally)
    }

    /// Updates the document each member of the array `patches` names by its `_key` or `_id`.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn update_many(
        &mut self,
        collection: &Collection,
        patches: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<ItemResults> {
        let name = collection.name();
        self.write_each(collection, patches, |tx, patch| {
            let selector = selector_in_object(&name, patch)?;
            tx.update(collection, selector.key, patch, options)
        })
    }

    /// Replaces the document each member of the array `documents` names by its `_key` or `_id`.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn replace_many(
        &mut self,
        collection: &Collection,
        documents: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<ItemResults> {
        let name = collection.name();
        self.write_each(collection, documents, |tx, document| {
            let selector = selector_in_object(&name, document)?;
            tx.replace(collection, selector.key, document, options)
        })
    }

    /// Removes the document each member of the array `selectors` means: a key, an identifier, or an object.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn remove_many(
        &mut self,
        collection: &Collection,
        selectors: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<ItemResults> {
        let name = collection.name();
        self.write_each(collection, selectors, |tx, item| {
            let selector = Selector::from_slice(&name, item)?;
            tx.remove_checked(collection, selector.key, Some(item), options)
        })
    }

    /// Documents that others hold are waited for, but not for longer by the whole call than by one that writes a single
    /// document.
    fn write_each(
        &mut self,
        collection: &Collection,
        items: Slice<'_>,
        mut work: impl FnMut(&mut Transaction, Slice<'_>) -> Result<WriteOutcome>,
    ) -> Result<ItemResults> {
        let mut outcomes = Vec::new();
        let items = members(items)?;
        self.share_waits_for_keys(true);
        let work = |item| self.attempt(|tx| work(tx, item));
        let done = each(collection, items, work, |_, outcome| outcomes.push(outcome));
        self.share_waits_for_keys(false);
        done.map(|()| outcomes)
    }

    /// Does something that, if it fails, leaves nothing: keys locked for it would else be taken for written ones, and
    /// be conflicts for others.
    fn attempt<T>(&mut self, work: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let savepoint = self.savepoint();
        let outcome = work(self);
        if outcome.as_ref().is_err_and(|error| !error.is_of_transaction()) {
            self.rollback_to(&savepoint)?;
        }
        outcome
    }
}

impl View {
    /// Reads the document each member of the array `selectors` means; with `ignore_revs` false, a `_rev` in a member
    /// has to match.
    ///
    /// # Errors
    /// [`Error::DocumentTypeInvalid`] when `selectors` is no array; errors of single documents are in the results.
    pub fn get_many(
        &self,
        collection: &Collection,
        selectors: Slice<'_>,
        ignore_revs: bool,
    ) -> Result<Vec<Result<VPackBuf>>> {
        let name = self.collection_name(collection)?;
        let mut found = Vec::new();
        let work = |item| {
            let selector = Selector::from_slice(name, item)?;
            let (_, document) = self.by_key(collection, selector.key)?.ok_or(Error::DocumentNotFound)?;
            let rev = stored_revision(document);
            match selector.rev.filter(|_| !ignore_revs) {
                Some(expected) if Revision::parse(expected) != Some(rev) => Err(Error::RevisionMismatch {
                    id: format!("{name}/{}", selector.key),
                    key: selector.key.to_owned(),
                    rev: rev.to_string(),
                }),
                _ => Ok(VPackBuf::from(document)),
            }
        };
        each(collection, members(selectors)?, work, |_, outcome| found.push(outcome))?;
        Ok(found)
    }
}

fn members(items: Slice<'_>) -> Result<impl Iterator<Item = Slice<'_>>> {
    if items.is_array() { Ok(items.array_iter()) } else { Err(Error::DocumentTypeInvalid) }
}

/// Does the work on each item, and hands over the outcomes with their positions.
fn each<'v, T>(
    collection: &Collection,
    items: impl Iterator<Item = Slice<'v>>,
    mut work: impl FnMut(Slice<'v>) -> Result<T>,
    mut receive: impl FnMut(usize, Result<T>),
) -> Result<()> {
    collection.check_exists()?;
    for (position, item) in items.enumerate() {
        match work(item) {
            Err(error) if error.is_of_transaction() => return Err(error),
            outcome => receive(position, outcome),
        }
    }
    Ok(())
}

fn selector_in_object<'a>(collection: &str, item: Slice<'a>) -> Result<Selector<'a>> {
    if !item.is_object() {
        return Err(Error::DocumentTypeInvalid);
    }
    Selector::from_slice(collection, item)
}
