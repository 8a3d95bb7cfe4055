//! Index: the documents an index finds, for each input row.
//!
//! The bounds of all accesses are computed for a whole input batch at once. Then entries are collected, across input
//! rows, until there are enough for a batch; their documents are read together, in the order of their local ids, which
//! is the order they are stored in.

mod access;
mod combinations;

use persea_collections::{Collection, LocalId, View};
use persea_order::Value;
use persea_planner::plan;
use persea_vpack::Slice;

use super::outer_rows::OuterRows;
use super::{BoxedOperator, DocumentOutput, Live, Operator, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::{Compiled, Compiler, follow};
use crate::runtime::Runtime;
use access::{Access, Provider, Scan, Source, compile_access, key_of, open, providers};
use combinations::Combinations;

/// Fewest entries read at a time when a filter drops some of them.
const FILTERED_ROWS_MIN: usize = 100;
/// From this many lookups on, sorting them first pays.
const SORTED_LOOKUPS_MIN: usize = 16;

/// An index entry found.
#[derive(Clone, Copy)]
struct Entry<'q> {
    row: u32,
    local_id: LocalId,
    stored: Slice<'q>,
    opposite: &'q str,
    /// The access whose bounds the document has to be checked against, since long values are cut in index keys.
    recheck: Option<usize>,
}

/// Where the collection of entries stands within the current row.
#[derive(Default)]
struct Progress<'q> {
    access: usize,
    combinations: Option<Combinations>,
    scan: Option<Scan<'q>>,
    seen: hashbrown::HashSet<LocalId, ahash::RandomState>,
    found_in_row: usize,
}

/// Index lookups and scans.
pub(crate) struct IndexLookup<'q> {
    /// With the values of the bounds for the rows of a batch.
    outer: OuterRows<'q, Batch<'q>>,
    runtime: &'q Runtime,
    collection: &'q Collection,
    output: DocumentOutput<'q>,
    accesses: Vec<Access<'q>>,
    parameters: Vec<Compiled<'q>>,
    providers: Option<Vec<Provider<'q>>>,
    needs_dedup: bool,
    ascending: bool,
    limit: usize,
    read_own_writes: bool,
    count_into: Option<Register>,
    passed: Live,
    live: Live,
    progress: Progress<'q>,
    has_opened: bool,
}

