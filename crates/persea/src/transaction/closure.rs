//! Transactions by closure.

use persea_collections::WriteOptions;
use persea_vpack::from_slice;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::collection::{Collection, DocumentMeta};
use crate::database::Database;
use crate::error::{Error, Result};

use super::vpack_of;

/// How often a transaction is tried that loses against others.
const ATTEMPTS_MAX: usize = 32;

/// A running transaction; reads see its own writes. For one that outlives a closure see
/// [`OwnedTransaction`](super::OwnedTransaction).
pub struct Transaction<'a> {
    inner: &'a mut persea_collections::Transaction,
}

impl Transaction<'_> {
    /// The document of this key.
    ///
    /// # Errors
    /// When the document doesn't fit the type.
    pub fn get<T: DeserializeOwned>(&self, collection: &Collection, key: &str) -> Result<Option<T>> {
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
        let document = vpack_of(document)?;
        Ok(self.inner.replace(collection.inner(), key, document.as_slice(), &WriteOptions::default())?.into())
    }

    /// Removes a document.
    ///
    /// # Errors
    /// 1202 when there is none of this key.
    pub fn remove(&mut self, collection: &Collection, key: &str) -> Result<()> {
        self.inner.remove(collection.inner(), key, &WriteOptions::default())?;
        Ok(())
    }
}

/// Runs `work` until it commits, fails by itself, or lost too often.
pub(crate) fn run<T>(
    database: &Database,
    mut work: impl FnMut(&mut Transaction<'_>) -> Result<T>,
) -> Result<T> {
    database.refuse_nesting()?;
    let mut attempt = 1;
    loop {
        let mut inner = database.inner().begin()?;
        let outcome = work(&mut Transaction { inner: &mut inner })
            .and_then(|value| inner.commit().map(|()| value).map_err(Error::from));
        match outcome {
            Err(Error::Collections(error)) if error.is_retryable() && attempt < ATTEMPTS_MAX => {
                attempt += 1;
                std::thread::yield_now();
            }
            outcome => return outcome,
        }
    }
}
