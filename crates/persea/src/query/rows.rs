//! Rows as a Rust type.

use std::marker::PhantomData;

use persea_vpack::from_slice;
use serde::de::DeserializeOwned;

use super::RowSet;
use crate::error::{Error, Result};

/// An iterator over a query's rows as a Rust type; a row that doesn't fit the type is an error of its own.
pub struct Rows<T> {
    rows: RowSet,
    position: usize,
    item: PhantomData<fn() -> T>,
}

impl<T> Rows<T> {
    pub(crate) fn new(rows: RowSet) -> Rows<T> {
        Rows { rows, position: 0, item: PhantomData }
    }
}

impl<T: DeserializeOwned> Iterator for Rows<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let row = self.rows.get(self.position)?;
        self.position += 1;
        Some(from_slice(row).map_err(|error| Error::Convert(error.to_string())))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rows.len() - self.position;
        (left, Some(left))
    }
}
