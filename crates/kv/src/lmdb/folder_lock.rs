//! One writing process a folder: an advisory lock on a file that names its holder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::{Error, Result};

const LOCK_FILE_NAME: &str = "LOCK";

/// Holds the folder until dropped; the system lets go of it too when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks `folder`, which exists.
    pub(super) fn acquire(folder: &Path) -> Result<FolderLock> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(LOCK_FILE_NAME))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::FolderInUse { path: folder.to_path_buf(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(Error::Io(error)),
        }
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        writeln!(file, "{}", std::process::id())?;
        Ok(FolderLock { _file: file })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(32).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        Ok(_) | Err(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let message = FolderLock::acquire(folder.path()).unwrap_err().to_string();
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
        drop(lock);
        FolderLock::acquire(folder.path()).unwrap();
    }
}
