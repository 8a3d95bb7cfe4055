//! Documents as Rust types, by serde.

use persea_collections::{WriteOptions, WriteOutcome};
use persea_vpack::from_slice;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Collection;
use crate::error::{Error, Result};
use crate::transaction::vpack_of;

/// Where a written document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentMeta {
    /// Its key, unique in the collection.
    pub key: String,
    /// Its identifier, `collection/key`.
    pub id: String,
    /// Its revision after the write.
    pub rev: String,
}

impl From<WriteOutcome> for DocumentMeta {
    fn from(outcome: WriteOutcome) -> DocumentMeta {
        DocumentMeta { rev: outcome.rev.to_string(), key: outcome.key, id: outcome.id }
    }
}

fn metas(outcomes: Vec<Result<WriteOutcome>>) -> Vec<Result<DocumentMeta>> {
    outcomes.into_iter().map(|outcome| outcome.map(DocumentMeta::from)).collect()
}

impl Collection {
    /// The document of this key.
    ///
    /// # Errors
    /// When the document doesn't fit the type.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        let view = self.view()?;
        let Some((_, document)) = view.by_key(&self.inner, key)? else { return Ok(None) };
        from_slice(document).map(Some).map_err(|error| Error::Convert(error.to_string()))
    }

    /// Inserts a document.
    ///
    /// # Errors
    /// 1210 when its key or a unique value is taken, 1221 for a bad key, 1227 for what is no object, 1233 for an edge
    /// without ends.
    pub fn insert<T: Serialize>(&self, document: &T) -> Result<DocumentMeta> {
        Ok(self.insert_with(vpack_of(document)?.as_slice(), &WriteOptions::default())?.into())
    }

    /// Inserts many documents in one commit: one result or one error each, in their order.
    ///
    /// # Errors
    /// When nothing could be written at all.
    pub fn insert_many<T: Serialize>(&self, documents: &[T]) -> Result<Vec<Result<DocumentMeta>>> {
        Ok(metas(self.insert_many_with(vpack_of(&documents)?.as_slice(), &WriteOptions::default())?))
    }

    /// Merges each patch into the document that its `_key` or `_id` names, all in one commit: one result or one error
    /// each, in their order.
    ///
    /// ```
    /// # fn main() -> Result<(), persea::Error> {
    /// use serde_json::json;
    ///
    /// let db = persea::Database::in_memory()?;
    /// let people = db.create_collection("people")?;
    /// people.insert(&json!({ "_key": "ann" }))?;
    /// let outcomes = people.update_many(&[json!({ "_key": "ann", "age": 7 }), json!({ "_key": "bob", "age": 8 })])?;
    /// assert_eq!(outcomes[0].as_ref().map(|meta| &*meta.key).ok(), Some("ann"));
    /// assert_eq!(outcomes[1].as_ref().err().map(persea::Error::number), Some(1202));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When nothing could be written at all.
    pub fn update_many<T: Serialize>(&self, patches: &[T]) -> Result<Vec<Result<DocumentMeta>>> {
        Ok(metas(self.update_many_with(vpack_of(&patches)?.as_slice(), &WriteOptions::default())?))
    }

    /// Replaces the documents that the members name by `_key` or `_id`, all in one commit: one result or one error each,
    /// in their order.
    ///
    /// # Errors
    /// When nothing could be written at all.
    pub fn replace_many<T: Serialize>(&self, documents: &[T]) -> Result<Vec<Result<DocumentMeta>>> {
        Ok(metas(self.replace_many_with(vpack_of(&documents)?.as_slice(), &WriteOptions::default())?))
    }

    /// Removes the documents of these keys in one commit: one result or one error each, in their order.
    ///
    /// # Errors
    /// When nothing could be written at all.
    pub fn remove_many<K: AsRef<str>>(&self, keys: &[K]) -> Result<Vec<Result<DocumentMeta>>> {
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        Ok(metas(self.remove_many_with(vpack_of(&keys)?.as_slice(), &WriteOptions::default())?))
    }

    /// Merges `patch` into the document of this key.
    ///
    /// # Errors
    /// 1202 when there is none; else as [`insert`](Collection::insert).
    pub fn update<T: Serialize>(&self, key: &str, patch: &T) -> Result<DocumentMeta> {
        Ok(self.update_with(key, vpack_of(patch)?.as_slice(), &WriteOptions::default())?.into())
    }

    /// Replaces the document of this key.
    ///
    /// # Errors
    /// As [`update`](Collection::update).
    pub fn replace<T: Serialize>(&self, key: &str, document: &T) -> Result<DocumentMeta> {
        Ok(self.replace_with(key, vpack_of(document)?.as_slice(), &WriteOptions::default())?.into())
    }

    /// Removes the document of this key.
    ///
    /// # Errors
    /// 1202 when there is none.
    pub fn remove(&self, key: &str) -> Result<()> {
        self.remove_with(key, &WriteOptions::default()).map(drop)
    }
}
