//! A collection: its documents, typed or as VelocyPack, its indexes and properties.

mod indexes;
mod many;
mod properties;
mod typed;
mod write;

use std::sync::Arc;

use persea_collections::{Interrupt, LockMode, Transaction, TransactionOptions, View};
use persea_vpack::Slice;
use persea_vpack::VPackBuf;

use crate::database::Database;
use crate::error::{Error, Result};
use crate::import::{Import, ImportOptions};
use crate::transaction::AccessMode;

pub use typed::DocumentMeta;

/// A collection of documents or edges. Clones are handles to the same one; a handle follows renames.
#[derive(Clone)]
pub struct Collection {
    inner: Arc<persea_collections::Collection>,
    database: Database,
}

impl Collection {
    pub(crate) fn new(inner: Arc<persea_collections::Collection>, database: Database) -> Collection {
        Collection { inner, database }
    }

    /// The same collection inside of the transaction that `database` works in.
    pub(crate) fn within(&self, database: &Database) -> Collection {
        Collection { inner: self.inner.clone(), database: database.clone() }
    }

    /// Allows an access that the transaction has to have declared, if there is one.
    ///
    /// # Errors
    /// 1652.
    pub(crate) fn check_access(&self, mode: AccessMode) -> Result<()> {
        match self.database.bound() {
            Some(transaction) => transaction.check(self.id(), &self.name(), mode),
            None => Ok(()),
        }
    }

    /// What reads look at.
    ///
    /// # Errors
    /// 1652 when a transaction may not read the collection, storage errors.
    pub(crate) fn view(&self) -> Result<View> {
        self.check_access(AccessMode::Read)?;
        self.database.view()
    }

    /// How a transaction begins that writes to this collection.
    pub(crate) fn writing(&self) -> TransactionOptions {
        let mut options = TransactionOptions::locking([(self.id(), LockMode::Write)]);
        options.interrupt = self.database.interrupt().cloned();
        options
    }

    /// Runs `work` as a transaction of its own, tried again when it loses; or once, as a part of the transaction that
    /// the handle works in.
    ///
    /// # Errors
    /// Those of `work`; 1652 when a transaction may not write the collection.
    pub(crate) fn write<T>(
        &self,
        mut work: impl FnMut(&mut Transaction) -> persea_collections::Result<T>,
    ) -> Result<T> {
        let interrupt = self.database.interrupt();
        match self.database.bound() {
            Some(transaction) => {
                self.check_access(AccessMode::Write)?;
                transaction.write(|inner| {
                    if let Some(interrupt) = interrupt {
                        let own = inner.set_interrupt(None);
                        inner.set_interrupt(Some(Interrupt::below(own.iter().chain([interrupt]))));
                    }
                    work(inner)
                })
            }
            None => Ok(self.database.inner().transact_with(&self.writing(), work)?),
        }
    }

    pub(crate) fn inner(&self) -> &persea_collections::Collection {
        &self.inner
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Its number.
    pub fn id(&self) -> u64 {
        self.inner.id()
    }

    /// Its name now.
    pub fn name(&self) -> Arc<str> {
        self.inner.name()
    }

    /// Whether it holds edges.
    pub fn is_edge(&self) -> bool {
        self.inner.is_edge()
    }

    /// Whether it is a system collection.
    pub fn is_system(&self) -> bool {
        self.inner.is_system()
    }

    /// Whether every write waits until it is on disk.
    pub fn waits_for_sync(&self) -> bool {
        self.inner.wait_for_sync()
    }

    /// The number of documents.
    ///
    /// # Errors
    /// Storage errors.
    pub fn count(&self) -> Result<u64> {
        match self.database.bound() {
            Some(_) => Ok(self.view()?.count(&self.inner)?),
            None => Ok(self.inner.count()?),
        }
    }

    /// Counts the documents one by one and corrects the stored number, should it be wrong: after damage to the log that
    /// was passed over.
    ///
    /// # Errors
    /// Storage errors.
    pub fn recalculate_count(&self) -> Result<u64> {
        Ok(self.inner.recalculate_count()?)
    }

    /// The document of this key as VelocyPack.
    ///
    /// # Errors
    /// Storage errors.
    pub fn get_vpack(&self, key: &str) -> Result<Option<VPackBuf>> {
        let view = self.view()?;
        Ok(view.by_key(&self.inner, key)?.map(|(_, document)| VPackBuf::from(document)))
    }

    /// The document of this key as VelocyPack.
    ///
    /// # Errors
    /// 1202 when there is none.
    pub fn get_required(&self, key: &str) -> Result<VPackBuf> {
        self.get_vpack(key)?.ok_or_else(|| persea_collections::Error::DocumentNotFound.into())
    }

    /// The documents that the items name by key, identifier, or object: one document or error an item.
    ///
    /// # Errors
    /// Storage errors.
    pub fn get_many(&self, items: Slice<'_>, ignore_revs: bool) -> Result<Vec<Result<VPackBuf>>> {
        let view = self.view()?;
        let found = view.get_many(&self.inner, items, ignore_revs)?;
        Ok(found.into_iter().map(|item| item.map_err(Error::from)).collect())
    }

    /// Starts an import of many documents.
    ///
    /// # Errors
    /// Storage errors.
    pub fn import(&self, options: ImportOptions) -> Result<Import> {
        Import::new(self.clone(), options)
    }
}
