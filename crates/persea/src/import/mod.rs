//! Importing many documents: in large commits, with one verdict a document.

mod batch;
mod batches;
mod contended;

use persea_collections::{InsertTally, OverwriteMode, WriteOptions};
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
    /// It is left out.
    Ignore,
}

/// How an import runs.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// What happens to a document whose key exists.
    pub on_duplicate: OnDuplicate,
    /// Whether the first error undoes and ends the whole import. The import is one commit then.
    pub complete: bool,
    /// Whether the commits wait until everything is on disk.
    pub wait_for_sync: bool,
    /// Whether messages about the errors are kept.
    pub details: bool,
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
    /// Documents that wait for the next commit.
    waiting: Batch,
    /// The memory of a batch that was written, for another.
    spare: Batch,
    batches: Batches,
}

impl Import {
    pub(crate) fn new(collection: Collection, options: ImportOptions) -> Result<Import> {
        let overwrite_mode = match options.on_duplicate {
            OnDuplicate::Error => OverwriteMode::Conflict,
            OnDuplicate::Update => OverwriteMode::Update,
            OnDuplicate::Replace => OverwriteMode::Replace,
            OnDuplicate::Ignore => OverwriteMode::Ignore,
        };
        let write_options = WriteOptions {
            overwrite_mode,
            wait_for_sync: options.wait_for_sync,
            silent: true,
            ..WriteOptions::default()
        };
        Ok(Import {
            batches: Batches::new(collection.clone(), write_options.clone()),
            collection,
            options,
            write_options,
            report: ImportReport::default(),
            waiting: Batch::default(),
            spare: Batch::default(),
        })
    }

    /// Adds a document. `position` is where it stood in the input, for messages.
    ///
    /// # Errors
    /// When writing fails altogether; with `complete` also the first document's error.
    pub fn push(&mut self, position: u64, document: Slice<'_>) -> Result<()> {
        self.waiting.push(position, document);
        let is_full =
            self.waiting.byte_size() >= BATCH_BYTES_MAX || self.waiting.len() >= BATCH_DOCUMENTS_MAX;
        // A complete import waits for the end, since it has to be one commit.
        if !is_full || self.options.complete {
            return Ok(());
        }
        let batch = std::mem::replace(&mut self.waiting, std::mem::take(&mut self.spare));
        let mut written = Vec::new();
        let outcome = self.batches.write(batch, &mut written);
        self.count_all(written)?;
        outcome
    }

    /// Counts an empty line.
    pub fn push_empty(&mut self) {
        self.report.empty += 1;
    }

    /// Counts something that is no document.
    ///
    /// # Errors
    /// With `complete` the error itself.
    pub fn push_error(&mut self, error: Error, message: String) -> Result<()> {
        if self.options.complete {
            return Err(error);
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
    /// As [`push`](Import::push).
    pub fn finish(mut self) -> Result<ImportReport> {
        let last = std::mem::take(&mut self.waiting);
        if self.options.complete {
            self.write_whole(&last)?;
            return Ok(self.report);
        }
        let mut written = Vec::new();
        let outcome = self.batches.finish(Some(last).filter(|last| !last.is_empty()), &mut written);
        self.count_all(written)?;
        outcome?;
        Ok(self.report)
    }

    fn count_all(&mut self, written: Vec<Written>) -> Result<()> {
        for Written { mut batch, tally } in written {
            self.count(&tally);
            let mut documents = batch.positions().zip(batch.documents()).enumerate();
            for (index, error) in tally.errors {
                let found = documents.find(|(at, _)| *at == index);
                let Some((_, (position, document))) = found else { continue };
                let error = Error::from(error);
                let message = message(&error, position, document);
                self.push_error(error, message)?;
            }
            drop(documents);
            batch.clear();
            self.spare = batch;
        }
        Ok(())
    }

    /// Writes all documents in one transaction that the first error undoes.
    fn write_whole(&mut self, all: &Batch) -> Result<()> {
        let tally = self.collection.write(|tx| {
            let mut tally = InsertTally::default();
            for document in all.documents() {
                tally.add(&tx.insert(self.collection.inner(), document, &self.write_options)?);
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

/// What ArangoDB says of a document that could not be imported.
fn message(error: &Error, position: u64, document: Slice<'_>) -> String {
    let text = persea_json::to_string(document);
    match error.number() {
        1233 => {
            format!("at position {position}: missing '_from' or '_to' attribute, offending document: {text}")
        }
        _ => format!(
            "at position {position}: creating document failed with error '{error}', offending document: {text}"
        ),
    }
}
