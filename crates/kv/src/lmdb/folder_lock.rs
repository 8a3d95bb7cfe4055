//! One writing process a folder: an advisory lock on a file that names its holder. And any number of readers, each with
//! a shared lock on the data file, so that nobody replaces the file below them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use super::environment::DATA_FILE_NAME;
use super::regular_file;

use crate::{Error, Result};

const LOCK_FILE_NAME: &str = "LOCK";

/// How often, and after which pauses, a process tries again that had the lock itself: where it starts another process, that
/// one shares the lock until it has begun its own program.
const OWN_ATTEMPTS: u32 = 20;
const OWN_PAUSE: Duration = Duration::from_millis(5);

/// Holds the folder until dropped; the system lets go of it too when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks `folder`, which exists.
    pub(super) fn acquire(folder: &Path) -> Result<FolderLock> {
        let path = folder.join(LOCK_FILE_NAME);
        regular_file::check(&path)?;
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut attempt = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    file.seek(SeekFrom::Start(0))?;
                    let holder = holder(&mut file);
                    if attempt == OWN_ATTEMPTS || holder != std::process::id().to_string() {
                        return Err(Error::FolderInUse { path: folder.to_path_buf(), holder });
                    }
                }
                Err(TryLockError::Error(error)) => return Err(Error::Io(error)),
            }
            attempt += 1;
            std::thread::sleep(OWN_PAUSE);
        }
        match note_holder(&mut file) {
            // Nothing is missing but a name in a message, and what is in the folder can be read all the same.
            Err(error) if error.kind() == ErrorKind::StorageFull => {}
            outcome => outcome?,
        }
        Ok(FolderLock { _file: file })
    }
}

/// Keeps writers out of a folder until dropped, without changing anything in it.
#[derive(Debug)]
pub(super) struct NoWriter {
    /// None if there is no lock file: nobody has ever written here, or it was left behind.
    _file: Option<File>,
}

impl NoWriter {
    /// Makes sure that nobody writes; `None` if somebody does.
    pub(super) fn ensure(folder: &Path) -> Result<Option<NoWriter>> {
        let file = match regular_file::open(&folder.join(LOCK_FILE_NAME)) {
            Ok(file) => file,
            Err(Error::Io(error)) if error.kind() == ErrorKind::NotFound => {
                return Ok(Some(NoWriter { _file: None }));
            }
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(NoWriter { _file: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::Io(error)),
        }
    }
}

/// How often, and after which pauses, a reader tries again while the data file is being replaced.
const READER_ATTEMPTS: u32 = 200;
const READER_PAUSE: Duration = Duration::from_millis(5);

/// A share in the data file as it is now: as long as anybody has one, the file is not replaced by another. It is a lock
/// on the file itself, so nothing in the folder changes by it.
#[derive(Debug)]
pub(super) struct ReaderHold {
    _file: File,
}

impl ReaderHold {
    /// Takes a share.
    ///
    /// # Errors
    /// [`Error::NoDatabase`]; [`Error::Io`] if somebody keeps the file to himself for a second.
    pub(super) fn share(folder: &Path) -> Result<ReaderHold> {
        let path = folder.join(DATA_FILE_NAME);
        for _ in 0..READER_ATTEMPTS {
            let file = open_data(folder, &path)?;
            match file.try_lock_shared() {
                Ok(()) if is_at(&file, &path)? => return Ok(ReaderHold { _file: file }),
                // Replaced between opening and locking.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => std::thread::sleep(READER_PAUSE),
                Err(TryLockError::Error(error)) => return Err(Error::Io(error)),
            }
        }
        Err(Error::Io(ErrorKind::ResourceBusy.into()))
    }

    /// Takes the file without sharing it.
    ///
    /// # Errors
    /// [`Error::FolderIsRead`] if others have a share; [`Error::NoDatabase`].
    pub(super) fn alone(folder: &Path) -> Result<ReaderHold> {
        let path = folder.join(DATA_FILE_NAME);
        let file = open_data(folder, &path)?;
        match file.try_lock() {
            Ok(()) => Ok(ReaderHold { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::FolderIsRead { path: folder.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(Error::Io(error)),
        }
    }
}

fn open_data(folder: &Path, path: &Path) -> Result<File> {
    regular_file::open(path).map_err(|error| match error {
        Error::Io(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Error::NoDatabase { path: folder.to_path_buf() }
        }
        error => error,
    })
}

/// Whether the open file is still the one of that name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok((own.dev(), own.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::Io(error)),
    }
}

/// Elsewhere an open file can't be replaced.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> Result<bool> {
    Ok(true)
}

fn note_holder(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
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
        let file = lock._file.try_clone().unwrap();
        drop(lock);
        let lock = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                drop(file);
            });
            FolderLock::acquire(folder.path()).unwrap()
        });
        assert!(NoWriter::ensure(folder.path()).unwrap().is_none());
        drop(lock);
        let no_writer = NoWriter::ensure(folder.path()).unwrap();
        assert!(no_writer.is_some());
        assert!(FolderLock::acquire(folder.path()).is_err());
        drop(no_writer);
        FolderLock::acquire(folder.path()).unwrap();
    }
}
