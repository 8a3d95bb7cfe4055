//! Upsert: updates or replaces the document a lookup found, or inserts one.

use super::Operator;
use super::modification::{Modification, document, key};
use crate::Error;
use crate::batch::{Batch, Register};

/// Writes by whether a document was found. The lookup has been done by the subquery before.
pub(crate) struct Upsert<'q> {
    pub(crate) common: Modification<'q>,
    /// The document found, or null.
    pub(crate) found: Register,
    pub(crate) insert: Register,
    pub(crate) update: Register,
    pub(crate) replaces: bool,
}

impl<'q> Operator<'q> for Upsert<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let (found, insert, update, replaces) = (self.found, self.insert, self.update, self.replaces);
        self.common.next(wanted, |transaction, collection, options, batch, row| {
            let found = batch.value(found, row);
            if found.is_null() {
                return transaction.insert(collection, document(batch.value(insert, row))?, options);
            }
            let (key, _) = key(found, collection)?;
            let document = document(batch.value(update, row))?;
            if replaces {
                transaction.replace(collection, key, document, options)
            } else {
                transaction.update(collection, key, document, options)
            }
        })
    }

    fn rewind(&mut self) {
        self.common.rewind();
    }
}
