//! Importing many documents: in large commits, with one verdict a document.

use persea_collections::{OverwriteMode, WriteOptions};
use persea_vpack::{Builder, Slice};

use crate::collection::Collection;
use crate::error::{Error, Result};

/// How many bytes of documents one commit takes at most.
const BATCH_BYTES_MAX: usize = 16 << 20;
/// How many documents one commit takes at most.
const BATCH_DOCUMENTS_MAX: usize = 100_000;

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
    /// Documents that wait for the next commit, as members of an open array.
    waiting: Builder,
    positions: Vec<u64>,
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
        let mut waiting = Builder::new();
        waiting.open_array();
        let report = ImportReport::default();
        Ok(Import { collection, options, write_options, report, waiting, positions: Vec::new() })
    }

    /// Adds a document. `position` is where it stood in the input, for messages.
    ///
    /// # Errors
    /// When writing fails altogether; with `complete` also the first document's error.
    pub fn push(&mut self, position: u64, document: Slice<'_>) -> Result<()> {
        self.waiting.add_slice(document);
        self.positions.push(position);
        let is_full =
            self.waiting.bytes().len() >= BATCH_BYTES_MAX || self.positions.len() >= BATCH_DOCUMENTS_MAX;
        // A complete import waits for the end, since it has to be one commit.
        if is_full && !self.options.complete { self.flush() } else { Ok(()) }
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
        self.flush()?;
        Ok(self.report)
    }

    fn flush(&mut self) -> Result<()> {
        if self.positions.is_empty() {
            return Ok(());
        }
        self.waiting.close();
        let documents = self.waiting.finish()?;
        self.waiting.open_array();
        let positions = std::mem::take(&mut self.positions);
        if self.options.complete {
            return self.write_whole(documents.as_slice());
        }
        let outcomes = self.collection.insert_many_with(documents.as_slice(), &self.write_options)?;
        for ((outcome, document), position) in
            outcomes.into_iter().zip(documents.as_slice().array_iter()).zip(positions)
        {
            match outcome {
                Ok(outcome) => self.count(outcome.old_rev.is_some(), outcome.is_ignored),
                Err(error) => {
                    let text = persea_json::to_string(document);
                    let number = error.number();
                    let message = if number == 1233 {
                        format!(
                            "at position {position}: missing '_from' or '_to' attribute, offending document: {text}"
                        )
                    } else {
                        format!(
                            "at position {position}: creating document failed with error '{error}', offending document: {text}"
                        )
                    };
                    self.push_error(error, message)?;
                }
            }
        }
        Ok(())
    }

    /// Writes all documents in one transaction that the first error undoes.
    fn write_whole(&mut self, documents: Slice<'_>) -> Result<()> {
        let collection = self.collection.clone();
        let options = self.write_options.clone();
        let outcomes = collection.write(|tx| {
            documents
                .array_iter()
                .map(|document| tx.insert(collection.inner(), document, &options))
                .collect::<persea_collections::Result<Vec<_>>>()
        })?;
        for outcome in outcomes {
            self.count(outcome.old_rev.is_some(), outcome.is_ignored);
        }
        Ok(())
    }

    fn count(&mut self, existed: bool, is_ignored: bool) {
        if is_ignored {
            self.report.ignored += 1;
        } else if existed {
            self.report.updated += 1;
        } else {
            self.report.created += 1;
        }
    }
}
