//! The indexes of a collection, as VelocyPack in ArangoDB's shape.

use persea_vpack::{Slice, VPackBuf, to_vpack};
use serde::Serialize;

use super::Collection;
use crate::error::{Error, Result};

impl Collection {
    /// All indexes, the primary index first.
    ///
    /// # Errors
    /// When they can't be built.
    pub fn indexes(&self) -> Result<Vec<VPackBuf>> {
        self.inner.indexes().iter().map(|index| self.described(index)).collect()
    }

    /// The index of this id (`collection/number` or the number) or name.
    ///
    /// # Errors
    /// 1212 when there is none.
    pub fn index(&self, handle: &str) -> Result<VPackBuf> {
        self.described(&*self.inner.index(handle)?)
    }

    /// Makes an index and tells whether it is new; an identical one that exists is given instead.
    ///
    /// # Errors
    /// 10 for a bad definition, 1207 for a name that is taken, 1210 when the documents violate a unique index.
    pub fn create_index(&self, definition: Slice<'_>) -> Result<(VPackBuf, bool)> {
        let (index, is_new) = self.inner.create_index(definition)?;
        Ok((self.described(&index)?, is_new))
    }

    /// Makes a persistent index over these attributes, if there isn't one.
    ///
    /// # Errors
    /// As [`create_index`](Collection::create_index).
    pub fn ensure_index(&self, fields: &[&str], unique: bool) -> Result<()> {
        #[derive(Serialize)]
        struct Definition<'a> {
            r#type: &'a str,
            fields: &'a [&'a str],
            unique: bool,
        }
        let definition = to_vpack(&Definition { r#type: "persistent", fields, unique })
            .map_err(|error| Error::Convert(error.to_string()))?;
        self.create_index(definition.as_slice()).map(drop)
    }

    /// Drops an index and gives its id.
    ///
    /// # Errors
    /// 1212 when there is none, 11 for the primary and edge indexes.
    pub fn drop_index(&self, handle: &str) -> Result<String> {
        let id = self.inner.drop_index(handle)?;
        Ok(format!("{}/{id}", self.name()))
    }

    fn described(&self, index: &persea_collections::Index) -> Result<VPackBuf> {
        Ok(index.to_vpack(&self.name())?)
    }
}
