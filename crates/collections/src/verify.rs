//! Checking that documents and index entries agree.

use persea_index::IndexKind;
use persea_kv::{Direction, Tree};
use persea_vpack::Slice;

use crate::collection::Collection;
use crate::error::Result;
use crate::index::Index;
use crate::keyspaces::read_u64;
use crate::read::{IndexScan, LocalId, View};
use crate::write::{EntryList, EntryMaker};

/// Problems listed in a report; further ones are only counted.
const PROBLEMS_MAX: usize = 100;

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
    /// A document lacks an entry in an index, or the entry says something else.
    EntryMissing {
        /// The index.
        index: String,
        /// The document.
        local_id: u64,
    },
    /// An index has more entries than its documents account for.
    EntriesLeftOver {
        /// The index.
        index: String,
        /// How many entries the documents account for.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The stored count is not the number of documents.
    CountWrong {
        /// The stored count.
        stored: u64,
        /// The number of documents.
        found: u64,
    },
}

impl Collection {
    /// Reads all documents and index entries of the latest state and reports where they disagree.
    ///
    /// # Errors
    /// Storage errors.
    pub fn verify(&self) -> Result<Report> {
        View::latest(&self.shared)?.verify(self)
    }
}

impl View {
    /// As [`Collection::verify`], for this view's moment.
    ///
    /// # Errors
    /// Storage errors.
    pub fn verify(&self, collection: &Collection) -> Result<Report> {
        let definition = self.definition(collection)?;
        let mut report = Report::default();
        let mut expected = vec![0_u64; definition.indexes.len()];
        let mut maker = EntryMaker::default();
        let mut list = EntryList::default();
        for row in self.scan(collection, Direction::Forward)? {
            let (LocalId(local_id), document) = row?;
            report.n_documents += 1;
            if let Err(error) = Slice::validate(document.bytes()) {
                report.add(Problem::DocumentDamaged { local_id, reason: error.to_string() });
                continue;
            }
            for (index, expected) in definition.indexes.iter().zip(&mut expected) {
                *expected +=
                    self.verify_entries(index, local_id, document, (&mut maker, &mut list), &mut report)?;
            }
        }
        for (index, expected) in definition.indexes.iter().zip(expected) {
            let mut found = 0;
            for keyspace in [index.keyspace, index.keyspace_in].into_iter().filter(|keyspace| *keyspace != 0)
            {
                for entry in IndexScan::whole(self.inner(), index, keyspace)? {
                    entry?;
                    found += 1;
                }
            }
            report.n_entries += found;
            if found != expected {
                let index = index.name().to_owned();
                report.add(Problem::EntriesLeftOver { index, expected, found });
            }
        }
        let stored = self.count(collection)?;
        if stored != report.n_documents {
            report.add(Problem::CountWrong { stored, found: report.n_documents });
        }
        Ok(report)
    }

    /// Checks the entries a document should have in one index; returns how many that are.
    fn verify_entries(
        &self,
        index: &Index,
        local_id: u64,
        document: Slice<'_>,
        (maker, list): (&mut EntryMaker, &mut EntryList),
        report: &mut Report,
    ) -> Result<u64> {
        let mut missing = || {
            report.add(Problem::EntryMissing { index: index.name().to_owned(), local_id });
        };
        if index.kind() == IndexKind::Primary {
            let key = document.get("_key").and_then(|key| key.as_str()).unwrap_or_default();
            let entry = self.inner().get(Tree::Index, index.keyspace, key.as_bytes())?;
            if entry.and_then(read_u64) != Some(local_id) {
                missing();
            }
            return Ok(1);
        }
        list.clear();
        maker.list(index, 0, document, local_id, list)?;
        let mut n_entries = 0;
        for entry in list.iter() {
            n_entries += 1;
            if self.inner().get(Tree::Index, entry.keyspace, entry.key)? != Some(entry.value) {
                missing();
            }
        }
        Ok(n_entries)
    }
}
