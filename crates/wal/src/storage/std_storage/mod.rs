//! Files of the operating system.

#[cfg(target_os = "linux")]
mod mapped;

use std::fs::{File, FileType, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Storage, StorageFile};
use crate::{Error, Result};
#[cfg(target_os = "linux")]
use mapped::MappedWrites;

/// Whoever writes holds a lock on this file.
const LOCK_FILE: &str = "lock";

/// A folder of the file system.
#[derive(Debug)]
pub struct StdStorage {
    path: PathBuf,
    /// Locked as long as it is open; the operating system lets go of it when the process ends, however it ends.
    _lock: Option<File>,
    is_read_only: bool,
}

impl StdStorage {
    /// Makes the folder if need be, and keeps every other writer out of it.
    ///
    /// # Errors
    /// [`Error::InUse`] when another writer has it, [`Error::Io`] when it can't be made or entered.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let failed =
            |operation| move |source| Error::from_io(operation, &path.display().to_string(), 0, source);
        std::fs::create_dir_all(path).map_err(failed("create"))?;
        check_regular(&path.join(LOCK_FILE)).map_err(failed("open the lock file in"))?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK_FILE))
            .map_err(failed("open the lock file in"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(failed("lock")(source)),
        }
        Ok(Self { path: path.to_owned(), _lock: Some(lock), is_read_only: false })
    }

    /// A folder to read from, also while another process writes; nothing in it is changed.
    #[must_use]
    pub fn read_only(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned(), _lock: None, is_read_only: true }
    }
}

impl Storage for StdStorage {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            // Names that are no text are not the log's.
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn StorageFile>> {
        let path = self.path.join(name);
        Ok(Arc::new(StdFile::new(OpenOptions::new().read(true).write(true).create_new(true).open(path)?)))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn StorageFile>> {
        let path = self.path.join(name);
        check_regular(&path)?;
        Ok(Arc::new(StdFile::new(OpenOptions::new().read(true).write(!self.is_read_only).open(path)?)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    fn sync_dir(&self) -> io::Result<()> {
        // Elsewhere folders can't be opened as files; there the file system keeps the order of such changes.
        if cfg!(unix) { File::open(&self.path)?.sync_all() } else { Ok(()) }
    }

    fn entropy(&self) -> u64 {
        RandomState::new().build_hasher().finish()
    }
}

/// Fails if there is something that is no regular file: opening a FIFO waits for somebody at its other end, perhaps for
/// ever, and a device may do anything.
fn check_regular(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let kind = kind(metadata.file_type());
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}, and no file")))
        }
        // What can't be looked at can't be opened either, which tells why.
        Ok(_) | Err(_) => Ok(()),
    }
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

struct StdFile {
    file: File,
    #[cfg(target_os = "linux")]
    mapped: MappedWrites,
}

impl StdFile {
    fn new(file: File) -> StdFile {
        StdFile {
            file,
            #[cfg(target_os = "linux")]
            mapped: MappedWrites::new(),
        }
    }

    /// Changes the file's length.
    fn resize<T>(&self, change: impl FnOnce(&File) -> T) -> T {
        #[cfg(target_os = "linux")]
        return self.mapped.resize(|| change(&self.file));
        #[cfg(not(target_os = "linux"))]
        change(&self.file)
    }
}

impl StorageFile for StdFile {
    fn byte_size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut n_read = 0;
        while let Some(rest) = bytes.get_mut(n_read..).filter(|rest| !rest.is_empty()) {
            match read_some_at(&self.file, offset + n_read as u64, rest) {
                Ok(0) => break,
                Ok(n) => n_read += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(n_read)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.mapped.write(&self.file, offset, bytes) {
            return Ok(());
        }
        write_all_at(&self.file, offset, bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        return self.mapped.sync(|| self.file.sync_data());
        #[cfg(not(target_os = "linux"))]
        self.file.sync_data()
    }

    fn truncate(&self, byte_size: u64) -> io::Result<()> {
        self.resize(|file| file.set_len(byte_size))
    }

    fn preallocate(&self, byte_size: u64) -> io::Result<()> {
        self.resize(|file| preallocate(file, byte_size))
    }
}

#[cfg(unix)]
fn read_some_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(unix)]
fn write_all_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let n_written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if n_written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(n_written..).unwrap_or_default();
        offset += n_written as u64;
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn preallocate(file: &File, byte_size: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::empty(), 0, byte_size)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn preallocate(_file: &File, _byte_size: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
