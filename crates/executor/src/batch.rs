//! Columnar batches of rows, and the arenas their values borrow from.
//!
//! A batch has one column of [`Value`]s for each live register. A value borrows either from something that lives as
//! long as the query (`'q`: the snapshot, the constants of the plan) or from an arena. Which of the two is not
//! tracked for each value: the batch keeps every arena alive that any of its values may borrow from, and its columns are
//! stored with the lifetime `'q` whatever they borrow. This file is where that lifetime is erased. Outside of it
//! the rules are ordinary Rust:
//!
//! - reading a column lends values for as long as the batch itself is borrowed, so none outlives its arena;
//! - columns are written by closures that must work for *every* lifetime `'s` (`for<'s>`), so all they can store is what
//!   they were lent for `'s` (this batch's other columns, its arena, a source batch that this one then keeps
//!   alive) and what lives for `'q`.
#![allow(unsafe_code)]

use std::rc::Rc;

use bumpalo::Bump;
use persea_order::{Value, View};
use persea_vpack::Slice;

use crate::Error;
use crate::arena::Arena;
use crate::memory::Memory;

/// The number of rows operators aim at in one batch.
pub(crate) const BATCH_ROWS: usize = 1000;

/// Number of a column: the number of a plan variable.
pub(crate) type Register = usize;

/// Rows in columns. See the head of this file for what the values may borrow from.
#[derive(Debug)]
pub(crate) struct Batch<'q> {
    /// Values are stored as `'q`, but may borrow from `arena` and what it keeps.
    columns: Vec<Vec<Value<'q>>>,
    len: usize,
    arena: Rc<Arena>,
}

/// What a closure that writes columns may read and build with.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s, 'q> {
    // Private, so that a scope over a source batch cannot be made: its arena must not grow behind the back of `keep`.
    batch: &'s Batch<'q>,
}

impl<'s, 'q> Scope<'s, 'q> {
    /// The batch being written to; the columns being written are empty in it.
    pub(crate) fn batch(&self) -> &'s Batch<'q> {
        self.batch
    }

    /// Where new values are built.
    pub(crate) fn arena(&self) -> &'s Bump {
        self.batch.arena.bump()
    }
}

impl<'q> Batch<'q> {
    /// A batch without rows, on an arena of its own.
    pub(crate) fn new(memory: &Memory) -> Self {
        Batch { columns: Vec::new(), len: 0, arena: Arena::new(memory) }
    }

    /// The same rows with some of the columns, on the same arena.
    pub(crate) fn sibling_with(&self, registers: &[Register]) -> Self {
        let mut sibling = Batch { columns: Vec::new(), len: self.len, arena: self.arena.clone() };
        for &register in registers {
            let values = self.columns.get(register).cloned().unwrap_or_default();
            *sibling.column_mut(register) = values;
        }
        sibling
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Declares how many rows there are, after their columns have been written (or where rows have no columns).
    pub(crate) fn set_len(&mut self, len: usize) {
        self.len = len;
    }

    /// The values of a column; empty for a register that has not been written.
    pub(crate) fn column(&self, register: Register) -> &[Value<'_>] {
        self.columns.get(register).map_or(&[], Vec::as_slice)
    }

    /// One value; null where there is none.
    pub(crate) fn value(&self, register: Register, row: usize) -> Value<'_> {
        self.column(register).get(row).copied().unwrap_or(Value::NULL)
    }

    /// Bytes of the columns, and of the arena if no other batch shares it.
    pub(crate) fn column_bytes(&self) -> usize {
        self.columns.iter().map(|column| column.capacity() * size_of::<Value<'_>>()).sum()
    }

    fn column_mut(&mut self, register: Register) -> &mut Vec<Value<'q>> {
        if self.columns.len() <= register {
            self.columns.resize_with(register + 1, Vec::new);
        }
        &mut self.columns[register]
    }

    /// Writes columns. The vectors given to `write` hold what the columns held before.
    pub(crate) fn write<R>(
        &mut self,
        registers: &[Register],
        write: impl for<'s> FnOnce(Scope<'s, 'q>, &mut [Vec<Value<'s>>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut taken: Vec<Vec<Value<'q>>> =
            registers.iter().map(|&register| std::mem::take(self.column_mut(register))).collect();
        let result = {
            // SAFETY: the vectors are seen as `Vec<Value<'s>>` for some `'s` within the borrow of `self` below.
            // Shortening is covariance; and what the closure adds lives for `'s` whatever `'s` is, which leaves the
            // columns and the arena of this batch and what lives for `'q`. All of that lives as long as the
            // batch, whose arena is freed after its columns, and no other code sees the columns as `'q`.
            let columns = unsafe { shorten(&mut taken) };
            write(Scope { batch: &*self }, columns)
        };
        for (&register, column) in registers.iter().zip(taken) {
            *self.column_mut(register) = column;
        }
        self.arena.account();
        result
    }

