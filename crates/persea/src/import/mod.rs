//! Importing many documents: in large commits, with one verdict a document.

mod batch;
mod batches;
mod contended;
mod message;

use std::time::Duration;

use persea_collections::{Error as WriteError, InsertTally, OverwriteMode, Replacement, WriteOptions};
use persea_vpack::Slice;

use self::batch::Batch;
use self::batches::{Batches, Written};

use crate::collection::Collection;
use crate::error::{Error, Result};

/// How many bytes of documents one commit takes at most.
const BATCH_BYTES_MAX: usize = 8 << 20;
/// How many documents one commit takes at most.
const BATCH_DOCUMENTS_MAX: usize = 50_000;

/// What happens to a document whose key exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnDuplicate {
    /// It is an error.
    #[default]
    Error,
    /// It is merged into the existing one.
    Update,
    /// It replaces the existing one.
    Replace,
    /// It is left out; so is one that has a unique value of another.
    Ignore,
}

/// How an import runs.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// What happens to a document whose key exists.
    pub on_duplicate: OnDuplicate,
    /// Whether the first error undoes and ends the whole import. Its documents are kept in memory until the end and
    /// written by one commit, unless they `overwrite`.
    pub complete: bool,
    /// Whether the documents take the place of those that the collection has. They are written beside these, by as many
    /// commits as they need, and are put into their place at the end, at once: whatever ends the import before, a crash
    /// included, leaves the collection as it was. What others write to it meanwhile goes with the old documents; when they
    /// change its name or its indexes, the import fails with number 1200. The disk needs room for the old documents and the
    /// new, until the old ones are cleared in the background. Inside of a transaction the old documents are
    /// removed one by one.
    pub overwrite: bool,
    /// Whether the commits wait until everything is on disk.
    pub wait_for_sync: bool,
    /// Whether messages about the errors are kept.
    pub details: bool,
    /// How long a document is waited for that another transaction holds; longer is number 1200 for that document. Those
    /// that come after it are waited for half as long each time, so that the import is not held up for more than twice as
    /// long by a transaction that doesn't end; the time grows again once a wait was not in vain. 4 s by default, which is
    /// what a single write takes at most. Complete imports and those inside of a transaction wait as other calls for many
    /// documents do.
    pub document_timeout: Duration,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            on_duplicate: OnDuplicate::default(),
            complete: false,
            overwrite: false,
            wait_for_sync: false,
            details: false,
            document_timeout: Duration::from_secs(4),
        }
    }
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Documents that are new.
    pub created: u64,
    /// Documents that could not be imported.
    pub errors: u64,
    /// Empty lines.
    pub empty: u64,
    /// Documents that changed existing ones.
    pub updated: u64,
    /// Documents left out because their key exists.
    pub ignored: u64,
    /// A message an error, when asked for.
    pub details: Vec<String>,
}

/// A running import: push documents, then [finish](Import::finish).
///
/// ```
/// # fn main() -> Result<(), persea::Error> {
/// let db = persea::Database::in_memory()?;
/// let cities = db.create_collection("cities")?;
/// let mut import = cities.import(persea::ImportOptions::default())?;
/// for (position, name) in ["Oslo", "Rome"].into_iter().enumerate() {
///     import.push(position as u64, persea::vpack!({ "name": name }).as_slice())?;
/// }
/// assert_eq!(import.finish()?.created, 2);
/// # Ok(()) }
/// ```
pub struct Import {
    collection: Collection,
    options: ImportOptions,
    write_options: WriteOptions,
    report: ImportReport,
    /// Number and message of what ended it.
    failure: Option<(u16, String)>,
    /// Documents that wait for the next commit.
    waiting: Batch,
    /// The memory of a batch that was written, for another.
    spare: Batch,
    batches: Batches,
    /// Where the batches go instead of the collection. Dropped behind them.
    replacement: Option<Replacement>,
}

impl Import {
    pub(crate) fn new(collection: Collection, options: ImportOptions) -> Result<Import> {
        let overwrite_mode = match options.on_duplicate {
            OnDuplicate::Error => OverwriteMode::Conflict,
            OnDuplicate::Update => OverwriteMode::Update,
            OnDuplicate::Replace => OverwriteMode::Replace,
            OnDuplicate::Ignore => OverwriteMode::Ignore,
        };
        let is_bound = collection.database().bound().is_some();
        let mut replacement = None;
        if options.overwrite && !is_bound {
            replacement = Some(collection.inner().begin_replacement()?);
        } else if options.overwrite && !options.complete {
            collection.truncate(false)?;
        }
        let target = match &replacement {
            Some(replacement) => {
                Collection::new(replacement.collection().clone(), collection.database().clone())
            }
            None => collection.clone(),
        };
        let write_options = WriteOptions {
            overwrite_mode,
            // Of a replacement the end is synced, and everything before with it.
            wait_for_sync: options.wait_for_sync && replacement.is_none(),
            silent: true,
            ..WriteOptions::default()
        };
        Ok(Import {
            batches: Batches::new(target, write_options.clone(), options.document_timeout),
            collection,
            options,
            write_options,
            report: ImportReport::default(),
            failure: None,
            waiting: Batch::default(),
            spare: Batch::default(),
            replacement,
        })
    }

