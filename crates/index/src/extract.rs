//! From a document to its index entries.
//!
//! A field without `[*]` gives one value, `null` when it is missing; a sparse index has no entry when one of them is
//! null. A field with `[*]` gives one value for each array member and none at all when there is no array there or
//! an empty one, and then the document has no entry. Several such fields give every combination.

use std::ops::Range;

use persea_order::{DecodedKey, Value, decode_sort_key, skip_sort_key, sort_key};
use persea_vpack::{Builder, Slice};

use crate::definition::IndexDefinition;
use crate::entry::{cut_key, is_cut};
use crate::error::Error;
use crate::field_path::FieldPath;

/// Most entries that one document may have in one index.
pub const ENTRIES_MAX: usize = 1 << 20;

/// Buffers that making entries needs; keep one and use it for many documents.
#[derive(Debug, Default)]
pub struct EntryBuffers {
    /// The key being put together.
    key: Vec<u8>,
    /// Sort keys of array members, one after the other.
    members: Vec<u8>,
    /// For each field, where its candidates lie in `members`.
    candidates: Vec<Vec<Range<usize>>>,
    /// All keys of the document, one after the other, and where each lies.
    keys: Vec<u8>,
    key_ranges: Vec<Range<usize>>,
}

impl EntryBuffers {
    /// Empty buffers.
    pub fn new() -> EntryBuffers {
        EntryBuffers::default()
    }
}

impl IndexDefinition {
    /// Gives the field key of each of the document's entries to `emit`, in ascending order for array fields, cut to
    /// `limit` bytes (see [`cut_key`]).
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateMember`] if the index is unique, does not remove duplicates, and the document has a key
    /// twice; [`Error::TooManyEntries`] for more than [`ENTRIES_MAX`] combinations. Nothing was emitted then.
    #[inline]
    pub fn entries(
        &self,
        document: Slice<'_>,
        limit: usize,
        buffers: &mut EntryBuffers,
        mut emit: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        if !self.is_expanded() {
            if self.write_key(document, &mut buffers.key) {
                cut_key(&mut buffers.key, limit);
                emit(&buffers.key);
            }
            return Ok(());
        }
        self.collect_keys(document, limit, buffers)?;
        for range in &buffers.key_ranges {
            emit(buffers.keys.get(range.clone()).unwrap_or_default());
        }
        Ok(())
    }

    /// Writes the one key of an index without array fields over `key`; false when the document has no entry.
    fn write_key(&self, document: Slice<'_>, key: &mut Vec<u8>) -> bool {
        key.clear();
        for field in &self.fields {
            let value = field.value(document);
            if self.sparse && value.is_null() {
                return false;
            }
            sort_key(value, key);
        }
        true
    }

    /// Leaves the document's keys in `buffers.keys` and `key_ranges`: sorted, without duplicates.
    fn collect_keys(
        &self,
        document: Slice<'_>,
        limit: usize,
        buffers: &mut EntryBuffers,
    ) -> Result<(), Error> {
        buffers.keys.clear();
        buffers.key_ranges.clear();
        if !self.collect_candidates(document, buffers) {
            return Ok(());
        }
        let counts = buffers.candidates.iter().take(self.fields.len()).map(Vec::len);
        let n_entries = counts.fold(1usize, usize::saturating_mul);
        if n_entries > ENTRIES_MAX {
            return Err(Error::TooManyEntries { index: self.name.clone() });
        }
        for combination in 0..n_entries {
            self.write_combination(combination, limit, buffers);
        }
        let EntryBuffers { keys, key_ranges, .. } = buffers;
        key_ranges.sort_unstable_by(|left, right| keys.get(left.clone()).cmp(&keys.get(right.clone())));
        key_ranges.dedup_by(|left, right| keys.get(left.clone()) == keys.get(right.clone()));
        if self.unique && !self.deduplicate && key_ranges.len() < n_entries {
            key_ranges.clear();
            return Err(Error::DuplicateMember { index: self.name.clone() });
        }
        Ok(())
    }

    /// Fills `buffers.candidates` with the keys each field contributes; false when the document has no entry.
    fn collect_candidates(&self, document: Slice<'_>, buffers: &mut EntryBuffers) -> bool {
        buffers.members.clear();
        buffers.candidates.resize_with(self.fields.len().max(buffers.candidates.len()), Vec::new);
        for (field, candidates) in self.fields.iter().zip(&mut buffers.candidates) {
            candidates.clear();
            let mut push = |value: Value<'_>| {
                let start = buffers.members.len();
                sort_key(value, &mut buffers.members);
                candidates.push(start..buffers.members.len());
            };
            if field.is_expanded() {
                expand(field, document, &mut push);
            } else {
                let value = field.value(document);
                if !self.sparse || !value.is_null() {
                    push(value);
                }
            }
            if candidates.is_empty() {
                return false;
            }
        }
        true
    }

    /// Appends the key of the combination with that number to `buffers.keys`: the number is read as a figure whose
    /// digits, the last field's first, pick one candidate each.
    fn write_combination(&self, combination: usize, limit: usize, buffers: &mut EntryBuffers) {
        let EntryBuffers { key, members, candidates, keys, key_ranges } = buffers;
        let candidates = candidates.get(..self.fields.len()).unwrap_or_default();
        key.clear();
        let mut weight: usize = candidates.iter().map(Vec::len).product();
        let mut rest = combination;
        for field_candidates in candidates {
            weight /= field_candidates.len().max(1);
            let picked = field_candidates.get(rest / weight.max(1)).cloned().unwrap_or_default();
            rest %= weight.max(1);
            key.extend_from_slice(members.get(picked).unwrap_or_default());
        }
        cut_key(key, limit);
        let start = keys.len();
        keys.extend_from_slice(key);
        key_ranges.push(start..keys.len());
    }

    /// The value of the field at `position` (from 0) read back from an entry's field key, so that a query that needs
    /// only indexed attributes reads no documents. For a field with `[*]` it is the array member of this entry.
    ///
    /// [`DecodedKey::Inexact`] when the key does not tell it: for arrays, objects, very large numbers, and keys that
    /// were cut. A string is written over `text`.
    #[inline]
    pub fn field_value<'t>(
        &self,
        field_key: &[u8],
        position: usize,
        limit: usize,
        text: &'t mut String,
    ) -> DecodedKey<'t> {
        if is_cut(field_key, limit) {
            return DecodedKey::Inexact;
        }
        let rest = (0..position).try_fold(field_key, |rest, _| skip_sort_key(rest));
        rest.and_then(|rest| decode_sort_key(rest, text)).map_or(DecodedKey::Inexact, |(value, _)| value)
    }

    /// Appends the document's stored values to `builder` as one array, `null` where an attribute is missing; nothing
    /// when the index stores none.
    pub fn write_stored_values(&self, document: Slice<'_>, builder: &mut Builder) {
        if self.stored_values.is_empty() {
            return;
        }
        builder.open_array();
        for path in &self.stored_values {
            path.value(document).write_to(builder);
        }
        builder.close();
    }
}

fn expand<'a>(field: &FieldPath, document: Slice<'a>, push: &mut impl FnMut(Value<'a>)) {
    if let Some(array) = field.array(document) {
        array.array_iter().for_each(|member| push(field.member_value(member)));
    }
}
