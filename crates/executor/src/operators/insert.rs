//! Insert: a new document for each row.

use super::Operator;
use super::modification::{Modification, document};
use crate::Error;
use crate::batch::{Batch, Register};

/// Inserts the value of a register.
pub(crate) struct Insert<'q> {
    pub(crate) common: Modification<'q>,
    pub(crate) document: Register,
}

impl<'q> Operator<'q> for Insert<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let register = self.document;
        self.common.next(wanted, |transaction, collection, options, batch, row| {
            transaction.insert(collection, document(batch.value(register, row))?, options)
        })
    }

    fn rewind(&mut self) {
        self.common.rewind();
    }
}
