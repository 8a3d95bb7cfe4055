//! Remove: deletes a document for each row.

use super::Operator;
use super::modification::{Modification, key, with_revision};
use crate::Error;
use crate::batch::{Batch, Register};

/// Removes the document that a key or an object names.
pub(crate) struct Remove<'q> {
    pub(crate) common: Modification<'q>,
    pub(crate) key: Register,
}

impl<'q> Operator<'q> for Remove<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let register = self.key;
        self.common.next(wanted, |transaction, collection, options, batch, row| {
            let (key, revision) = key(batch.value(register, row), collection)?;
            let changed = with_revision(options, revision);
            transaction.remove(collection, key, changed.as_ref().unwrap_or(options))
        })
    }

    fn rewind(&mut self) {
        self.common.rewind();
    }
}
