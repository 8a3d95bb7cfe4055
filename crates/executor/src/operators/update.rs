//! Update and Replace: attributes of a stored document, some or all of them.

use super::Operator;
use super::modification::{Modification, document, key, with_revision};
use crate::Error;
use crate::batch::{Batch, Register};

/// Updates or replaces the document that a key names.
pub(crate) struct Update<'q> {
    pub(crate) common: Modification<'q>,
    pub(crate) document: Register,
    /// The key; the document's own counts if there is none.
    pub(crate) key: Option<Register>,
    pub(crate) replaces: bool,
}

impl<'q> Operator<'q> for Update<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let (document_register, replaces) = (self.document, self.replaces);
        let key_register = self.key.unwrap_or(self.document);
        self.common.next(wanted, |transaction, collection, options, batch, row| {
            let (key, revision) = key(batch.value(key_register, row), collection)?;
            let document = document(batch.value(document_register, row))?;
            let changed = with_revision(options, revision);
            let options = changed.as_ref().unwrap_or(options);
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
