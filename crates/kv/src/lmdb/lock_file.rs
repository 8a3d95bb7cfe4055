//! The file of LMDB's table of readers: it gets its room on the disk before LMDB maps it.
//!
//! LMDB makes the file as long as the table, which takes no room yet, and maps it. A file system looks for room when a
//! page is touched first, and where there is none the kernel knows no other way to tell than to end the process by a
//! signal.
//!
//! The file is not opened while this process has the environment open: LMDB's locks on it are of the kind that a process
//! loses when it closes any other descriptor of the same file.
#![allow(unsafe_code)]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::disk_space::{is_no_space, probe};
use super::environment::Access;
use crate::{Error, Result};

pub(super) const LMDB_LOCK_FILE_NAME: &str = "lock.mdb";

/// Bytes of a reader's slot, and of each part of the head: a cache line.
const SLOT_BYTES: u64 = 64;
/// More slots than the head takes.
const HEAD_SLOTS: u64 = 16;
/// What a file's number of blocks is counted in, whatever the file system's blocks are.
const BLOCK_BYTES: u64 = 512;

/// Makes sure that the table has room for so many readers, and all that the file is long. The caller makes sure that
/// this process does not have the environment open.
///
/// # Errors
/// [`Error::Io`], of the kind [`ErrorKind::StorageFull`] when there is no room.
pub(super) fn reserve(folder: &Path, readers_max: u32, access: Access) -> Result<()> {
    let path = folder.join(LMDB_LOCK_FILE_NAME);
    let table_bytes = (u64::from(readers_max) + HEAD_SLOTS) * SLOT_BYTES;
    let bytes = match std::fs::metadata(&path) {
        Ok(metadata) if has_room(&metadata, table_bytes) => return Ok(()),
        Ok(metadata) => table_bytes.max(metadata.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => table_bytes,
        Err(error) => return Err(Error::Io(error)),
    };
    let reserved = match open(&path) {
        // Who only reads can do without the table on a file system that nobody writes to, and is told by LMDB otherwise.
        Err(_) if access == Access::ReadOnly => return Ok(()),
        opened => opened.and_then(|file| allocate(&file, folder, bytes)),
    };
    reserved.map_err(|error| {
        if !is_no_space(&error) {
            return Error::Io(error);
        }
        let text =
            format!("{}: the table of readers needs {bytes} bytes on the disk: {error}", path.display());
        Error::Io(io::Error::new(error.kind(), text))
    })
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // As LMDB would make it.
        options.mode(0o600);
    }
    options.open(path)
}

/// Whether the file takes as much room as the table needs, and as it is long.
#[cfg(unix)]
fn has_room(metadata: &Metadata, table_bytes: u64) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks().saturating_mul(BLOCK_BYTES) >= table_bytes.max(metadata.len())
}

#[cfg(not(unix))]
fn has_room(metadata: &Metadata, table_bytes: u64) -> bool {
    metadata.len() >= table_bytes
}

/// Takes room for the beginning of a file without changing what is in it or how long it is.
#[cfg(target_os = "linux")]
fn allocate(file: &File, folder: &Path, bytes: u64) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let length = libc::off_t::try_from(bytes).map_err(|_| ErrorKind::FileTooLarge)?;
    loop {
        // SAFETY: the descriptor is that of an open file, and no memory is passed.
        let outcome = unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, length) };
        if outcome == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            // The file system can't: that there is room now is the most that can be known.
            Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL) => return probe(folder),
            _ => return Err(error),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn allocate(_file: &File, folder: &Path, _bytes: u64) -> io::Result<()> {
    probe(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_table_has_its_room_before_it_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LMDB_LOCK_FILE_NAME);
        reserve(folder.path(), 1024, Access::ReadWrite).unwrap();
        let reserved = std::fs::metadata(&path).unwrap();
        assert_eq!(reserved.len(), 0, "its length is LMDB's business");
        assert!(has_room(&reserved, 64 * 1024));
        // One that was made without room gets it, and keeps its content.
        std::fs::write(&path, [7; 100]).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(300_000).unwrap();
        assert!(!has_room(&std::fs::metadata(&path).unwrap(), 64 * 1024));
        reserve(folder.path(), 1024, Access::ReadWrite).unwrap();
        let filled = std::fs::metadata(&path).unwrap();
        assert!(filled.len() == 300_000 && has_room(&filled, 64 * 1024));
        assert_eq!(std::fs::read(&path).unwrap()[..100], [7; 100]);
    }
}