    /// Writes one column, which is emptied first.
    pub(crate) fn fill<R>(
        &mut self,
        register: Register,
        write: impl for<'s> FnOnce(Scope<'s, 'q>, &mut Vec<Value<'s>>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.write(&[register], |scope, columns| match columns {
            [column] => {
                column.clear();
                write(scope, column)
            }
            _ => Err(Error::Internal("one register has one column")),
        })
    }

    /// Writes columns from the values of another batch, which this one keeps alive.
    pub(crate) fn write_from<R>(
        &mut self,
        source: &Batch<'q>,
        registers: &[Register],
        write: impl for<'s> FnOnce(Scope<'s, 'q>, &'s Batch<'q>, &mut [Vec<Value<'s>>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.arena.keep(&source.arena);
        let mut taken: Vec<Vec<Value<'q>>> =
            registers.iter().map(|&register| std::mem::take(self.column_mut(register))).collect();
        let result = {
            // SAFETY: as in `write`; values of `source` live as long as its arena, which is kept from here on.
            let columns = unsafe { shorten(&mut taken) };
            write(Scope { batch: &*self }, source, columns)
        };
        for (&register, column) in registers.iter().zip(taken) {
            *self.column_mut(register) = column;
        }
        self.arena.account();
        result
    }

    /// Appends rows of another batch, which this one keeps alive: the given registers only.
    pub(crate) fn gather(&mut self, source: &Batch<'q>, rows: &[u32], registers: &[Register]) {
        self.arena.keep(&source.arena);
        for &register in registers {
            if let Some(values) = source.columns.get(register).filter(|values| !values.is_empty()) {
                self.column_mut(register).extend(rows.iter().map(|&row| values[row as usize]));
            }
        }
        self.len += rows.len();
    }

    /// Appends one row of another batch `count` times.
    pub(crate) fn repeat(&mut self, source: &Batch<'q>, row: usize, count: usize, registers: &[Register]) {
        self.arena.keep(&source.arena);
        for &register in registers {
            if let Some(&value) = source.columns.get(register).and_then(|values| values.get(row)) {
                let column = self.column_mut(register);
                column.resize(column.len() + count, value);
            }
        }
        self.len += count;
    }

    /// Appends rows from several batches, which this one keeps alive.
    pub(crate) fn gather_many(&mut self, sources: &[Batch<'q>], rows: &[(u32, u32)], registers: &[Register]) {
        let mut seen = vec![false; sources.len()];
        for &(source, _) in rows {
            let source = source as usize;
            if !std::mem::replace(&mut seen[source], true) {
                self.arena.keep(&sources[source].arena);
            }
        }
        for &register in registers {
            // Every batch of one pipeline position has the same columns.
            if rows.first().is_none_or(|&(source, _)| sources[source as usize].column(register).is_empty()) {
                continue;
            }
            self.column_mut(register).extend(
                rows.iter().map(|&(source, row)| sources[source as usize].columns[register][row as usize]),
            );
        }
        self.len += rows.len();
    }

    /// Appends deep copies of rows: nothing of the source is kept alive.
    pub(crate) fn copy_rows(&mut self, source: &Batch<'q>, rows: &[u32], registers: &[Register]) {
        for &register in registers {
            let values = source.column(register);
            if values.is_empty() {
                continue;
            }
            let arena = self.arena.clone();
            let column = self.column_mut(register);
            for &row in rows {
                let copy = copy_value(values[row as usize], arena.bump());
                // SAFETY: the copy lies in the arena of this batch, which lives as long as its columns.
                column.push(unsafe { erase(copy) });
            }
        }
        self.len += rows.len();
        self.arena.account();
    }

    /// Appends a deep copy of a value to one column. The caller declares the number of rows.
    pub(crate) fn push_copy(&mut self, register: Register, value: Value<'_>) {
        let arena = self.arena.clone();
        let copy = copy_value(value, arena.bump());
        // SAFETY: the copy lies in the arena of this batch, which lives as long as its columns.
        let copy = unsafe { erase(copy) };
        self.column_mut(register).push(copy);
        self.arena.account();
    }

    /// The registers that have values.
    pub(crate) fn written_registers(&self) -> impl Iterator<Item = Register> + '_ {
        self.columns.iter().enumerate().filter(|(_, column)| !column.is_empty()).map(|(register, _)| register)
    }

    /// Keeps only the given rows, which must ascend.
    pub(crate) fn keep_rows(&mut self, rows: &[u32]) {
        if rows.len() == self.len {
            return;
        }
        for column in self.columns.iter_mut().filter(|column| !column.is_empty()) {
            for (to, &from) in rows.iter().enumerate() {
                column[to] = column[from as usize];
            }
            column.truncate(rows.len());
        }
        self.len = rows.len();
    }

    /// Drops rows at the beginning.
    pub(crate) fn skip(&mut self, count: usize) {
        let count = count.min(self.len);
        for column in self.columns.iter_mut().filter(|column| !column.is_empty()) {
            column.drain(..count);
        }
        self.len -= count;
    }

