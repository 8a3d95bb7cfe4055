//! Sizes of a collection, as `figures` shows them.

use persea_kv::Direction;
use persea_vpack::{Builder, VPackBuf};

use crate::collection::Collection;
use crate::error::Result;
use crate::properties::object;
use crate::read::View;

impl Collection {
    /// Number and size of documents and indexes; `details` adds the entries of each index.
    ///
    /// # Errors
    /// Storage errors.
    pub fn figures(&self, details: bool) -> Result<VPackBuf> {
        let view = View::latest(&self.shared)?;
        let (mut documents_bytes, mut n_documents) = (0_u64, 0_u64);
        for row in view.scan(self, Direction::Forward)? {
            let (_, document) = row?;
            documents_bytes += document.byte_size() as u64;
            n_documents += 1;
        }
        let indexes = view.indexes(self)?;
        let mut index_figures = Vec::with_capacity(indexes.len());
        for index in indexes.iter() {
            index_figures.push(index.entries_and_bytes(view.inner())?);
        }
        let indexes_bytes: u64 = index_figures.iter().map(|(_, bytes)| bytes).sum();
        object(|builder| {
            builder.key("indexes").open_object();
            number(builder, "count", indexes.len() as u64);
            number(builder, "size", indexes_bytes);
            builder.close();
            number(builder, "documentsSize", documents_bytes);
            builder.key("cacheInUse").add_bool(false);
            number(builder, "cacheSize", 0);
            number(builder, "cacheUsage", 0);
            if details {
                builder.key("engine").open_object();
                number(builder, "documents", n_documents);
                builder.key("indexes").open_array();
                for (index, (entries, _)) in indexes.iter().zip(&index_figures) {
                    builder.open_object();
                    builder.key("type").add_str(index.type_name());
                    number(builder, "id", index.id());
                    number(builder, "count", *entries);
                    builder.close();
                }
                builder.close();
                builder.close();
            }
        })
    }

    /// The number of each index with the bytes that its entries take.
    ///
    /// # Errors
    /// Storage errors.
    pub fn index_sizes(&self) -> Result<Vec<(u64, u64)>> {
        let view = View::latest(&self.shared)?;
        view.indexes(self)?
            .iter()
            .map(|index| Ok((index.id(), index.entries_and_bytes(view.inner())?.1)))
            .collect()
    }
}

fn number(builder: &mut Builder, name: &str, value: u64) {
    builder.key(name).add_u64(value);
}
