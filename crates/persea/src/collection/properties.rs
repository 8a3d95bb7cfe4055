//! Properties and figures of a collection, as VelocyPack in ArangoDB's shape.

use persea_collections::PropertyChanges;
use persea_vpack::{Slice, VPackBuf};

use super::Collection;
use crate::error::Result;

impl Collection {
    /// Every property.
    ///
    /// # Errors
    /// When they can't be built.
    pub fn properties(&self) -> Result<VPackBuf> {
        Ok(self.inner.properties()?)
    }

    /// The short form that lists show.
    ///
    /// # Errors
    /// When it can't be built.
    pub fn basic_properties(&self) -> Result<VPackBuf> {
        Ok(self.inner.basic_properties()?)
    }

    /// Changes properties: `waitForSync`, `cacheEnabled` and the like; unknown ones are ignored.
    ///
    /// # Errors
    /// 10 for values of the wrong type, 9 for properties that can't be changed yet.
    pub fn set_properties(&self, changes: Slice<'_>) -> Result<()> {
        Ok(self.inner.change_properties(&PropertyChanges::from_vpack(changes)?)?)
    }

    /// The revision of the newest write.
    ///
    /// # Errors
    /// Storage errors.
    pub fn revision(&self) -> Result<String> {
        Ok(self.inner.revision_text()?)
    }

    /// Sizes and counts; with details also of each index.
    ///
    /// # Errors
    /// Storage errors.
    pub fn figures(&self, details: bool) -> Result<VPackBuf> {
        Ok(self.inner.figures(details)?)
    }

    /// A checksum of keys, and if asked for of revisions and data; it doesn't depend on the documents' order.
    ///
    /// # Errors
    /// Storage errors.
    pub fn checksum(&self, with_revisions: bool, with_data: bool) -> Result<u64> {
        Ok(self.inner.checksum(with_revisions, with_data)?)
    }

    /// Removes all documents and keeps the indexes: outside of transactions at once, after those have ended that write to
    /// it; inside of one document by document, as a part of it.
    ///
    /// # Errors
    /// 18 when others write to the collection for too long; storage errors.
    pub fn truncate(&self, wait_for_sync: bool) -> Result<()> {
        if self.database.bound().is_some() {
            return self.write(|tx| {
                if wait_for_sync {
                    tx.require_sync();
                }
                tx.truncate(&self.inner).map(drop)
            });
        }
        self.inner.truncate_with(&self.database.change_options()?)?;
        if wait_for_sync || self.waits_for_sync() {
            self.database.instance().sync()?;
        }
        Ok(())
    }
}
