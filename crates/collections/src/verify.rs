//! Checking that documents and index entries agree.

use std::fmt;

use persea_index::{IndexKind, split_key, split_unique_value};
use persea_kv::{Direction, Tree};
use persea_vpack::Slice;

use crate::collection::Collection;
use crate::definition::Definition;
use crate::error::Result;
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::read::{EVERYTHING, LocalId, View};
use crate::write::{EntryList, EntryMaker};

/// Problems listed in a report; further ones are only counted.
const PROBLEMS_MAX: usize = 100;
/// Documents and entries between two calls of who watches.
const WATCH_INTERVAL: u64 = 1024;
/// Bytes of an entry's key that a problem shows.
const SHOWN_BYTES_MAX: usize = 64;

/// What checking a collection found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Documents read.
    pub n_documents: u64,
    /// Index entries read, of all indexes.
    pub n_entries: u64,
    /// Number of problems.
    pub n_problems: u64,
    /// The first problems.
    pub problems: Vec<Problem>,
}

impl Report {
    /// Whether everything agrees.
    pub fn is_clean(&self) -> bool {
        self.n_problems == 0
    }

    fn add(&mut self, problem: Problem) {
        self.n_problems += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

/// One disagreement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes of a document are not valid.
    DocumentDamaged {
        /// The document.
        local_id: u64,
        /// What is wrong.
        reason: String,
    },
    /// A document lacks an entry in an index.
    EntryMissing {
        /// The index.
        index: String,
        /// The document.
        local_id: u64,
        /// Its `_key`.
        key: String,
    },
    /// The entry of a document in an index says something else than the document.
    EntryWrong {
        /// The index.
        index: String,
        /// The document.
        local_id: u64,
        /// Its `_key`.
        key: String,
    },
    /// An index has an entry that goes with no document.
    EntryLeftOver {
        /// The index.
        index: String,
        /// The document that it names, if it can be read.
        local_id: Option<u64>,
        /// The begin of the entry's key, with what is no printable character of ASCII escaped.
        entry: String,
        /// Whether there is a document of that number, with other values.
        has_document: bool,
    },
    /// The stored count is not the number of documents.
    CountWrong {
        /// The stored count.
        stored: u64,
        /// The number of documents.
        found: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::DocumentDamaged { local_id, reason } => {
                write!(out, "the document with local id {local_id} is damaged: {reason}")
            }
            Problem::EntryMissing { index, local_id, key } => {
                write!(out, "index '{index}' lacks an entry of document '{key}' (local id {local_id})")
            }
            Problem::EntryWrong { index, local_id, key } => {
                write!(out, "index '{index}' has a wrong entry of document '{key}' (local id {local_id})")
            }
            Problem::EntryLeftOver { index, local_id, entry, has_document } => {
                write!(out, "index '{index}' has the entry \"{entry}\" ")?;
                match (local_id, has_document) {
                    (None, _) => write!(out, "which names no document"),
                    (Some(id), false) => write!(out, "of a document that is not there (local id {id})"),
                    (Some(id), true) => {
                        write!(out, "which the document it names (local id {id}) does not have")
                    }
                }
            }
            Problem::CountWrong { stored, found } => {
                write!(out, "the stored count is {stored}, there are {found} documents")
            }
        }
    }
}

impl Collection {
    /// Reads all documents and index entries of the latest state and reports where they disagree.
    ///
    /// # Errors
    /// Storage errors.
    pub fn verify(&self) -> Result<Report> {
        View::latest(&self.shared)?.verify(self, &mut |_| {})
    }
}

/// What a check goes through with.
struct Check<'v, 'w> {
    view: &'v View,
    definition: &'v Definition,
    maker: EntryMaker,
    list: EntryList,
    report: Report,
    n_watched: u64,
    watch: &'w mut dyn FnMut(u64),
}

impl View {
    /// As [`Collection::verify`], for this view's moment. `watch` is called now and then with the number of documents and
    /// entries read so far.
    ///
    /// # Errors
    /// Storage errors.
    pub fn verify(&self, collection: &Collection, watch: &mut dyn FnMut(u64)) -> Result<Report> {
        let mut check = Check {
            view: self,
            definition: self.definition(collection)?,
            maker: EntryMaker::default(),
            list: EntryList::default(),
            report: Report::default(),
            n_watched: 0,
            watch,
        };
        let expected = check.documents(collection)?;
        for (index, expected) in check.definition.indexes.iter().zip(expected) {
            let found = check.count_entries(index)?;
            // When each entry that there should be is there, and no more, none is left over.
            if found != expected {
                check.find_left_over(index)?;
            }
        }
        let stored = self.count(collection)?;
        if stored != check.report.n_documents {
            check.report.add(Problem::CountWrong { stored, found: check.report.n_documents });
        }
        Ok(check.report)
    }
}

