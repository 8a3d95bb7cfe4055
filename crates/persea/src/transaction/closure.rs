//! Transactions by closure.

use persea_collections::WriteOptions;
use persea_vpack::from_slice;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::collection::{Collection, DocumentMeta};
use crate::database::Database;
use crate::error::{Error, Result};

use super::bound::begin;
use super::declared::{AccessMode, Declared};
use super::options::TransactionOptions;
use super::vpack_of;

/// How often a transaction is tried that loses against others.
const ATTEMPTS_MAX: usize = 32;

/// A running transaction; reads see its own writes. For one that outlives a closure see
/// [`OwnedTransaction`](super::OwnedTransaction).
pub struct Transaction<'a> {
    inner: &'a mut persea_collections::Transaction,
    /// `None` when everything is allowed.
    declared: Option<&'a Declared>,
}

impl Transaction<'_> {
    fn check(&self, collection: &Collection, mode: AccessMode) -> Result<()> {
        self.declared.map_or(Ok(()), |declared| declared.check(collection.id(), &collection.name(), mode))
    }

    /// The document of this key.
    ///
    /// # Errors
    /// When the document doesn't fit the type.
    pub fn get<T: DeserializeOwned>(&self, collection: &Collection, key: &str) -> Result<Option<T>> {
        self.check(collection, AccessMode::Read)?;
        self.inner
            .get(collection.inner(), key)?
            .map(|document| from_slice(document).map_err(|error| Error::Convert(error.to_string())))
            .transpose()
    }

    /// Inserts a document.
    ///
    /// # Errors
    /// 1210 when its key or a unique value is taken, 1221 for a bad key, 1233 for an edge without ends.
    pub fn insert<T: Serialize>(&mut self, collection: &Collection, document: &T) -> Result<DocumentMeta> {
        self.check(collection, AccessMode::Write)?;
        let document = vpack_of(document)?;
        Ok(self.inner.insert(collection.inner(), document.as_slice(), &WriteOptions::default())?.into())
    }

    /// Merges `patch` into a document.
    ///
    /// # Errors
    /// 1202 when there is none of this key; as [`insert`](Transaction::insert) otherwise.
    pub fn update<T: Serialize>(
        &mut self,
        collection: &Collection,
        key: &str,
        patch: &T,
    ) -> Result<DocumentMeta> {
        self.check(collection, AccessMode::Write)?;
        let patch = vpack_of(patch)?;
        Ok(self.inner.update(collection.inner(), key, patch.as_slice(), &WriteOptions::default())?.into())
    }

    /// Replaces a document.
    ///
    /// # Errors
    /// As [`update`](Transaction::update).
    pub fn replace<T: Serialize>(
        &mut self,
        collection: &Collection,
        key: &str,
        document: &T,
    ) -> Result<DocumentMeta> {
        self.check(collection, AccessMode::Write)?;
        let document = vpack_of(document)?;
        Ok(self.inner.replace(collection.inner(), key, document.as_slice(), &WriteOptions::default())?.into())
    }

    /// Removes a document.
    ///
    /// # Errors
    /// 1202 when there is none of this key.
    pub fn remove(&mut self, collection: &Collection, key: &str) -> Result<()> {
        self.check(collection, AccessMode::Write)?;
        self.inner.remove(collection.inner(), key, &WriteOptions::default())?;
        Ok(())
    }
}

/// Runs `work` until it commits, fails by itself, or lost too often.
pub(crate) fn run<T>(
    database: &Database,
    mut work: impl FnMut(&mut Transaction<'_>) -> Result<T>,
) -> Result<T> {
    let mut options = persea_collections::TransactionOptions::default();
    options.interrupt = database.interrupt().cloned();
    attempts(database, || {
        let mut inner = database.inner().begin_with(&options)?;
        let value = work(&mut Transaction { inner: &mut inner, declared: None })?;
        inner.commit()?;
        Ok(value)
    })
}

/// As [`run`], with what is declared to be written locked before each attempt.
pub(crate) fn run_with<T>(
    database: &Database,
    options: &TransactionOptions,
    mut work: impl FnMut(&mut Transaction<'_>) -> Result<T>,
) -> Result<T> {
    let options = options.of(database);
    attempts(database, || {
        let declared = Declared::resolve(database.inner(), &options)?;
        let mut inner = begin(database.inner(), &declared, &options)?;
        let value = work(&mut Transaction { inner: &mut inner, declared: Some(&declared) })?;
        inner.commit()?;
        Ok(value)
    })
}

fn attempts<T>(database: &Database, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    database.refuse_nesting()?;
    for _ in 1..ATTEMPTS_MAX {
        match attempt() {
            Err(Error::Collections(error)) if is_lost_race(&error) => std::thread::yield_now(),
            outcome => return outcome,
        }
    }
    attempt()
}

fn is_lost_race(error: &persea_collections::Error) -> bool {
    error.is_retryable() || matches!(error, persea_collections::Error::Deadlock)
}
