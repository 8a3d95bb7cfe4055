//! Checking the log: every record against its checksums.

use std::io::ErrorKind;
use std::path::Path;

use persea_wal::{Damage, Error, Recovery, StdStorage, inspect};

/// How often a log that is being written is read again until two readings agree on what is damaged.
const ATTEMPTS_MAX: u32 = 20;

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogReport {
    /// Files of the log.
    pub n_segments: usize,
    /// Intact records.
    pub n_records: u64,
    /// Bytes of the intact records.
    pub record_bytes: u64,
    /// The first commit in it.
    pub first_commit: Option<u64>,
    /// The last commit in it, or before it when it is empty.
    pub last_commit: u64,
    /// The last commit of what is not in it any more, since LMDB's file has it; 0 if everything is.
    pub trimmed_to: u64,
    /// Where it ends with bytes that make no record, which is what a crash leaves of a write that nobody was told of, and
    /// no damage.
    pub torn_tail: Option<String>,
    /// Places that were intact once.
    pub damages: Vec<String>,
}

impl LogReport {
    pub(super) fn new(found: &Recovery) -> Self {
        Self {
            n_segments: found.n_segments,
            n_records: found.n_records,
            record_bytes: found.record_bytes,
            first_commit: found.first_commit,
            last_commit: found.last_commit,
            trimmed_to: found.trimmed_to,
            torn_tail: found.torn_tail.as_ref().map(|tail| format!("{} at byte {}", tail.file, tail.offset)),
            damages: found.damages.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Reads the whole log in a folder, which may be written to meanwhile.
pub(super) fn check_log(folder: &Path) -> Result<Recovery, Error> {
    let storage = StdStorage::read_only(folder);
    let mut previous: Vec<Damage> = Vec::new();
    let mut attempt = 0;
    loop {
        attempt += 1;
        match inspect(&storage, true, |_| Ok(())) {
            Ok(found) => {
                // A place that was read just before something was appended behind it looks like damage once.
                let is_same =
                    |damage: &Damage| previous.iter().any(|other| other.position == damage.position);
                if found.damages.iter().all(is_same) || attempt >= ATTEMPTS_MAX {
                    return Ok(found);
                }
                previous = found.damages;
            }
            Err(Error::Io { operation: "list", source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Ok(Recovery::default());
            }
            // Trimmed between being listed and being opened.
            Err(Error::Io { source, .. })
                if source.kind() == ErrorKind::NotFound && attempt < ATTEMPTS_MAX => {}
            Err(error) => return Err(error),
        }
    }
}