impl<'v> Check<'v, '_> {
    fn tick(&mut self) {
        self.n_watched += 1;
        if self.n_watched.is_multiple_of(WATCH_INTERVAL) {
            (self.watch)(self.n_watched);
        }
    }

    /// Checks all documents; gives for each index how many of their entries it has.
    fn documents(&mut self, collection: &Collection) -> Result<Vec<u64>> {
        let mut n_found = vec![0; self.definition.indexes.len()];
        for row in self.view.scan(collection, Direction::Forward)? {
            let (LocalId(local_id), document) = row?;
            self.tick();
            self.report.n_documents += 1;
            if let Err(error) = Slice::validate(document.bytes()) {
                self.report.add(Problem::DocumentDamaged { local_id, reason: error.to_string() });
                continue;
            }
            for (index, n_found) in self.definition.indexes.iter().zip(&mut n_found) {
                *n_found += self.entries_of(index, local_id, document)?;
            }
        }
        Ok(n_found)
    }

    /// Checks the entries that a document should have in an index; gives how many are there.
    fn entries_of(&mut self, index: &Index, local_id: u64, document: Slice<'_>) -> Result<u64> {
        let key = document.get("_key").and_then(|key| key.as_str()).unwrap_or_default();
        let name = || index.name().to_owned();
        let missing = || Problem::EntryMissing { index: name(), local_id, key: key.to_owned() };
        let wrong = || Problem::EntryWrong { index: name(), local_id, key: key.to_owned() };
        let view = self.view.inner();
        if index.kind() == IndexKind::Primary {
            let entry = view.get(Tree::Index, index.keyspace, key.as_bytes())?;
            return Ok(match entry {
                Some(entry) if read_u64(entry) == Some(local_id) => 1,
                Some(_) => {
                    self.report.add(wrong());
                    0
                }
                None => {
                    self.report.add(missing());
                    0
                }
            });
        }
        self.list.clear();
        self.maker.list(index, 0, document, local_id, &mut self.list)?;
        let mut n_found = 0;
        for entry in self.list.iter() {
            match view.get(Tree::Index, entry.keyspace, entry.key)? {
                Some(value) => {
                    n_found += 1;
                    if value != entry.value {
                        self.report.add(wrong());
                    }
                }
                None => self.report.add(missing()),
            }
        }
        Ok(n_found)
    }

    fn count_entries(&mut self, index: &Index) -> Result<u64> {
        let mut n_entries = 0;
        for keyspace in keyspaces(index) {
            for entry in self.view.inner().range(Tree::Index, keyspace, EVERYTHING, Direction::Forward)? {
                entry?;
                n_entries += 1;
                self.tick();
            }
        }
        self.report.n_entries += n_entries;
        Ok(n_entries)
    }

    /// Reports the entries of an index that go with no document.
    fn find_left_over(&mut self, index: &Index) -> Result<()> {
        let view = self.view.inner();
        for keyspace in keyspaces(index) {
            for entry in view.range(Tree::Index, keyspace, EVERYTHING, Direction::Forward)? {
                let (key, value) = entry?;
                self.tick();
                let local_id = local_id_of(index, key, value);
                let document = match local_id {
                    Some(id) => view.get(Tree::Documents, self.definition.documents, &id.to_be_bytes())?,
                    None => None,
                };
                // A damaged document is reported as such.
                if document.is_some_and(|document| Slice::validate(document).is_err()) {
                    continue;
                }
                let document = document.map(Slice::trusted);
                let has_entry = match (local_id, document) {
                    (Some(id), Some(document)) => self.has_entry(index, id, document, keyspace, key)?,
                    _ => false,
                };
                if !has_entry {
                    let shown = key.get(..SHOWN_BYTES_MAX).unwrap_or(key);
                    self.report.add(Problem::EntryLeftOver {
                        index: index.name().to_owned(),
                        local_id,
                        entry: shown.escape_ascii().to_string(),
                        has_document: document.is_some(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether a document makes an entry of this key.
    fn has_entry(
        &mut self,
        index: &Index,
        local_id: u64,
        document: Slice<'_>,
        keyspace: u64,
        key: &[u8],
    ) -> Result<bool> {
        if index.kind() == IndexKind::Primary {
            let own = document.get("_key").and_then(|key| key.as_str());
            return Ok(own.is_some_and(|own| own.as_bytes() == key));
        }
        self.list.clear();
        self.maker.list(index, 0, document, local_id, &mut self.list)?;
        Ok(self.list.iter().any(|entry| entry.keyspace == keyspace && entry.key == key))
    }
}

fn keyspaces(index: &Index) -> impl Iterator<Item = u64> + use<> {
    [index.keyspace, index.keyspace_in].into_iter().filter(|keyspace| *keyspace != 0)
}

/// The document that an entry names.
fn local_id_of(index: &Index, key: &[u8], value: &[u8]) -> Option<u64> {
    match index.kind() {
        IndexKind::Edge => split_key(key).map(|(_, local_id)| local_id),
        IndexKind::Primary => read_u64(value),
        _ if index.definition().unique => split_unique_value(value).map(|(local_id, _)| local_id),
        _ => split_key(key).map(|(_, local_id)| local_id),
    }
}
