//! The indexes of a collection, as VelocyPack in ArangoDB's shape.

use persea_vpack::{Builder, Slice, VPackBuf, to_vpack};
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

    /// All indexes, each with `figures` that tell the memory it takes.
    ///
    /// # Errors
    /// When they can't be built; storage errors.
    pub fn indexes_with_figures(&self) -> Result<Vec<VPackBuf>> {
        let sizes = self.inner.index_sizes()?;
        let described = self.indexes()?;
        described.iter().zip(sizes).map(|(index, (_, bytes))| with_figures(index.as_slice(), bytes)).collect()
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
    /// Others write to the collection while it is filled. For the end, transactions that have written to it are waited
    /// for, and later ones wait: whoever makes an index while he holds back such a transaction himself waits for good.
    ///
    /// # Errors
    /// 10 for a bad definition, 1207 for a name that is taken, 1210 when the documents violate a unique index; 1203 when
    /// the collection is dropped meanwhile; 18 when others write to it for too long, 1653 inside of a transaction that
    /// has locked it, 29 inside of one that these others wait for.
    pub fn create_index(&self, definition: Slice<'_>) -> Result<(VPackBuf, bool)> {
        self.refuse_change()?;
        let (index, is_new) = self.inner.create_index_with(definition, &self.database.change_options()?)?;
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

    /// Drops an index and gives its id. Waits for transactions that write to the collection; later ones wait.
    ///
    /// # Errors
    /// 1212 when there is none, 11 for the primary and edge indexes; 18, 29 and 1653 as
    /// [`create_index`](Collection::create_index).
    pub fn drop_index(&self, handle: &str) -> Result<String> {
        self.refuse_change()?;
        let id = self.inner.drop_index_with(handle, &self.database.change_options()?)?;
        Ok(format!("{}/{id}", self.name()))
    }

    fn refuse_change(&self) -> Result<()> {
        self.database.bound().map_or(Ok(()), |transaction| transaction.refuse_change(&self.inner))
    }

    fn described(&self, index: &persea_collections::Index) -> Result<VPackBuf> {
        Ok(index.to_vpack(&self.name())?)
    }
}

/// An index's description with its size. There is no cache of index entries apart from the engine's pages.
fn with_figures(index: Slice<'_>, bytes: u64) -> Result<VPackBuf> {
    let mut builder = Builder::new();
    builder.open_object();
    for (name, value) in index.object_iter() {
        builder.key(name).add_slice(value);
    }
    builder.key("figures").open_object();
    builder.key("memory").add_u64(bytes);
    builder.key("cacheInUse").add_bool(false);
    builder.key("cacheSize").add_u64(0);
    builder.key("cacheUsage").add_u64(0);
    builder.close();
    builder.close();
    Ok(builder.finish()?)
}
