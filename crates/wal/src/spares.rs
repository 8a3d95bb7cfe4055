//! Files that wait to become segments, so that beginning one takes no time and finds its space reserved.

use std::io;
use std::sync::Arc;

use crate::error::Context;
use crate::segment::spare_name;
use crate::storage::{Storage, StorageFile};
use crate::{Error, Result};

/// How much is written at once. Linux keeps what one write wrote in one piece of its page cache where it can, and
/// every small write into such a piece walks over all of its blocks: after writes of 1 MiB, appending 256 bytes takes
/// 2.0 µs, after writes of 64 KiB 0.8 µs.
const ZEROS_BYTES: u64 = 64 << 10;

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
    make_with(storage, number, byte_size, |file| match file.preallocate(byte_size) {
        // Then the file grows as it is written.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        result => result,
    })
}

/// The same, written over with zeros and synced.
///
/// It takes its time, but the syncs to come are faster: a file system notes down which parts of reserved space have
/// been written for the first time, so each sync of such a part has to bring two things to the disk.
pub(crate) fn make_written(storage: &dyn Storage, number: u64, byte_size: u64) -> Result<Spare> {
    make_with(storage, number, byte_size, |file| {
        let zeros = vec![0; ZEROS_BYTES.min(byte_size) as usize];
        let mut offset = 0;
        while offset < byte_size {
            let n_bytes = (byte_size - offset).min(ZEROS_BYTES) as usize;
            file.write_at(offset, zeros.get(..n_bytes).unwrap_or_default())?;
            offset += n_bytes as u64;
        }
        file.sync_data()
    })
}

fn make_with(
    storage: &dyn Storage,
    number: u64,
    byte_size: u64,
    prepare: impl FnOnce(&dyn StorageFile) -> io::Result<()>,
) -> Result<Spare> {
    let name = spare_name(number);
    let file = storage.create(&name).context("create", &name)?;
    if let Err(source) = prepare(&*file) {
        // The first failure is the one to tell; what is left is cleared away when the log is opened.
        let _ = storage.remove(&name);
        return Err(Error::from_io("reserve space for", &name, byte_size, source));
    }
    Ok(Spare { number, file, is_recycled: false })
}
