//! EnumerateCollection: all documents of a collection, once for each input row.

use persea_collections::{Collection, Direction, DocumentScan, LocalId, View};
use persea_order::Value;
use persea_vpack::Slice;

use super::document_output::random_between;
use super::outer_rows::OuterRows;
use super::{BoxedOperator, DocumentOutput, Live, Operator};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::runtime::Runtime;

/// Fewest documents read at a time when a filter drops some of them.
const FILTERED_ROWS_MIN: usize = 100;

/// What a full scan produces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanMode {
    /// Every document.
    All,
    /// One document chosen at random.
    Random,
    /// One row with the number of documents in a register.
    Count(Register),
}

/// A full scan.
pub(crate) struct EnumerateCollection<'q> {
    outer: OuterRows<'q>,
    runtime: &'q Runtime,
    collection: &'q Collection,
    output: DocumentOutput<'q>,
    mode: ScanMode,
    read_own_writes: bool,
    passed: Live,
    live: Live,
    scan: Option<Scan<'q>>,
}

/// A scan under way.
enum Scan<'q> {
    Documents(Box<DocumentScan<'q>>),
    /// Documents whose contents nobody reads: only how many are left.
    Rows(u64),
}

impl<'q> EnumerateCollection<'q> {
    #[allow(clippy::too_many_arguments, reason = "the parts of one node")]
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        collection: &'q Collection,
        output: DocumentOutput<'q>,
        mode: ScanMode,
        read_own_writes: bool,
        passed: Live,
        live: Live,
    ) -> Self {
        EnumerateCollection {
            outer: OuterRows::new(input, runtime),
            runtime,
            collection,
            output,
            mode,
            read_own_writes,
            passed,
            live,
            scan: None,
        }
    }

    fn view(&self) -> Result<&'q View, Error> {
        if self.read_own_writes { self.runtime.latest_view() } else { Ok(&self.runtime.view) }
    }

    fn open(&self) -> Result<Scan<'q>, Error> {
        let view = self.view()?;
        if !self.output.reads_documents() {
            return Ok(Scan::Rows(view.count(self.collection)?));
        }
        Ok(Scan::Documents(Box::new(view.scan(self.collection, Direction::Forward)?)))
    }

    /// One document for each input row, at random.
    fn random(&self, source: &Batch<'q>) -> Result<Batch<'q>, Error> {
        let view = self.view()?;
        let mut documents: Vec<(u32, Slice<'q>)> = Vec::new();
        for row in 0..source.len() as u32 {
            let first = view.scan(self.collection, Direction::Forward)?.next().transpose()?;
            let last = view.scan(self.collection, Direction::Reverse)?.next().transpose()?;
            let (Some((LocalId(first), document)), Some((LocalId(last), _))) = (first, last) else { break };
            let chosen = random_between(self.runtime, first, last);
            let found = match chosen.checked_sub(1) {
                Some(before) => view.scan_after(self.collection, LocalId(before))?.next().transpose()?,
                None => None,
            };
            documents.push((row, found.map_or(document, |(_, document)| document)));
            self.runtime.counters.scanned_full.add(1);
        }
        let mut batch = Batch::new(&self.runtime.memory);
        let rows: Vec<u32> = documents.iter().map(|(row, _)| *row).collect();
        batch.gather(source, &rows, &self.passed);
        batch.fill(self.output.out, |_, column| {
            column.extend(documents.iter().map(|(_, document)| Value::from_slice(*document)));
            Ok(())
        })?;
        Ok(batch)
    }

    /// The number of documents for each input row.
    fn count(&self, source: &Batch<'q>, out: Register) -> Result<Batch<'q>, Error> {
        let count = self.view()?.count(self.collection)?;
        let mut batch = Batch::new(&self.runtime.memory);
        let rows: Vec<u32> = (0..source.len() as u32).collect();
        batch.gather(source, &rows, &self.passed);
        batch.fill(out, |_, column| {
            column.resize(rows.len(), Value::from_u64(count));
            Ok(())
        })?;
        Ok(batch)
    }

    /// Up to `most` documents from the current input batch.
    fn produce(&mut self, source: &Batch<'q>, most: usize) -> Result<Batch<'q>, Error> {
        let mut batch = Batch::new(&self.runtime.memory);
        let mut len = 0;
        let mut documents: Vec<Value<'q>> = Vec::with_capacity(most);
        while self.outer.row < source.len() && len < most {
            let mut scan = match self.scan.take() {
                Some(scan) => scan,
                None => self.open()?,
            };
            let before = len;
            let is_whole = match &mut scan {
                Scan::Rows(left) => {
                    let taken = (*left).min((most - len) as u64);
                    *left -= taken;
                    len += taken as usize;
                    *left == 0
                }
                Scan::Documents(scan) => loop {
                    if len == most {
                        break false;
                    }
                    match scan.next() {
                        Some(found) => {
                            let (_, document) = found?;
                            documents.push(Value::from_slice(document));
                            len += 1;
                        }
                        None => break true,
                    }
                },
            };
            batch.repeat(source, self.outer.row, len - before, &self.passed);
            if is_whole {
                self.outer.row += 1;
            } else {
                self.scan = Some(scan);
            }
        }
        if !documents.is_empty() {
            batch.fill(self.output.out, |_, column| {
                *column = documents;
                Ok(())
            })?;
        }
        self.runtime.counters.scanned_full.add(len);
        Ok(batch)
    }
}

impl<'q> Operator<'q> for EnumerateCollection<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let mut most = wanted.clamp(1, BATCH_ROWS);
        if self.output.filter.is_some() {
            most = most.max(FILTERED_ROWS_MIN);
        }
        while let Some((source, ())) = self.outer.take(wanted, |_| Ok(()))? {
            let mut batch = match self.mode {
                ScanMode::All => {
                    let batch = self.produce(&source, most)?;
                    self.outer.put_back(source, ());
                    batch
                }
                ScanMode::Random => self.random(&source)?,
                ScanMode::Count(out) => {
                    let mut batch = self.count(&source, out)?;
                    batch.keep_columns(&self.live);
                    return Ok(Some(batch));
                }
            };
            self.output.finish(&mut batch, &self.live, self.runtime)?;
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
            most = (most * 2).min(BATCH_ROWS);
        }
        Ok(None)
    }

    fn rewind(&mut self) {
        self.scan = None;
        self.outer.rewind();
    }
}
