//! Whether the disk is full, found out where LMDB doesn't tell.
//!
//! When only the first part of a write fits on the disk, the operating system reports no error but how much it took, and
//! LMDB makes an input/output error of that, as of a broken disk. What came after would have been refused with the
//! reason, so a little is written to learn it.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::engine_error;
use crate::Error;

/// More than what may be left of the disk by a write that did not fit.
const PROBE_BYTES: usize = 1 << 20;
const PROBE_FILE_NAME: &str = "space.probe";

/// The error of a write to the data file in `folder`, which the caller has to himself.
pub(super) fn write_error(error: heed::Error, folder: &Path) -> Error {
    match error {
        heed::Error::Io(error) if error.raw_os_error() == Some(libc::EIO) => {
            Error::Io(probe(folder).err().filter(is_no_space).unwrap_or(error))
        }
        error => engine_error(error),
    }
}

/// Whether the error says that the disk, or the user's quota, is full.
pub(super) fn is_no_space(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Fails if there is no room for a small file: writes one and removes it.
pub(super) fn probe(folder: &Path) -> io::Result<()> {
    let path = folder.join(PROBE_FILE_NAME);
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(&vec![0; PROBE_BYTES])?;
        // Some file systems find a place only now.
        file.sync_data()
    });
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => written.and(Err(error)),
        _ => written,
    }
}