impl<'q> IndexLookup<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        node: &'q plan::IndexNode,
        compiler: Compiler<'q>,
        passed: Live,
        live: Live,
    ) -> Result<Self, Error> {
        let collection = runtime.collection(&node.collection)?;
        let output = DocumentOutput::compile(&node.output, compiler);
        let mut parameters = Vec::new();
        let mut accesses = Vec::new();
        for access in &node.accesses {
            accesses.push(compile_access(access, collection, runtime, compiler, &mut parameters)?);
        }
        let providers = if node.covering { providers(&output, &accesses) } else { None };
        Ok(IndexLookup {
            outer: OuterRows::new(input, runtime),
            runtime,
            collection,
            output,
            accesses,
            parameters,
            providers,
            needs_dedup: node.needs_dedup,
            ascending: node.ascending,
            limit: if node.limit == 0 { usize::MAX } else { node.limit },
            read_own_writes: node.read_own_writes,
            count_into: node.count_into.map(plan::VarId::index),
            passed,
            live,
            progress: Progress::default(),
            has_opened: false,
        })
    }

    fn view(&self) -> Result<&'q View, Error> {
        if self.read_own_writes { self.runtime.latest_view() } else { Ok(&self.runtime.view) }
    }

    /// Collects up to `most` entries.
    fn collect(
        &mut self,
        source: &Batch<'q>,
        bounds: &Batch<'q>,
        most: usize,
    ) -> Result<Vec<Entry<'q>>, Error> {
        if let Some(entries) = self.look_up_keys(source, bounds, most)? {
            return Ok(entries);
        }
        let mut entries = Vec::with_capacity(most.min(BATCH_ROWS));
        while self.outer.row < source.len() && entries.len() < most {
            if self.progress.found_in_row >= self.limit || !self.advance(bounds)? {
                self.outer.row += 1;
                self.progress.access = 0;
                self.progress.combinations = None;
                self.progress.scan = None;
                self.progress.seen.clear();
                self.progress.found_in_row = 0;
                continue;
            }
            self.drain_scan(&mut entries, most)?;
        }
        if entries.iter().any(|entry| entry.recheck.is_some()) {
            self.drop_mismatches(bounds, &mut entries)?;
        }
        self.runtime.counters.scanned_index.add(entries.len());
        Ok(entries)
    }

    /// Takes entries from the open scan until it ends or there are enough.
    fn drain_scan(&mut self, entries: &mut Vec<Entry<'q>>, most: usize) -> Result<(), Error> {
        let Some(mut scan) = self.progress.scan.take() else { return Ok(()) };
        let row = self.outer.row as u32;
        let recheck = match &scan {
            Scan::Range(range) if range.needs_recheck() => Some(self.progress.access),
            _ => None,
        };
        while entries.len() < most && self.progress.found_in_row < self.limit {
            let entry = match &mut scan {
                Scan::One(found) => found.take().map(|local_id| Entry {
                    row,
                    local_id,
                    stored: Slice::none(),
                    opposite: "",
                    recheck: None,
                }),
                Scan::Edges(edges) => edges.next().transpose()?.map(|(local_id, opposite)| Entry {
                    row,
                    local_id,
                    stored: Slice::none(),
                    opposite,
                    recheck: None,
                }),
                Scan::Range(range) => range.next().transpose()?.map(|entry| Entry {
                    row,
                    local_id: entry.local_id,
                    stored: entry.stored,
                    opposite: "",
                    recheck,
                }),
            };
            let Some(entry) = entry else { return Ok(()) };
            if self.needs_dedup && !self.progress.seen.insert(entry.local_id) {
                continue;
            }
            self.progress.found_in_row += 1;
            entries.push(entry);
        }
        self.progress.scan = Some(scan);
        Ok(())
    }

    /// Drops the entries whose documents do not lie within the bounds after all.
    fn drop_mismatches(&self, bounds: &Batch<'q>, entries: &mut Vec<Entry<'q>>) -> Result<(), Error> {
        let view = self.view()?;
        let mut kept = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            let matches = match entry.recheck.and_then(|access| self.accesses.get(access)) {
                Some(access) => {
                    let document = view.indexed_document(self.collection, entry.local_id)?;
                    access.matches(document, bounds, entry.row as usize)
                }
                None => true,
            };
            if matches {
                kept.push(*entry);
            }
        }
        *entries = kept;
        Ok(())
    }

    /// Makes sure a scan is open for the current row; false when the row has no more.
    fn advance(&mut self, bounds: &Batch<'q>) -> Result<bool, Error> {
        loop {
            if self.progress.scan.is_some() {
                return Ok(true);
            }
            let Some(access) = self.accesses.get(self.progress.access) else { return Ok(false) };
            let row = self.outer.row;
            let combinations = match &mut self.progress.combinations {
                Some(combinations) => {
                    combinations.advance();
                    combinations
                }
                none => none.insert(Combinations::new(access, bounds, row, self.ascending)),
            };
            if combinations.is_done {
                self.progress.access += 1;
                self.progress.combinations = None;
                continue;
            }
            let eq: Vec<Value<'_>> = access
                .terms
                .iter()
                .enumerate()
                .map(|(term, (register, _))| combinations.value(term, bounds.value(*register, row)))
                .collect();
            let view = self.view()?;
            self.progress.scan = open(access, &eq, bounds, row, view, self.collection, self.ascending)?;
            self.runtime.counters.seeks.add(1);
            if self.has_opened {
                self.runtime.counters.cursors_rearmed.add(1);
            } else {
                self.has_opened = true;
                self.runtime.counters.cursors_created.add(1);
            }
        }
    }

    /// The common case of one key for each row: the keys are looked up in their own order. `None` for other cases.
    fn look_up_keys(
        &mut self,
        source: &Batch<'q>,
        bounds: &Batch<'q>,
        most: usize,
    ) -> Result<Option<Vec<Entry<'q>>>, Error> {
        let [Access { source: Source::Key { by_id }, terms, .. }] = &self.accesses[..] else {
            return Ok(None);
        };
        let [(register, false)] = &terms[..] else { return Ok(None) };
        let end = source.len().min(self.outer.row + most);
        let values = bounds.column(*register);
        let view = self.view()?;
        let name = view.collection_name(self.collection)?;
        let mut keys: Vec<(u32, &str)> = (self.outer.row..end)
            .filter_map(|row| {
                let text = values.get(row)?.as_str()?;
                Some((row as u32, key_of(text, *by_id, name)?))
            })
            .collect();
        let in_order = keys.len() < SORTED_LOOKUPS_MIN;
        if !in_order {
            keys.sort_unstable_by(|left, right| left.1.cmp(right.1));
        }
        let mut entries = Vec::with_capacity(keys.len());
        for &(row, key) in &keys {
            if let Some(local_id) = view.local_id(self.collection, key)? {
                entries.push(Entry { row, local_id, stored: Slice::none(), opposite: "", recheck: None });
            }
        }
        if !in_order {
            entries.sort_unstable_by_key(|entry| entry.row);
        }
        self.runtime.counters.seeks.add(keys.len());
        self.runtime.counters.scanned_index.add(entries.len());
        if !self.has_opened {
            self.has_opened = true;
            self.runtime.counters.cursors_created.add(1);
        }
        self.outer.row = end;
        Ok(Some(entries))
    }

    /// Reads the documents of the entries, in the order they are stored in.
    fn documents(&self, entries: &[Entry<'q>]) -> Result<Vec<Value<'q>>, Error> {
        let view = self.view()?;
        let mut documents = vec![Value::NULL; entries.len()];
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        if entries.len() >= SORTED_LOOKUPS_MIN {
            order.sort_unstable_by_key(|&position| entries[position as usize].local_id);
        }
        for position in order {
            let entry = &entries[position as usize];
            let document = view.indexed_document(self.collection, entry.local_id)?;
            documents[position as usize] = Value::from_slice(document);
        }
        self.runtime.counters.document_lookups.add(entries.len());
        Ok(documents)
    }

    /// A batch of the rows that the entries belong to, documents or projections included.
    fn batch_of(&self, source: &Batch<'q>, entries: &[Entry<'q>]) -> Result<Batch<'q>, Error> {
        let mut batch = Batch::new(&self.runtime.memory);
        let rows: Vec<u32> = entries.iter().map(|entry| entry.row).collect();
        batch.gather(source, &rows, &self.passed);
        if let Some(providers) = &self.providers {
            for ((_, register), provider) in self.output.projections.iter().zip(providers) {
                batch.fill(*register, |_, column| {
                    column.extend(entries.iter().map(|entry| match provider {
                        Provider::Stored(position, path) => {
                            let stored = entry.stored.at(*position).map_or(Value::NULL, Value::from_slice);
                            follow(stored, path)
                        }
                        Provider::Opposite => Value::from_str(entry.opposite),
                    }));
                    Ok(())
                })?;
            }
            batch.keep_columns(&self.live);
            return Ok(batch);
        }
        if self.output.reads_documents() {
            let documents = self.documents(entries)?;
            batch.fill(self.output.out, |_, column| {
                *column = documents;
                Ok(())
            })?;
        }
        self.output.finish(&mut batch, &self.live, self.runtime)?;
        Ok(batch)
    }

    /// The number of entries for each input row.
    fn count(&mut self, source: &Batch<'q>, bounds: &Batch<'q>, out: Register) -> Result<Batch<'q>, Error> {
        let mut counts = vec![0u64; source.len()];
        loop {
            let entries = self.collect(source, bounds, BATCH_ROWS)?;
            self.runtime.check()?;
            for entry in &entries {
                counts[entry.row as usize] += 1;
            }
            if self.outer.row >= source.len() {
                break;
            }
        }
        let mut batch = Batch::new(&self.runtime.memory);
        let rows: Vec<u32> = (0..source.len() as u32).collect();
        batch.gather(source, &rows, &self.passed);
        batch.fill(out, |_, column| {
            column.extend(counts.iter().map(|&count| Value::from_u64(count)));
            Ok(())
        })?;
        batch.keep_columns(&self.live);
        Ok(batch)
    }
}

impl<'q> Operator<'q> for IndexLookup<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let mut most = wanted.clamp(1, BATCH_ROWS);
        if self.output.filter.is_some() {
            most = most.max(FILTERED_ROWS_MIN);
        }
        while let Some((source, bounds)) =
            self.outer.take(wanted, |source| parameters(source, &self.parameters, self.runtime))?
        {
            if let Some(out) = self.count_into {
                return Ok(Some(self.count(&source, &bounds, out)?));
            }
            let entries = self.collect(&source, &bounds, most)?;
            let batch = self.batch_of(&source, &entries)?;
            self.outer.put_back(source, bounds);
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
            most = (most * 2).min(BATCH_ROWS);
        }
        Ok(None)
    }

    fn rewind(&mut self) {
        self.progress = Progress::default();
        self.outer.rewind();
    }
}
