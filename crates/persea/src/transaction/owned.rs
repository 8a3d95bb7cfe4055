//! A transaction as an object.

use persea_vpack::from_slice;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::bound::Bound;
use super::options::TransactionOptions;
use crate::collection::{Collection, DocumentMeta};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::query::Query;

/// A transaction that runs until it is [committed](OwnedTransaction::commit) or dropped, which aborts it.
///
/// It may move between threads. Whatever is reached through its [`database`](OwnedTransaction::database), be it
/// collections, queries, imports or graphs, reads the state of its beginning and its own writes, and nobody else sees
/// these before the commit. An operation or query that fails leaves what was written before. Nothing is tried again:
/// when another transaction wrote the same document, number 1200 tells so.
///
/// What is declared to be written is locked from the beginning, other collections when they are written first: shared
/// with other writers, or exclusively. Reading never waits. When transactions would wait for each other for good, one
/// of them fails with number 29 and is aborted. Collections, indexes and graphs are made and dropped at once, outside of
/// the transaction; those of others wait for its end where they change what it has locked.
///
/// ```
/// # fn main() -> Result<(), persea::Error> {
/// use serde_json::{Value, json};
///
/// let db = persea::Database::in_memory()?;
/// let accounts = db.create_collection("accounts")?;
/// accounts.insert(&json!({ "_key": "a", "amount": 10 }))?;
///
/// let tx = db.begin()?;
/// tx.insert(&accounts, &json!({ "_key": "b", "amount": 5 }))?;
/// tx.query("UPDATE 'a' WITH { amount: 5 } IN accounts").run()?;
/// let inside: Vec<u64> = tx.query("FOR a IN accounts RETURN a.amount").rows()?.collect::<Result<_, _>>()?;
/// assert_eq!((inside, accounts.count()?), (vec![5, 5], 1));
/// tx.commit()?;
/// assert_eq!(accounts.count()?, 2);
/// # Ok(()) }
/// ```
pub struct OwnedTransaction {
    database: Database,
}

impl Database {
    /// Begins a transaction that may touch every collection.
    ///
    /// # Errors
    /// 1651 inside of another transaction, storage errors.
    pub fn begin(&self) -> Result<OwnedTransaction> {
        self.begin_with(&TransactionOptions::default())
    }

    /// Begins a transaction, once it has locked the collections that it declares to write. They are locked in one order
    /// that all transactions keep, so that those which declare all that they write never stop each other for good.
    ///
    /// # Errors
    /// 1203 for a declared collection that doesn't exist, 18 when a lock was not to be had in time, 1004 when something is
    /// to be written and the store was opened for reading only; as [`begin`](Database::begin).
    pub fn begin_with(&self, options: &TransactionOptions) -> Result<OwnedTransaction> {
        self.refuse_nesting()?;
        if !(options.write.is_empty() && options.exclusive.is_empty()) {
            self.refuse_writing()?;
        }
        let bound = Bound::begin(self.inner(), &options.of(self))?;
        Ok(OwnedTransaction { database: self.within(bound) })
    }
}

impl OwnedTransaction {
    /// The database as the transaction sees it. Handles from it work inside of the transaction, and fail with 1653 or
    /// 1654 after its end.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// The collection of this name, or with this number in decimal digits, inside of the transaction.
    ///
    /// # Errors
    /// 1203 when there is none.
    pub fn collection(&self, name: &str) -> Result<Collection> {
        self.database.collection(name)
    }

    /// A query inside of the transaction.
    pub fn query<'a>(&'a self, text: &'a str) -> Query<'a> {
        self.database.query(text)
    }

    /// The document of this key.
    ///
    /// # Errors
    /// When the document doesn't fit the type; 1652 when the collection isn't declared.
    pub fn get<T: DeserializeOwned>(&self, collection: &Collection, key: &str) -> Result<Option<T>> {
        collection
            .within(&self.database)
            .get_vpack(key)?
            .map(|document| {
                from_slice(document.as_slice()).map_err(|error| Error::Convert(error.to_string()))
            })
            .transpose()
    }

    /// Inserts a document.
    ///
    /// # Errors
    /// As [`Collection::insert`]; 1652 when the collection isn't declared for writing, 32 when too much was written.
    pub fn insert<T: Serialize>(&self, collection: &Collection, document: &T) -> Result<DocumentMeta> {
        collection.within(&self.database).insert(document)
    }

    /// Merges `patch` into a document.
    ///
    /// # Errors
    /// As [`insert`](OwnedTransaction::insert) and [`Collection::update`].
    pub fn update<T: Serialize>(
        &self,
        collection: &Collection,
        key: &str,
        patch: &T,
    ) -> Result<DocumentMeta> {
        collection.within(&self.database).update(key, patch)
    }

    /// Replaces a document.
    ///
    /// # Errors
    /// As [`insert`](OwnedTransaction::insert) and [`Collection::replace`].
    pub fn replace<T: Serialize>(
        &self,
        collection: &Collection,
        key: &str,
        document: &T,
    ) -> Result<DocumentMeta> {
        collection.within(&self.database).replace(key, document)
    }

    /// Removes a document.
    ///
    /// # Errors
    /// As [`insert`](OwnedTransaction::insert) and [`Collection::remove`].
    pub fn remove(&self, collection: &Collection, key: &str) -> Result<()> {
        collection.within(&self.database).remove(key)
    }

    /// Bytes of keys and values written so far, those of indexes included.
    ///
    /// # Errors
    /// 1654 when a bug aborted the transaction.
    pub fn write_bytes(&self) -> Result<usize> {
        self.bound().map_or(Ok(0), Bound::write_bytes)
    }

    /// Whether it declared a collection to be written.
    pub fn declares_writes(&self) -> bool {
        self.bound().is_some_and(Bound::writes)
    }

    /// Whether it can go on; false when a bug aborted it.
    pub fn is_running(&self) -> bool {
        self.bound().is_some_and(Bound::is_running)
    }

    /// Ends the queries that other threads run in it now, which fail with 1500, and their waits for locks, which fail
    /// with 21.
    pub fn interrupt(&self) {
        if let Some(bound) = self.bound() {
            bound.interrupt();
        }
    }

    /// Makes all writes visible at once.
    ///
    /// # Errors
    /// 1004 when the disk is full or refuses to work; nothing is written then, and the transaction is aborted.
    pub fn commit(self) -> Result<()> {
        self.bound().map_or(Ok(()), Bound::commit)
    }

    /// Forgets all writes, as dropping does.
    pub fn abort(self) {
        drop(self);
    }

    fn bound(&self) -> Option<&Bound> {
        self.database.bound()
    }
}

impl Drop for OwnedTransaction {
    fn drop(&mut self) {
        // Handles made from it may live on, so the last one must not decide.
        if let Some(bound) = self.bound() {
            bound.abort();
        }
    }
}

const fn assert_send<T: Send>() {}
const _: () = assert_send::<OwnedTransaction>();
