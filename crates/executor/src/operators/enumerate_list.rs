//! EnumerateList: one row for each member of an array.

use persea_order::Value;

use super::outer_rows::OuterRows;
use super::{BoxedOperator, Live, Operator, filter_rows};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::Compiled;
use crate::runtime::Runtime;

/// Iterates over the array in a register of each input row.
pub(crate) struct EnumerateList<'q> {
    outer: OuterRows<'q>,
    runtime: &'q Runtime,
    /// The array: a register or a constant.
    list: Compiled<'q>,
    out: Register,
    filter: Option<Compiled<'q>>,
    /// Registers of the input that are passed on.
    passed: Live,
    live: Live,
    /// Members of the current row's array that have been produced.
    member: usize,
}

impl<'q> EnumerateList<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        list: Compiled<'q>,
        out: Register,
        filter: Option<Compiled<'q>>,
        passed: Live,
        live: Live,
    ) -> Self {
        let outer = OuterRows::new(input, runtime);
        EnumerateList { outer, runtime, list, out, filter, passed, live, member: 0 }
    }

    /// Up to `most` rows from the current input batch.
    fn produce(&mut self, source: &Batch<'q>, most: usize) -> Result<Batch<'q>, Error> {
        let mut batch = Batch::new(&self.runtime.memory);
        let list = match &self.list {
            Compiled::Const(list) => Some(*list),
            _ => None,
        };
        let register = match &self.list {
            Compiled::Column(register) => *register,
            _ => Register::MAX,
        };
        let (row, member) = (&mut self.outer.row, &mut self.member);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        batch.write_from(source, &[self.out], |_, source, columns| {
            let [column] = columns else { return Err(Error::Internal("one register has one column")) };
            let lists = source.column(register);
            while *row < source.len() && column.len() < most {
                let list = list.or_else(|| lists.get(*row).copied()).unwrap_or(Value::NULL);
                if !list.is_array() {
                    return Err(Error::ArrayExpected { type_name: list.type_name() });
                }
                let room = most - column.len();
                let before = column.len();
                let is_whole = take_members(list, *member, room, column);
                runs.push((*row, column.len() - before));
                if is_whole {
                    *row += 1;
                    *member = 0;
                } else {
                    *member += column.len() - before;
                }
            }
            Ok(())
        })?;
        for (row, count) in runs {
            batch.repeat(source, row, count, &self.passed);
        }
        Ok(batch)
    }
}

/// Appends up to `room` members from position `from` on; true when the list ended.
fn take_members<'s>(list: Value<'s>, from: usize, room: usize, column: &mut Vec<Value<'s>>) -> bool {
    let len = list.len();
    let end = len.min(from.saturating_add(room));
    if from == 0 {
        column.extend(list.elements().take(room));
    } else {
        // Members are found by position in constant time, so a long list is not walked from its start again.
        column.extend((from..end).map(|position| list.element(position as i64)));
    }
    end == len
}

impl<'q> Operator<'q> for EnumerateList<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        while let Some((source, ())) = self.outer.take(wanted, |_| Ok(()))? {
            let most = if self.filter.is_some() { BATCH_ROWS } else { wanted.clamp(1, BATCH_ROWS) };
            let mut batch = self.produce(&source, most)?;
            self.outer.put_back(source, ());
            if let Some(filter) = &self.filter {
                let dropped = filter_rows(&mut batch, filter, self.runtime)?;
                self.runtime.counters.filtered.add(dropped);
            }
            if !batch.is_empty() {
                batch.keep_columns(&self.live);
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn rewind(&mut self) {
        self.member = 0;
        self.outer.rewind();
    }
}
