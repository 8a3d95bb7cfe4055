//! HashJoin: rows of an independent pipeline, found by equal keys.

use hashbrown::HashTable;
use persea_order::equal;

use super::outer_rows::OuterRows;
use super::{BoxedOperator, Live, Operator, combine_hash, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::Compiled;
use crate::memory::Reservation;
use crate::runtime::Runtime;

/// Marks the end of a chain of build rows with equal keys.
const NO_ROW: u32 = u32::MAX;

/// A row of the build side.
#[derive(Clone, Copy)]
struct BuildRow {
    batch: u32,
    row: u32,
    /// The next row with the same keys.
    next: u32,
}

/// First and last row of a chain.
#[derive(Clone, Copy)]
struct Chain {
    hash: u64,
    first: u32,
    last: u32,
}

/// The build side in memory.
struct Table<'q> {
    batches: Vec<Batch<'q>>,
    /// The keys of the rows of each batch, in columns 0, 1, …
    keys: Vec<Batch<'q>>,
    rows: Vec<BuildRow>,
    chains: HashTable<Chain>,
    _reservation: Reservation,
}

/// See the head of this file.
pub(crate) struct HashJoin<'q> {
    /// With the chains of matches still to be produced for the rows of a batch.
    outer: OuterRows<'q, Vec<u32>>,
    build: BoxedOperator<'q>,
    runtime: &'q Runtime,
    build_keys: Vec<Compiled<'q>>,
    probe_keys: Vec<Compiled<'q>>,
    outs: Vec<Register>,
    passed: Live,
    live: Live,
    table: Option<Table<'q>>,
}

/// Combines the hashes of the key columns of one row.
fn hash_key(keys: &Batch<'_>, n_keys: usize, row: usize) -> u64 {
    (0..n_keys).fold(0u64, |combined, key| combine_hash(combined, keys.value(key, row)))
}

fn equal_keys(left: &Batch<'_>, left_row: usize, right: &Batch<'_>, right_row: usize, n_keys: usize) -> bool {
    (0..n_keys).all(|key| equal(left.value(key, left_row), right.value(key, right_row)))
}

impl<'q> HashJoin<'q> {
    #[allow(clippy::too_many_arguments, reason = "the parts of one node")]
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        build: BoxedOperator<'q>,
        runtime: &'q Runtime,
        build_keys: Vec<Compiled<'q>>,
        probe_keys: Vec<Compiled<'q>>,
        outs: Vec<Register>,
        passed: Live,
        live: Live,
    ) -> Self {
        HashJoin {
            outer: OuterRows::new(input, runtime),
            build,
            runtime,
            build_keys,
            probe_keys,
            outs,
            passed,
            live,
            table: None,
        }
    }

    fn build(&mut self) -> Result<Table<'q>, Error> {
        let n_keys = self.build_keys.len();
        let mut table = Table {
            batches: Vec::new(),
            keys: Vec::new(),
            rows: Vec::new(),
            chains: HashTable::new(),
            _reservation: Reservation::new(&self.runtime.memory),
        };
        let mut bytes = 0;
        while let Some(mut batch) = self.build.next(BATCH_ROWS)? {
            self.runtime.check()?;
            let keys = parameters(&batch, &self.build_keys, self.runtime)?;
            batch.keep_columns(&self.outs);
            let number = table.batches.len() as u32;
            table.keys.push(keys);
            for row in 0..batch.len() {
                table.insert(number, row as u32, n_keys);
            }
            bytes += batch.column_bytes() + table.keys[number as usize].column_bytes();
            table.batches.push(batch);
            let overhead =
                table.rows.capacity() * size_of::<BuildRow>() + table.chains.capacity() * size_of::<Chain>();
            table._reservation.resize(bytes + overhead)?;
        }
        Ok(table)
    }
}

/// For each row of an input batch the first matching build row.
fn probe<'q>(
    table: &Table<'q>,
    source: &Batch<'q>,
    probe_keys: &[Compiled<'q>],
    runtime: &'q Runtime,
) -> Result<Vec<u32>, Error> {
    let keys = parameters(source, probe_keys, runtime)?;
    Ok((0..source.len()).map(|row| table.find(&keys, row, probe_keys.len())).collect())
}

impl Table<'_> {
    fn insert(&mut self, batch: u32, row: u32, n_keys: usize) {
        let number = self.rows.len() as u32;
        self.rows.push(BuildRow { batch, row, next: NO_ROW });
        let keys = &self.keys;
        let key_hash = hash_key(&keys[batch as usize], n_keys, row as usize);
        let rows = &mut self.rows;
        let known = self.chains.find_mut(key_hash, |chain| {
            let first = rows[chain.first as usize];
            chain.hash == key_hash
                && equal_keys(
                    &keys[first.batch as usize],
                    first.row as usize,
                    &keys[batch as usize],
                    row as usize,
                    n_keys,
                )
        });
        match known {
            Some(chain) => {
                rows[chain.last as usize].next = number;
                chain.last = number;
            }
            None => {
                let chain = Chain { hash: key_hash, first: number, last: number };
                self.chains.insert_unique(key_hash, chain, |chain| chain.hash);
            }
        }
    }

    fn find(&self, keys: &Batch<'_>, row: usize, n_keys: usize) -> u32 {
        let key_hash = hash_key(keys, n_keys, row);
        self.chains
            .find(key_hash, |chain| {
                let first = self.rows[chain.first as usize];
                chain.hash == key_hash
                    && equal_keys(&self.keys[first.batch as usize], first.row as usize, keys, row, n_keys)
            })
            .map_or(NO_ROW, |chain| chain.first)
    }
}

impl<'q> Operator<'q> for HashJoin<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let table = match self.table.take() {
            Some(table) => table,
            None => self.build()?,
        };
        let most = wanted.clamp(1, BATCH_ROWS);
        let mut result = None;
        while result.is_none() {
            let probe = |source: &Batch<'q>| probe(&table, source, &self.probe_keys, self.runtime);
            let Some((source, mut matches)) = self.outer.take(wanted, probe)? else { break };
            let (mut left, mut right) = (Vec::new(), Vec::new());
            while self.outer.row < source.len() && left.len() < most {
                match table.rows.get(matches[self.outer.row] as usize) {
                    Some(build_row) => {
                        left.push(self.outer.row as u32);
                        right.push((build_row.batch, build_row.row));
                        matches[self.outer.row] = build_row.next;
                    }
                    None => self.outer.row += 1,
                }
            }
            if !left.is_empty() {
                let mut batch = Batch::new(&self.runtime.memory);
                batch.gather(&source, &left, &self.passed);
                batch.gather_many(&table.batches, &right, &self.outs);
                batch.set_len(left.len());
                batch.keep_columns(&self.live);
                result = Some(batch);
            }
            self.outer.put_back(source, matches);
        }
        self.table = Some(table);
        Ok(result)
    }

    fn rewind(&mut self) {
        // The build side reads nothing of the surrounding row, so its table stays.
        self.outer.rewind();
    }
}
