//! `MIN` and `MAX` over a group. Numbers and booleans are kept in place; strings, arrays and objects as bytes.

use std::cmp::Ordering;

use bumpalo::Bump;
use persea_order::{Value, View, compare};
use persea_vpack::Slice;

use crate::Error;

#[derive(Debug, Default)]
pub(super) enum Extreme {
    #[default]
    Empty,
    Inline(Value<'static>),
    Bytes(Vec<u8>),
}

impl Extreme {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Empty => Value::NULL,
            Self::Inline(value) => *value,
            Self::Bytes(bytes) => Value::from_slice(Slice::trusted(bytes)),
        }
    }

    pub(super) fn add_min(&mut self, value: Value<'_>) -> Result<(), Error> {
        let replaces = match self {
            _ if value.is_null() => false,
            Self::Empty => true,
            _ => compare(value, self.value()) == Ordering::Less,
        };
        if replaces { self.keep(value) } else { Ok(()) }
    }

    pub(super) fn add_max(&mut self, value: Value<'_>) -> Result<(), Error> {
        // An empty group is null, the smallest value, so that null never has to be kept.
        if compare(value, self.value()) == Ordering::Greater { self.keep(value) } else { Ok(()) }
    }

    fn keep(&mut self, value: Value<'_>) -> Result<(), Error> {
        let inline = match value.view() {
            View::Null => Value::NULL,
            View::Bool(flag) => Value::from_bool(flag),
            View::Int(number) => Value::from_i64(number),
            View::UInt(number) => Value::from_u64(number),
            View::Double(number) => Value::from_f64(number),
            _ => {
                *self = Self::Bytes(value.to_vpack()?.into_bytes());
                return Ok(());
            }
        };
        *self = Self::Inline(inline);
        Ok(())
    }

    pub(super) fn finish<'a>(&self, arena: &'a Bump) -> Value<'a> {
        match self {
            Self::Bytes(bytes) => Value::from_slice(Slice::trusted(arena.alloc_slice_copy(bytes))),
            Self::Empty => Value::NULL,
            Self::Inline(value) => *value,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.capacity(),
            _ => 0,
        }
    }
}
