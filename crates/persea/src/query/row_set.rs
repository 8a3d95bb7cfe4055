//! The rows of a finished query: VelocyPack values, one behind the other in one buffer.

use std::ops::Range;

use persea_vpack::Slice;

/// Rows of a finished query.
#[derive(Clone, Debug, Default)]
pub struct RowSet {
    bytes: Vec<u8>,
    /// Where each row ends; it begins where the one before ends.
    ends: Vec<usize>,
}

impl RowSet {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Row `position`, counted from 0.
    pub fn get(&self, position: usize) -> Option<Slice<'_>> {
        let end = *self.ends.get(position)?;
        let start = if position == 0 { 0 } else { *self.ends.get(position - 1)? };
        self.bytes.get(start..end).map(Slice::trusted)
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Slice<'_>> {
        self.range(0..self.len())
    }

    /// The rows of a range; what lies beyond the end is left out.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = Slice<'_>> {
        range.map_while(|position| self.get(position))
    }

    /// The memory that the rows take, in bytes.
    pub fn size_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    pub(crate) fn push(&mut self, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use persea_vpack::vpack;

    use super::RowSet;

    #[test]
    fn rows_come_back_in_order() {
        let mut rows = RowSet::default();
        for row in [vpack!(1), vpack!("two"), vpack!([3])] {
            rows.push(row.as_slice().bytes());
        }
        let texts: Vec<String> = rows.iter().map(|row| row.to_string()).collect();
        assert_eq!(texts, ["1", "\"two\"", "[3]"]);
        assert_eq!(rows.range(1..9).count(), 2);
        assert!(rows.get(3).is_none());
    }
}
