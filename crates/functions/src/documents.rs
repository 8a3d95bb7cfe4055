//! What functions ask of the database: a trait this crate owns, so that they run on any store.

use persea_vpack::{Slice, VPackBuf};

use crate::Error;

/// One collection as `COLLECTIONS()` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionEntry {
    /// Numeric id of the collection as text.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Read access to documents and the catalog, within one snapshot.
pub trait DocumentAccess {
    /// The document `collection/key`, or `None` if the document or the collection does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Access`] if reading fails.
    fn document(&self, collection: &str, key: &str) -> Result<Option<Slice<'_>>, Error>;

    /// The number of documents in a collection.
    ///
    /// # Errors
    ///
    /// [`Error::CollectionNotFound`] if there is no such collection.
    fn collection_count(&self, collection: &str) -> Result<u64, Error>;

    /// The collections the user may read, sorted by name, system collections included.
    ///
    /// # Errors
    ///
    /// [`Error::Access`] if the catalog cannot be read.
    fn collections(&self) -> Result<Vec<CollectionEntry>, Error>;

    /// The schema object of a collection, or `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`Error::CollectionNotFound`] if there is no such collection.
    fn schema(&self, collection: &str) -> Result<Option<VPackBuf>, Error>;

    /// Checks a document against a schema object (`{rule, level, message}`): `Ok(None)` if it is valid,
    /// otherwise the message that says what is wrong.
    ///
    /// # Errors
    ///
    /// Any error of a schema that is itself invalid.
    fn validate(&self, document: Slice<'_>, schema: Slice<'_>) -> Result<Option<String>, Error>;
}

/// No database: every document is missing and every collection unknown. For expressions that stand alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDocuments;

impl DocumentAccess for NoDocuments {
    fn document(&self, _collection: &str, _key: &str) -> Result<Option<Slice<'_>>, Error> {
        Ok(None)
    }

    fn collection_count(&self, collection: &str) -> Result<u64, Error> {
        Err(Error::CollectionNotFound(collection.to_owned()))
    }

    fn collections(&self) -> Result<Vec<CollectionEntry>, Error> {
        Ok(Vec::new())
    }

    fn schema(&self, collection: &str) -> Result<Option<VPackBuf>, Error> {
        Err(Error::CollectionNotFound(collection.to_owned()))
    }

    fn validate(&self, _document: Slice<'_>, _schema: Slice<'_>) -> Result<Option<String>, Error> {
        Err(Error::NotImplemented { function: "SCHEMA_VALIDATE", reason: "there is no database to ask" })
    }
}
