//! Which rows an expression is evaluated for, and the values it yields.

use persea_order::Value;

/// A selection of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rows<'r> {
    /// The first so many.
    All(usize),
    /// These, ascending.
    Some(&'r [u32]),
}

impl<'r> Rows<'r> {
    pub(crate) fn len(self) -> usize {
        match self {
            Rows::All(len) => len,
            Rows::Some(rows) => rows.len(),
        }
    }

    /// The row at a position of the selection.
    pub(super) fn at(self, position: usize) -> u32 {
        match self {
            Rows::All(_) => position as u32,
            Rows::Some(rows) => rows[position],
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u32> + use<'r> {
        (0..self.len()).map(move |position| self.at(position))
    }

    /// The rows at the given positions of the selection.
    pub(super) fn pick(self, positions: &[u32]) -> Vec<u32> {
        positions.iter().map(|&position| self.at(position as usize)).collect()
    }
}

/// The values of an expression for a selection of rows, in its order.
#[derive(Debug)]
pub(super) enum Operand<'f, 's> {
    /// The same for all rows.
    One(Value<'s>),
    /// A whole column, not copied.
    Borrowed(&'f [Value<'s>]),
    /// Computed values.
    Owned(Vec<Value<'s>>),
}

impl<'s> Operand<'_, 's> {
    #[inline]
    pub(super) fn get(&self, position: usize) -> Value<'s> {
        match self {
            Operand::One(value) => *value,
            Operand::Borrowed(values) => values[position],
            Operand::Owned(values) => values[position],
        }
    }
}
