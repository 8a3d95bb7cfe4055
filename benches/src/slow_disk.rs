//! A folder on a disk that takes its time to sync, as disks do that really have everything afterwards: a millisecond is
//! usual, and what shares syncs shares that.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use persea_wal::{StdStorage, Storage, StorageFile};

/// Files of the operating system, each sync of which takes longer.
pub struct SlowDisk {
    files: StdStorage,
    delay: Duration,
}

struct SlowFile {
    file: Arc<dyn StorageFile>,
    delay: Duration,
}

impl SlowDisk {
    /// The folder, with syncs that take `delay` more.
    ///
    /// # Errors
    /// When the folder can't be opened.
    pub fn open(folder: &Path, delay: Duration) -> persea_wal::Result<SlowDisk> {
        Ok(SlowDisk { files: StdStorage::open(folder)?, delay })
    }

    fn slow(&self, file: Arc<dyn StorageFile>) -> Arc<dyn StorageFile> {
        Arc::new(SlowFile { file, delay: self.delay })
    }
}

impl Storage for SlowDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        self.files.list()
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn StorageFile>> {
        Ok(self.slow(self.files.create(name)?))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn StorageFile>> {
        Ok(self.slow(self.files.open(name)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.files.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files.remove(name)
    }

    fn sync_dir(&self) -> io::Result<()> {
        self.files.sync_dir()
    }

    fn entropy(&self) -> u64 {
        self.files.entropy()
    }
}

impl StorageFile for SlowFile {
    fn byte_size(&self) -> io::Result<u64> {
        self.file.byte_size()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, bytes)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_at(offset, bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        std::thread::sleep(self.delay);
        self.file.sync_data()
    }

    fn truncate(&self, byte_size: u64) -> io::Result<()> {
        self.file.truncate(byte_size)
    }

    fn preallocate(&self, byte_size: u64) -> io::Result<()> {
        self.file.preallocate(byte_size)
    }
}
