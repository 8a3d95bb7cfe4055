//! What can go wrong in a log.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Damage;

/// Result of an operation of the log.
pub type Result<T> = std::result::Result<T, Error>;

/// Failure of the log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused an operation.
    ///
    /// From an append: nothing of it is in the log, which takes further records.
    #[error("the log could not {operation} {file}: {source}")]
    Io {
        /// What was tried, as a verb: `read`, `write`, `rename`, ...
        operation: &'static str,
        /// Name of the file within the log's folder.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The disk, or the user's quota, is full.
    ///
    /// Nothing of the refused append is in the log; the next append tries again, so the log recovers by itself when
    /// space returns.
    #[error("no space left for the log: {bytes} bytes needed to {operation} {file}: {source}")]
    NoSpace {
        /// What was tried, as a verb.
        operation: &'static str,
        /// Name of the file within the log's folder.
        file: String,
        /// How many bytes were to be placed.
        bytes: u64,
        /// What the operating system said.
        source: io::Error,
    },
    /// An earlier failure left it unknown what is on the disk, so the log takes no more records.
    ///
    /// What was acknowledged as synced is safe. Drop the log and open it again: recovery finds out what is there.
    /// The append that meets the failure may turn up then, and so may any that was not synced; later ones do not.
    #[error(
        "the log takes no more records since it failed to {operation} {file}: {cause}; reopen it to recover"
    )]
    Poisoned {
        /// What had failed, as a verb.
        operation: &'static str,
        /// Name of the file within the log's folder.
        file: String,
        /// What the operating system had said.
        cause: Arc<io::Error>,
    },
    /// Records that had reached the disk are no longer readable.
    #[error("{0}")]
    Damaged(Box<Damage>),
    /// The log was written by another version of the format.
    #[error("{file} is a log of format version {found}; this program reads version {supported}")]
    Version {
        /// Name of the file within the log's folder.
        file: String,
        /// Version that the file states.
        found: u32,
        /// Version that is read and written here.
        supported: u32,
    },
    /// Another process, or another log of this one, has the folder open for writing.
    #[error("the log folder {} is in use by another process", path.display())]
    InUse {
        /// The folder that was to be opened.
        path: PathBuf,
    },
    /// A record exceeds [`Options::record_bytes_max`](crate::Options::record_bytes_max).
    #[error("a record of {bytes} bytes exceeds the limit of {limit} bytes")]
    RecordTooLarge {
        /// Length of the payload.
        bytes: u64,
        /// The longest payload that is taken.
        limit: u64,
    },
    /// Commit numbers never go down.
    #[error("commit number {given} is below {last}, the last one in the log")]
    CommitOrder {
        /// The last commit number in the log, or before it in the batch.
        last: u64,
        /// The offending commit number.
        given: u64,
    },
    /// A reader asked for records that have been trimmed.
    #[error(
        "the records of commit {requested} have been trimmed; what is left begins after commit {trimmed_to}"
    )]
    Trimmed {
        /// The first commit number that was asked for.
        requested: u64,
        /// The last commit number of which records have been trimmed.
        trimmed_to: u64,
    },
    /// The receiver of the replayed records failed.
    #[error("replaying commit {commit} failed: {source}")]
    Replay {
        /// Commit number of the record that was refused.
        commit: u64,
        /// What the receiver said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Whether the same call may succeed later without reopening the log.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::NoSpace { .. } | Self::Io { .. })
    }

    /// Tells a full disk from every other failure.
    pub(crate) fn from_io(operation: &'static str, file: &str, bytes: u64, source: io::Error) -> Self {
        let file = file.to_owned();
        if is_no_space(&source) {
            Self::NoSpace { operation, file, bytes, source }
        } else {
            Self::Io { operation, file, source }
        }
    }
}

/// Whether the error says that disk or quota are full.
pub(crate) fn is_no_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Adds what was tried, and where, to an error of the operating system.
pub(crate) trait Context<T> {
    /// Names the operation (a verb) and the file.
    fn context(self, operation: &'static str, file: &str) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, operation: &'static str, file: &str) -> Result<T> {
        self.map_err(|source| Error::from_io(operation, file, 0, source))
    }
}
