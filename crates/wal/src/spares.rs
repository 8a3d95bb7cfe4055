//! Files that wait to become segments, so that beginning one takes no time and finds its space reserved.

use std::io;
use std::sync::Arc;

use crate::Result;
use crate::error::Context;
use crate::segment::spare_name;
use crate::storage::{Storage, StorageFile};

pub(crate) struct Spares {
    ready: Vec<Spare>,
    next_number: u64,
}

/// A file under a spare name.
pub(crate) struct Spare {
    pub number: u64,
    pub file: Arc<dyn StorageFile>,
    /// Whether it was a segment before.
    pub is_recycled: bool,
}

impl Spares {
    pub(crate) fn new(found: Vec<(u64, Arc<dyn StorageFile>)>) -> Self {
        let next_number = found.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        let ready =
            found.into_iter().map(|(number, file)| Spare { number, file, is_recycled: true }).collect();
        Self { ready, next_number }
    }

    pub(crate) fn len(&self) -> usize {
        self.ready.len()
    }

    pub(crate) fn take(&mut self) -> Option<Spare> {
        self.ready.pop()
    }

    pub(crate) fn put(&mut self, spare: Spare) {
        self.ready.push(spare);
    }

    pub(crate) fn new_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number - 1
    }
}

/// Makes a spare file of the given size.
pub(crate) fn make(storage: &dyn Storage, number: u64, byte_size: u64) -> Result<Spare> {
    let name = spare_name(number);
    let file = storage.create(&name).context("create", &name)?;
    match file.preallocate(byte_size) {
        // Then the file grows as it is written.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(source) => {
            // The first failure is the one to tell; the file without content is cleared away when the log is opened.
            let _ = storage.remove(&name);
            return Err(crate::Error::from_io("reserve space for", &name, byte_size, source));
        }
        Ok(()) => {}
    }
    Ok(Spare { number, file, is_recycled: false })
}