    /// Adds a document. `position` is where it stood in the input, for messages.
    ///
    /// # Errors
    /// When writing fails altogether; with `complete` also the first document's error. The import is over then.
    pub fn push(&mut self, position: u64, document: Slice<'_>) -> Result<()> {
        self.check_failure()?;
        self.waiting.push(position, document);
        let is_full =
            self.waiting.byte_size() >= BATCH_BYTES_MAX || self.waiting.len() >= BATCH_DOCUMENTS_MAX;
        if !is_full || self.is_one_commit() {
            return Ok(());
        }
        let batch = std::mem::replace(&mut self.waiting, std::mem::take(&mut self.spare));
        let mut written = Vec::new();
        let outcome = self.batches.write(batch, &mut written);
        self.count_all(written, outcome)
    }

    /// Counts an empty line.
    pub fn push_empty(&mut self) {
        self.report.empty += 1;
    }

    /// Counts something that is no document.
    ///
    /// # Errors
    /// With `complete` the error itself, and the import is over.
    pub fn push_error(&mut self, error: Error, message: String) -> Result<()> {
        self.check_failure()?;
        if self.options.complete {
            return Err(self.fail(error));
        }
        self.report.errors += 1;
        if self.options.details {
            self.report.details.push(message);
        }
        Ok(())
    }

    /// Writes what waits and tells what the import did.
    ///
    /// # Errors
    /// As [`push`](Import::push), and after its failure. With `overwrite` 1200 when the collection has got another name
    /// or other indexes, 1203 when it was dropped, 18 when another transaction holds it exclusively for too long.
    pub fn finish(mut self) -> Result<ImportReport> {
        self.check_failure()?;
        let last = std::mem::take(&mut self.waiting);
        if self.is_one_commit() {
            self.write_whole(&last)?;
            return Ok(self.report);
        }
        let mut written = Vec::new();
        let outcome = self.batches.finish(Some(last).filter(|last| !last.is_empty()), &mut written);
        self.count_all(written, outcome)?;
        if let Some(mut replacement) = self.replacement.take() {
            if self.options.wait_for_sync {
                replacement.require_sync();
            }
            replacement.commit(self.collection.database().interrupt())?;
        }
        Ok(self.report)
    }

    /// The JSON text of a value as messages about errors show it: sorted by names, and cut off where it is long.
    pub fn shown(value: Slice<'_>) -> String {
        message::shown(value)
    }

    /// A part of the input as messages about errors show it.
    pub fn shown_text(text: &[u8]) -> String {
        message::cut_off(String::from_utf8_lossy(text).into_owned())
    }

    /// Whether nothing is written before the end.
    fn is_one_commit(&self) -> bool {
        self.options.complete && self.replacement.is_none()
    }

    fn fail(&mut self, error: Error) -> Error {
        self.failure = Some((error.number(), error.to_string()));
        error
    }

    fn check_failure(&self) -> Result<()> {
        match &self.failure {
            Some((number, message)) => Err(Error::with_number(*number, message.as_str())),
            None => Ok(()),
        }
    }

    /// Counts what was written before the outcome, which is passed on unless an error of a document comes first.
    fn count_all(&mut self, written: Vec<Written>, outcome: Result<()>) -> Result<()> {
        for Written { mut batch, tally } in written {
            self.count(&tally);
            let mut documents = batch.positions().zip(batch.documents(0)).enumerate();
            for (index, error) in tally.errors {
                let found = documents.find(|(at, _)| *at == index);
                let Some((_, (position, document))) = found else { continue };
                self.count_error(Error::from(error), position, document)?;
            }
            drop(documents);
            batch.clear();
            self.spare = batch;
        }
        outcome.map_err(|error| self.fail(error))
    }

    fn count_error(&mut self, error: Error, position: u64, document: Slice<'_>) -> Result<()> {
        if self.is_ignored(&error) {
            self.report.ignored += 1;
            return Ok(());
        }
        let message = match self.options.details {
            true => message::not_created(&error, position, document),
            false => String::new(),
        };
        self.push_error(error, message)
    }

    /// Whether the error is that another document has a value that has to be unique, and such documents are left out.
    fn is_ignored(&self, error: &Error) -> bool {
        self.options.on_duplicate == OnDuplicate::Ignore && error.number() == 1210
    }

    /// Writes all documents in one transaction that the first error undoes.
    fn write_whole(&mut self, all: &Batch) -> Result<()> {
        let collection = self.collection.inner();
        let tally = self.collection.write(|tx| {
            if self.options.overwrite {
                tx.truncate(collection)?;
            }
            let mut tally = InsertTally::default();
            for document in all.documents(0) {
                match tx.insert(collection, document, &self.write_options) {
                    Ok(outcome) => tally.add(&outcome),
                    Err(WriteError::UniqueConstraint { .. })
                        if self.options.on_duplicate == OnDuplicate::Ignore =>
                    {
                        tally.ignored += 1;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(tally)
        })?;
        self.count(&tally);
        Ok(())
    }

    fn count(&mut self, tally: &InsertTally) {
        self.report.created += tally.created;
        self.report.updated += tally.updated;
        self.report.ignored += tally.ignored;
    }
}
