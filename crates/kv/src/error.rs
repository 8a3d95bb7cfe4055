//! What can go wrong in a key-value engine.

use std::io;
use std::path::PathBuf;

/// Failure of a key-value engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused a read, a write or a sync.
    #[error("storage input/output failed: {0}")]
    Io(#[from] io::Error),
    /// Another process, or another handle of this one, has the folder open for writing.
    #[error("the database folder {} is in use by process {holder}; stop it or choose another folder", path.display())]
    FolderInUse {
        /// The folder that was to be opened.
        path: PathBuf,
        /// Process id of the holder as its lock file states it, or `unknown`.
        holder: String,
    },
    /// In the place of one of its files is something else, which is not opened: that may take for ever.
    #[error("{} is {kind}, and no file", path.display())]
    NotAFile {
        /// Where.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// There is no database in the folder; only whoever writes makes one.
    #[error("there is no database in {}", path.display())]
    NoDatabase {
        /// The folder that was to be opened.
        path: PathBuf,
    },
    /// The folder is open in this process already, for reading or writing.
    #[error("the database folder {} is open in this process already", path.display())]
    AlreadyOpen {
        /// The folder that was to be opened.
        path: PathBuf,
    },
    /// The storage was opened for reading only.
    #[error("the storage was opened for reading only")]
    ReadOnly,
    /// Other processes read the folder, so its file can't be replaced.
    #[error("the database folder {} is being read by other processes; end them first", path.display())]
    FolderIsRead {
        /// The folder.
        path: PathBuf,
    },
    /// Keys have at least one byte.
    #[error("a key must not be empty")]
    KeyEmpty,
    /// The key is longer than [`MAX_KEY_BYTES`](crate::MAX_KEY_BYTES).
    #[error("a key of {key_bytes} bytes exceeds the limit of {} bytes", crate::MAX_KEY_BYTES)]
    KeyTooLong {
        /// Length of the offending key.
        key_bytes: usize,
    },
    /// The value is longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES).
    #[error("a value of {value_bytes} bytes exceeds the limit of {} bytes", crate::MAX_VALUE_BYTES)]
    ValueTooLong {
        /// Length of the offending value.
        value_bytes: usize,
    },
    /// The data outgrew the address space that the process may use, and the reservation could not grow
    /// because readers stayed open or because the process limit is reached.
    #[error(
        "the storage needs more address space than the {map_bytes} bytes reserved and could not get it; \
         raise the process limit (ulimit -v) or end long-running reads"
    )]
    MapFull {
        /// Size of the reservation that was exhausted.
        map_bytes: usize,
    },
    /// Too many snapshots are alive at once.
    #[error("too many read snapshots are open at once (limit {limit})")]
    ReadersFull {
        /// How many snapshots may be alive.
        limit: u32,
    },
    /// The file is no database of this engine, was written by an incompatible version, or is damaged.
    #[error("the storage file is damaged or of another format: {0}")]
    Corrupted(String),
    /// The engine can't do what was asked.
    #[error("{0} is not supported by the {1} engine")]
    Unsupported(&'static str, &'static str),
    /// Any other failure the engine reported.
    #[error("the storage engine failed: {0}")]
    Engine(String),
}

/// Result of an engine operation.
pub type Result<T> = std::result::Result<T, Error>;