    /// Drops rows at the end.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len {
            for column in &mut self.columns {
                column.truncate(len);
            }
            self.len = len;
        }
    }

    /// Drops all columns but the given ones, which must ascend.
    pub(crate) fn keep_columns(&mut self, registers: &[Register]) {
        for (register, column) in self.columns.iter_mut().enumerate() {
            if !column.is_empty() && registers.binary_search(&register).is_err() {
                *column = Vec::new();
            }
        }
    }

    /// Whether any values may borrow from arenas rather than from what lives as long as the query.
    pub(crate) fn holds_arenas(&self) -> bool {
        !self.arena.is_empty()
    }
}

/// A deep copy of a value: what it borrows is copied into the arena.
pub(crate) fn copy_value<'s>(value: Value<'_>, arena: &'s Bump) -> Value<'s> {
    match value.view() {
        View::Null => Value::NULL,
        View::Bool(value) => Value::from_bool(value),
        View::Int(value) => Value::from_i64(value),
        View::UInt(value) => Value::from_u64(value),
        View::Double(value) => Value::from_f64(value),
        View::Str(text) => Value::from_str(arena.alloc_str(text)),
        View::Array(slice) | View::Object(slice) => {
            Value::from_slice(Slice::trusted(arena.alloc_slice_copy(slice.bytes())))
        }
        View::Range(first, last) => Value::range(arena.alloc((first, last))),
    }
}

/// Sees columns as ones of a shorter lifetime.
///
/// # Safety
///
/// Every value that is put into the columns through the result must live as long as the batch they go back to.
unsafe fn shorten<'c, 's, 'q>(columns: &'c mut [Vec<Value<'q>>]) -> &'c mut [Vec<Value<'s>>] {
    // SAFETY: the types differ in a lifetime only, which does not change their layout; that values put in live long
    // enough is the caller's promise.
    unsafe { std::mem::transmute::<&'c mut [Vec<Value<'q>>], &'c mut [Vec<Value<'s>>]>(columns) }
}

/// Forgets what a value borrows from.
///
/// # Safety
///
/// The value must be put only where what it borrows from lives at least as long.
unsafe fn erase<'q>(value: Value<'_>) -> Value<'q> {
    // SAFETY: only the lifetime changes; that it is not outlived is the caller's promise.
    unsafe { std::mem::transmute::<Value<'_>, Value<'q>>(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(batch: &Batch<'_>, register: Register) -> Vec<String> {
        batch.column(register).iter().map(|value| value.to_vpack().unwrap().as_slice().to_string()).collect()
    }

    #[test]
    fn values_outlive_the_batch_they_were_gathered_from() {
        let memory = Memory::default();
        let mut out = Batch::new(&memory);
        {
            let mut source = Batch::new(&memory);
            source
                .fill(3, |scope, column| {
                    for number in 0..10 {
                        column.push(Value::from_str(scope.arena().alloc_str(&format!("text {number}"))));
                    }
                    Ok(())
                })
                .unwrap();
            source.set_len(10);
            out.gather(&source, &[1, 5], &[3]);
            out.repeat(&source, 9, 2, &[3]);
        }
        assert_eq!(numbers(&out, 3), ["\"text 1\"", "\"text 5\"", "\"text 9\"", "\"text 9\""]);
        out.keep_rows(&[0, 3]);
        out.skip(1);
        assert_eq!(numbers(&out, 3), ["\"text 9\""]);
        assert_eq!(out.len(), 1);
    }

    #[test]
    fn memory_is_given_back_with_the_last_batch() {
        let memory = Memory::with_limit(100_000);
        let mut first = Batch::new(&memory);
        first
            .fill(0, |scope, column| {
                column.push(Value::from_str(scope.arena().alloc_str(&"x".repeat(200_000))));
                Ok(())
            })
            .unwrap();
        first.set_len(1);
        assert!(memory.check().is_err());
        let mut second = Batch::new(&memory);
        second.gather(&first, &[0], &[0]);
        drop(first);
        assert!(memory.check().is_err());
        drop(second);
        assert!(memory.check().is_ok());
        assert!(memory.peak() >= 200_000);
    }

    #[test]
    fn copied_rows_keep_nothing_alive() {
        let memory = Memory::default();
        let mut copy = Batch::new(&memory);
        {
            let mut source = Batch::new(&memory);
            source
                .fill(0, |scope, column| {
                    column.push(Value::from_str(scope.arena().alloc_str("kept")));
                    column.push(Value::range(scope.arena().alloc((1, 3))));
                    Ok(())
                })
                .unwrap();
            source.set_len(2);
            copy.copy_rows(&source, &[1, 0], &[0]);
        }
        assert_eq!(numbers(&copy, 0), ["[1,2,3]", "\"kept\""]);
    }
}
