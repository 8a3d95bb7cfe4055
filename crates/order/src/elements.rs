//! Walking the members of arrays and ranges.

use persea_vpack::ArrayIter;

use crate::repr::Value;
use crate::view::{View, range_len};

/// Iterator over the members of an array or a range; see [`Value::elements`].
#[derive(Debug)]
pub struct Elements<'a> {
    source: Source<'a>,
}

#[derive(Debug)]
enum Source<'a> {
    Nothing,
    Array(ArrayIter<'a>),
    Range { next: i64, descending: bool, left: usize },
}

impl<'a> Elements<'a> {
    pub(crate) fn of(view: View<'a>) -> Elements<'a> {
        let source = match view {
            View::Array(slice) => Source::Array(slice.array_iter()),
            View::Range(first, last) => {
                Source::Range { next: first, descending: first > last, left: range_len(first, last) }
            }
            _ => Source::Nothing,
        };
        Elements { source }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        match &mut self.source {
            Source::Nothing => None,
            Source::Array(members) => members.next().map(Value::from_slice),
            Source::Range { next, descending, left } => {
                *left = left.checked_sub(1)?;
                let member = *next;
                // The step past the last member may leave the range of i64; it is never read.
                *next = if *descending { member.wrapping_sub(1) } else { member.wrapping_add(1) };
                Some(Value::from_i64(member))
            }
        }
    }
}
