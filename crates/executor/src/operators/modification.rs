//! What all modifications share: options, keys, the loop over rows, OLD and NEW.

use persea_collections::{
    Collection, Error as DocumentError, OverwriteMode, Transaction, WriteOptions, WriteOutcome,
};
use persea_order::{Value, View};
use persea_planner::plan::{self, VarId};
use persea_vpack::{Slice, VPackBuf};

use super::{BoxedOperator, Live};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::runtime::Runtime;

/// The parts of a modification that do not depend on what it does.
pub(crate) struct Modification<'q> {
    pub(crate) input: BoxedOperator<'q>,
    pub(crate) runtime: &'q Runtime,
    pub(crate) collection: &'q Collection,
    pub(crate) options: WriteOptions,
    ignore_errors: bool,
    ignore_missing: bool,
    out_old: Option<Register>,
    out_new: Option<Register>,
    live: Live,
    /// Whether anything behind this operator looks at its rows.
    is_last: bool,
}

impl<'q> Modification<'q> {
    #[allow(clippy::too_many_arguments, reason = "the parts of one node")]
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        collection: &plan::CollectionRef,
        options: &plan::ModificationOptions,
        out_old: Option<VarId>,
        out_new: Option<VarId>,
        live: Live,
        is_last: bool,
    ) -> Result<Self, Error> {
        let options_of_writes = WriteOptions {
            overwrite_mode: match options.overwrite_mode {
                plan::OverwriteMode::Conflict => OverwriteMode::Conflict,
                plan::OverwriteMode::Ignore => OverwriteMode::Ignore,
                plan::OverwriteMode::Replace => OverwriteMode::Replace,
                plan::OverwriteMode::Update => OverwriteMode::Update,
            },
            keep_null: options.keep_null,
            merge_objects: options.merge_objects,
            ignore_revs: options.ignore_revs,
            wait_for_sync: options.wait_for_sync.unwrap_or(false),
            return_old: out_old.is_some(),
            return_new: out_new.is_some(),
            silent: true,
            version_attribute: options.version_attribute.as_deref().map(str::to_owned),
            ..WriteOptions::default()
        };
        Ok(Modification {
            input,
            runtime,
            collection: runtime.collection(collection)?,
            options: options_of_writes,
            ignore_errors: options.ignore_errors,
            ignore_missing: options.ignore_document_not_found,
            out_old: out_old.map(VarId::index),
            out_new: out_new.map(VarId::index),
            live,
            is_last,
        })
    }

    /// Writes for each row of the next input batch. Rows whose write failed and may fail are dropped.
    ///
    /// The last modification of a query without results passes nothing on but runs to the end of its input.
    pub(crate) fn next(
        &mut self,
        wanted: usize,
        mut write: impl FnMut(
            &mut Transaction,
            &'q Collection,
            &WriteOptions,
            &Batch<'q>,
            usize,
        ) -> Result<WriteOutcome, DocumentError>,
    ) -> Result<Option<Batch<'q>>, Error> {
        loop {
            let ask = if self.is_last { BATCH_ROWS } else { wanted };
            let Some(mut batch) = self.input.next(ask)? else { return Ok(None) };
            self.runtime.check()?;
            let mut kept = Vec::with_capacity(batch.len());
            let (mut old, mut new) = (Vec::new(), Vec::new());
            let mut executed = 0;
            let mut ignored = 0;
            self.runtime.with_transaction(|transaction| {
                for row in 0..batch.len() {
                    match write(transaction, self.collection, &self.options, &batch, row) {
                        Ok(outcome) => {
                            if outcome.is_ignored {
                                ignored += 1;
                            } else {
                                executed += 1;
                                self.runtime.written(transaction)?;
                            }
                            kept.push(row as u32);
                            if !self.is_last {
                                old.push(outcome.old);
                                new.push(outcome.new);
                            }
                        }
                        Err(DocumentError::DocumentNotFound) if self.ignore_missing => ignored += 1,
                        Err(error) if self.ignore_errors && error.is_document_error() => ignored += 1,
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(())
            })?;
            self.runtime.counters.writes_executed.add(executed);
            self.runtime.counters.writes_ignored.add(ignored);
            if self.is_last {
                continue;
            }
            batch.keep_rows(&kept);
            for (register, documents) in [(self.out_old, &old), (self.out_new, &new)] {
                if let Some(register) = register {
                    keep_documents(&mut batch, register, documents)?;
                }
            }
            if !batch.is_empty() {
                batch.keep_columns(&self.live);
                return Ok(Some(batch));
            }
        }
    }

    pub(crate) fn rewind(&mut self) {
        self.input.rewind();
    }
}

/// Copies documents into a column.
fn keep_documents(
    batch: &mut Batch<'_>,
    register: Register,
    documents: &[Option<VPackBuf>],
) -> Result<(), Error> {
    batch.fill(register, |scope, column| {
        column.extend(documents.iter().map(|document| match document {
            Some(document) => {
                let bytes = scope.arena().alloc_slice_copy(document.as_slice().bytes());
                Value::from_slice(Slice::trusted(bytes))
            }
            None => Value::NULL,
        }));
        Ok(())
    })
}

/// The object to be written.
pub(crate) fn document(value: Value<'_>) -> Result<Slice<'_>, DocumentError> {
    match value.view() {
        View::Object(slice) => Ok(slice),
        _ => Err(DocumentError::DocumentTypeInvalid),
    }
}

/// The key a value addresses: a key, an identifier within the collection, or an object with `_key`; and the revision
/// in the object.
pub(crate) fn key<'s>(
    value: Value<'s>,
    collection: &Collection,
) -> Result<(&'s str, Option<&'s str>), DocumentError> {
    match value.view() {
        View::Str(text) => match text.split_once('/') {
            Some((name, key)) if name == &*collection.name() => Ok((key, None)),
            _ => Ok((text, None)),
        },
        View::Object(_) => {
            let key = value.attribute("_key");
            if key.is_null() {
                return Err(DocumentError::KeyMissing);
            }
            Ok((key.as_str().ok_or(DocumentError::IllegalKey)?, value.attribute("_rev").as_str()))
        }
        _ => Err(DocumentError::KeyMissing),
    }
}

/// The options with the revision that the stored document has to have, if revisions count.
pub(crate) fn with_revision(options: &WriteOptions, revision: Option<&str>) -> Option<WriteOptions> {
    match revision {
        Some(revision) if !options.ignore_revs => {
            Some(WriteOptions { if_match: Some(revision.to_owned()), ..options.clone() })
        }
        _ => None,
    }
}
