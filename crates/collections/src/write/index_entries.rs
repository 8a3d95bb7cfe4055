//! Keeping secondary indexes in step with documents.
//!
//! A write first lists the entries the document had and will have, checks and locks what has to be unique, makes sure
//! that there is room for everything, and only then writes: nothing can fail halfway. An index none of whose attributes changed is left out altogether.

use std::cmp::Ordering;

use persea_index::{
    EdgeEnds, EntryBuffers, IndexKind, LOCAL_ID_BYTES, append_local_id, entry_parts, key_hash,
    write_edge_prefix,
};
use persea_kv::Tree;
use persea_vpack::{Builder, Slice};

use super::scratch::{Entry, EntryList};
use super::transaction::Transaction;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::estimates::EstimateChange;
use crate::index::Index;
use crate::keyspaces::{FIELD_KEY_BYTES_MAX, read_u64};

/// Buffers for making index entries.
#[derive(Debug, Default)]
pub(crate) struct EntryMaker {
    buffers: EntryBuffers,
    key: Vec<u8>,
    stored: Builder,
}

impl EntryMaker {
    /// Appends the entries of `document` in the index at `position` to `list`, in ascending order of key.
    pub(crate) fn list(
        &mut self,
        index: &Index,
        position: usize,
        document: Slice<'_>,
        local_id: u64,
        list: &mut EntryList,
    ) -> Result<()> {
        let local_id_bytes = local_id.to_be_bytes();
        if index.kind() == IndexKind::Edge {
            let ends = EdgeEnds::of(document).ok_or(Error::InvalidEdgeAttribute)?;
            let sides = [(index.keyspace, ends.from, ends.to), (index.keyspace_in, ends.to, ends.from)];
            for (keyspace, vertex, opposite) in sides {
                write_edge_prefix(vertex, FIELD_KEY_BYTES_MAX, &mut self.key);
                append_local_id(&mut self.key, local_id);
                list.push(keyspace, position, &[&self.key], &[opposite.as_bytes()]);
            }
            return Ok(());
        }
        let definition = index.definition();
        self.stored.clear();
        definition.write_stored_values(document, &mut self.stored);
        let stored = self.stored.bytes();
        let made = definition.entries(document, FIELD_KEY_BYTES_MAX, &mut self.buffers, |key| {
            let (key, value) = entry_parts(definition.unique, key, &local_id_bytes, stored);
            list.push(index.keyspace, position, &key, &value);
        });
        made.map_err(|error| match error {
            persea_index::Error::DuplicateMember { .. } => violation(index, key_of(document)),
            other => other.into(),
        })?;
        if list.is_too_long() {
            return Err(Error::ResourceLimit(format!(
                "the entries of index '{}' take too much room",
                index.name()
            )));
        }
        Ok(())
    }
}

fn key_of(document: Slice<'_>) -> &str {
    document.get("_key").and_then(|key| key.as_str()).unwrap_or_default()
}

/// The error that names a violated unique index and the document in the way.
pub(crate) fn violation(index: &Index, key: &str) -> Error {
    Error::UniqueConstraint {
        index: index.name().to_owned(),
        kind: index.type_name().to_owned(),
        fields: index.fields_text(),
        key: key.to_owned(),
    }
}

/// Whether a write that turns `old` into `new` can change the entries of the index.
fn is_affected(index: &Index, old: Slice<'_>, new: Slice<'_>) -> bool {
    let definition = index.definition();
    definition.fields.iter().chain(&definition.stored_values).any(|path| {
        let Some(attribute) = path.names().next() else { return true };
        match (old.get(attribute), new.get(attribute)) {
            (Some(old), Some(new)) => old.bytes() != new.bytes(),
            (None, None) => false,
            _ => true,
        }
    })
}

/// Walks two lists that are in the same order; each step yields the entry of one side, or of both when keys agree.
fn for_each_pair<'a>(
    old: &'a EntryList,
    new: &'a EntryList,
    mut visit: impl FnMut(Option<Entry<'a>>, Option<Entry<'a>>) -> Result<()>,
) -> Result<()> {
    let order = |entry: &Entry<'a>| (entry.index, entry.keyspace, entry.key);
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let ordering = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => order(old).cmp(&order(new)),
        };
        match ordering {
            Ordering::Less => visit(old.next(), None)?,
            Ordering::Greater => visit(None, new.next())?,
            Ordering::Equal => visit(old.next(), new.next())?,
        }
    }
}

/// The part of an entry's key that the selectivity estimate counts.
fn estimated_hash(entry: &Entry<'_>) -> u64 {
    let field_key = entry.key.get(..entry.key.len().saturating_sub(LOCAL_ID_BYTES));
    key_hash(field_key.unwrap_or_default())
}

