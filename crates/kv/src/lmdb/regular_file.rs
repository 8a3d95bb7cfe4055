//! What is opened here are regular files: opening a FIFO waits for somebody at its other end, perhaps for ever, and a
//! device may do anything.

use std::fs::{File, FileType};
use std::path::Path;

use crate::{Error, Result};

/// Passes if there is a regular file, or nothing.
///
/// # Errors
/// [`Error::NotAFile`].
pub(super) fn check(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(Error::NotAFile { path: path.to_path_buf(), kind: kind(metadata.file_type()) })
        }
        // What can't be looked at can't be opened either, which tells why.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// [`Error::NotAFile`], [`Error::Io`].
pub(super) fn open(path: &Path) -> Result<File> {
    check(path)?;
    Ok(File::open(path)?)
}

fn kind(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            return "a named pipe";
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_block_device() || file_type.is_char_device() {
            return "a device";
        }
    }
    if file_type.is_dir() { "a folder" } else { "something else" }
}
