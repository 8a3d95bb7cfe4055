//! Filling a new index with the entries of the documents, while others write to the collection.
//!
//! It goes through the documents in slices, each in a snapshot of its own, so that the store keeps no old state for it.
//! Before each slice the documents behind are brought up to the new snapshot: commits note which ones they change. So
//! the index always has what one snapshot shows of the documents up to some local id. At the end, without writers, the
//! rest is soon done.

use persea_index::{key_hash, split_key};
use persea_kv::Tree;
use persea_txn::{CommitSeq, Durability};
use persea_vpack::Slice;

use crate::change_capture::Capturing;
use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::estimates::EstimateChange;
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::read::{LocalId, View};
use crate::write::{EntryList, EntryMaker, violation};

/// Most documents whose entries are written in one commit.
const SLICE_DOCUMENTS: usize = 50_000;
/// With so many bytes of entries a commit has enough: bounds the memory of a build.
const SLICE_BYTES: usize = 32 << 20;

/// An index that is being filled.
pub(crate) struct IndexFill<'c> {
    collection: &'c Collection,
    index: &'c Index,
    changed: Capturing<'c>,
    /// The index has what this shows of the documents up to `behind`.
    view: View,
    behind: LocalId,
    complete_since: CommitSeq,
    maker: EntryMaker,
    list: EntryList,
}

impl<'c> IndexFill<'c> {
    /// Nothing is filled in yet. The caller has the right to change the collection, until the end of this.
    pub(crate) fn begin(collection: &'c Collection, index: &'c Index) -> Result<Self> {
        let _gate = collection.gate.write();
        let view = View::latest(&collection.shared)?;
        Ok(Self {
            collection,
            index,
            changed: collection.capture.begin(),
            complete_since: view.commit_seq(),
            view,
            behind: LocalId(0),
            maker: EntryMaker::default(),
            list: EntryList::default(),
        })
    }

    /// Goes through all documents; what was written after this came to the last of them is left for
    /// [`finish`](Self::finish).
    ///
    /// # Errors
    /// [`Error::UniqueConstraint`]; [`Error::CollectionNotFound`] when the collection is to be dropped,
    /// [`Error::Stopping`], storage errors.
    pub(crate) fn fill(&mut self) -> Result<()> {
        loop {
            self.check_wanted()?;
            let (changed, view) = {
                let _gate = self.collection.gate.write();
                (self.changed.take(), View::latest(&self.collection.shared)?)
            };
            self.catch_up(&changed, view)?;
            if !self.go_on()? {
                return Ok(());
            }
        }
    }

    /// Fills in the rest; returns the last commit. The caller holds the collection's gate exclusively.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub(crate) fn finish(mut self) -> Result<CommitSeq> {
        let changed = self.changed.take();
        let view = View::latest(&self.collection.shared)?;
        self.catch_up(&changed, view)?;
        while self.go_on()? {
            self.check_wanted()?;
        }
        Ok(self.complete_since)
    }

    fn check_wanted(&self) -> Result<()> {
        if self.collection.shared.manager.is_stopping() {
            return Err(Error::Stopping);
        }
        self.collection.check_stays()
    }

    /// Brings the documents behind, of which these may have changed, up to a newer view.
    fn catch_up(&mut self, changed: &[u64], view: View) -> Result<()> {
        let old = std::mem::replace(&mut self.view, view);
        let changed = changed.get(..changed.partition_point(|id| *id <= self.behind.0)).unwrap_or_default();
        // Everything goes before anything comes: a unique value may have changed its owner.
        let mut gone = changed.iter().copied();
        while self.list_next(&old, &mut gone)? {
            self.remove_listed()?;
        }
        let (new, mut come) = (self.view.clone(), changed.iter().copied());
        while self.list_next(&new, &mut come)? {
            self.put_listed()?;
        }
        Ok(())
    }

    /// Lists the entries of the next documents that are there; false if none are left.
    fn list_next(&mut self, view: &View, local_ids: &mut impl Iterator<Item = u64>) -> Result<bool> {
        self.list.clear();
        let mut n_documents = 0;
        for local_id in local_ids.by_ref().take(SLICE_DOCUMENTS) {
            if let Some(document) = view.document(self.collection, LocalId(local_id))? {
                self.maker.list(self.index, 0, document, local_id, &mut self.list)?;
            }
            n_documents += 1;
            if self.list.n_bytes() >= SLICE_BYTES {
                break;
            }
        }
        Ok(n_documents > 0)
    }

    /// Fills in the next slice; false if that was the end.
    fn go_on(&mut self) -> Result<bool> {
        self.list.clear();
        let view = self.view.clone();
        let mut n_documents = 0;
        for row in view.scan_after(self.collection, self.behind)?.take(SLICE_DOCUMENTS) {
            let (local_id, document) = row?;
            self.maker.list(self.index, 0, document, local_id.0, &mut self.list)?;
            self.behind = local_id;
            n_documents += 1;
            if self.list.n_bytes() >= SLICE_BYTES {
                break;
            }
        }
        let is_full = n_documents == SLICE_DOCUMENTS || self.list.n_bytes() >= SLICE_BYTES;
        self.put_listed()?;
        Ok(is_full)
    }

    fn remove_listed(&mut self) -> Result<()> {
        if self.list.is_empty() {
            return Ok(());
        }
        let mut transaction = self.collection.shared.manager.begin()?;
        for entry in self.list.iter() {
            transaction.delete(Tree::Index, entry.keyspace, entry.key)?;
        }
        self.commit(transaction, false)
    }

    fn put_listed(&mut self) -> Result<()> {
        if self.list.is_empty() {
            return Ok(());
        }
        let mut transaction = self.collection.shared.manager.begin()?;
        for entry in self.list.iter() {
            if self.index.definition().unique
                && let Some(holder) =
                    transaction.get(Tree::Index, entry.keyspace, entry.key)?.and_then(read_u64)
            {
                let document = self.view.document(self.collection, LocalId(holder))?;
                let key = document.and_then(|document: Slice<'_>| document.get("_key")?.as_str());
                return Err(violation(self.index, key.unwrap_or_default()));
            }
            transaction.put(Tree::Index, entry.keyspace, entry.key, entry.value)?;
        }
        self.commit(transaction, true)
    }

    fn commit(&mut self, transaction: persea_txn::Transaction, is_insert: bool) -> Result<()> {
        if self.index.is_estimated() {
            self.index.estimate.apply(self.list.iter().filter_map(|entry| {
                let (field_key, _) = split_key(entry.key)?;
                Some(EstimateChange { hash: key_hash(field_key), is_insert })
            }));
        }
        self.complete_since = transaction.commit(Durability::Buffered)?;
        Ok(())
    }
}