impl Transaction {
    /// Lists the entries of the document in the scratch builder, which is new, and checks them.
    pub(super) fn check_new_entries(&mut self, definition: &Definition, local_id: u64) -> Result<()> {
        let scratch = &mut self.scratch;
        scratch.old_entries.clear();
        scratch.new_entries.clear();
        let document = scratch.builder.as_slice()?;
        for (position, index) in definition.secondary_indexes().iter().enumerate() {
            scratch.maker.list(index, position, document, local_id, &mut scratch.new_entries)?;
        }
        self.check_unique(definition, local_id)
    }

    /// Lists the entries of the old document and of the new one in the scratch buffers, and checks the new ones.
    pub(super) fn check_changed_entries(&mut self, definition: &Definition, local_id: u64) -> Result<()> {
        let scratch = &mut self.scratch;
        scratch.old_entries.clear();
        scratch.new_entries.clear();
        let old = Slice::trusted(&scratch.old);
        let new = scratch.builder.as_slice()?;
        for (position, index) in definition.secondary_indexes().iter().enumerate() {
            if is_affected(index, old, new) {
                scratch.maker.list(index, position, old, local_id, &mut scratch.old_entries)?;
                scratch.maker.list(index, position, new, local_id, &mut scratch.new_entries)?;
            }
        }
        self.check_unique(definition, local_id)
    }

    /// Lists the entries of the old document, which goes away.
    pub(super) fn list_old_entries(&mut self, definition: &Definition, local_id: u64) -> Result<()> {
        let scratch = &mut self.scratch;
        scratch.old_entries.clear();
        scratch.new_entries.clear();
        let old = Slice::trusted(&scratch.old);
        for (position, index) in definition.secondary_indexes().iter().enumerate() {
            scratch.maker.list(index, position, old, local_id, &mut scratch.old_entries)?;
        }
        Ok(())
    }

    /// Checks that no other document has one of the new entries of unique indexes, and locks them.
    fn check_unique(&mut self, definition: &Definition, local_id: u64) -> Result<()> {
        let Self { inner, scratch, .. } = self;
        let indexes = definition.secondary_indexes();
        for entry in scratch.new_entries.iter() {
            let Some(index) = indexes.get(entry.index).filter(|index| index.definition().unique) else {
                continue;
            };
            if let Some(holder) = inner.get(Tree::Index, entry.keyspace, entry.key)?.and_then(read_u64)
                && holder != local_id
            {
                let bytes = inner.get(Tree::Documents, definition.documents, &holder.to_be_bytes())?;
                return Err(violation(index, bytes.map_or("", |bytes| key_of(Slice::trusted(bytes)))));
            }
            inner.lock_key(entry.keyspace, entry.key)?;
        }
        Ok(())
    }

    /// Makes sure that the listed entries fit into the transaction, together with the document and with its key in the
    /// primary index, so that no write fails halfway. Each of these two is given by its bytes, or left out.
    pub(super) fn check_room(&self, document_bytes: Option<usize>, key_bytes: Option<usize>) -> Result<()> {
        let scratch = &self.scratch;
        self.inner.check_room(|| {
            let (mut n_writes, mut n_bytes) = (0, 0);
            for bytes in [document_bytes, key_bytes].into_iter().flatten() {
                n_writes += 1;
                n_bytes += bytes;
            }
            // Telling sizes does not fail.
            let _ = for_each_pair(&scratch.old_entries, &scratch.new_entries, |old, new| {
                let bytes = match (old, new) {
                    (Some(old), Some(new)) if old.value == new.value => return Ok(()),
                    (_, Some(new)) => new.key.len() + new.value.len(),
                    (Some(old), None) => old.key.len(),
                    (None, None) => return Ok(()),
                };
                n_writes += 1;
                n_bytes += bytes;
                Ok(())
            });
            (n_writes, n_bytes)
        })?;
        Ok(())
    }

    /// Writes the listed entries: those only the old document had are deleted, those that are new or have another
    /// value are put.
    pub(super) fn apply_entries(&mut self, definition: &Definition, touched: usize) -> Result<()> {
        let Self { inner, scratch, estimate_changes, .. } = self;
        let indexes = definition.secondary_indexes();
        let mut note = |entry: &Entry<'_>, is_insert: bool| {
            if indexes.get(entry.index).is_some_and(|index| index.is_estimated()) {
                let change = EstimateChange { hash: estimated_hash(entry), is_insert };
                estimate_changes.push((touched as u32, entry.index as u32, change));
            }
        };
        for_each_pair(&scratch.old_entries, &scratch.new_entries, |old, new| {
            match (old, new) {
                (Some(old), Some(new)) if old.value == new.value => {}
                (Some(old), None) => {
                    inner.delete(Tree::Index, old.keyspace, old.key)?;
                    note(&old, false);
                }
                (old, Some(new)) => {
                    inner.put(Tree::Index, new.keyspace, new.key, new.value)?;
                    if old.is_none() {
                        note(&new, true);
                    }
                }
                (None, None) => {}
            }
            Ok(())
        })
    }
}
