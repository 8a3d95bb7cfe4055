//! The files beneath the log, as far as it needs them.

mod std_storage;

use std::io;
use std::sync::Arc;

pub use std_storage::StdStorage;

/// A folder of files.
///
/// Changes of names (create, rename, remove) are durable after [`sync_dir`](Storage::sync_dir), not before.
pub trait Storage: Send + Sync + 'static {
    /// Names of all files in the folder, in any order.
    ///
    /// # Errors
    /// When the folder can't be read.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes an empty file and opens it.
    ///
    /// # Errors
    /// When the file exists or can't be made.
    fn create(&self, name: &str) -> io::Result<Arc<dyn StorageFile>>;

    /// Opens a file that exists.
    ///
    /// # Errors
    /// When it doesn't exist or can't be opened.
    fn open(&self, name: &str) -> io::Result<Arc<dyn StorageFile>>;

    /// Gives a file another name.
    ///
    /// # Errors
    /// When the file doesn't exist or the folder can't be changed.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file; whoever has it open can still read it.
    ///
    /// # Errors
    /// When the file doesn't exist or the folder can't be changed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes all changes of names durable.
    ///
    /// # Errors
    /// When the disk refuses; it is then unknown which changes are durable.
    fn sync_dir(&self) -> io::Result<()>;

    /// A number that nobody outside can foresee.
    fn entropy(&self) -> u64;
}

/// An open file.
pub trait StorageFile: Send + Sync + 'static {
    /// Length in bytes.
    ///
    /// # Errors
    /// When the file's properties can't be read.
    fn byte_size(&self) -> io::Result<u64>;

    /// Reads from `offset`; returns how many bytes there were, which is less than asked for only at the end.
    ///
    /// # Errors
    /// When the disk can't read.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize>;

    /// Writes all bytes at `offset` into the operating system's hands.
    ///
    /// # Errors
    /// When the disk is full or can't write; some of the bytes may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes all that was written durable.
    ///
    /// # Errors
    /// When the disk refuses; it is then unknown what is durable, also after another try that succeeds.
    fn sync_data(&self) -> io::Result<()>;

    /// Cuts the file, or lengthens it by zeros.
    ///
    /// # Errors
    /// When the file can't be changed.
    fn truncate(&self, byte_size: u64) -> io::Result<()>;

    /// Makes the file at least so long, and reserves the space: later writes there don't find the disk full.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where it can't be done; otherwise as when writing.
    fn preallocate(&self, byte_size: u64) -> io::Result<()>;
}
