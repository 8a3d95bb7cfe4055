//! What recovery says about records that were on the disk and no longer are readable.

use std::fmt;

use crate::Position;

/// A place where records that had been synced can no longer be read.
///
/// A torn tail is no damage: what was never synced may be cut without telling.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// Name of the file within the log's folder.
    pub file: String,
    /// Where in the file the first unreadable byte sequence begins, in bytes.
    pub offset: u64,
    /// The same as a position of the log.
    pub position: Position,
    /// What is unreadable.
    pub kind: DamageKind,
    /// Commit number of the unreadable record, where its header can be read; of a missing beginning the last.
    pub commit: Option<u64>,
    /// The last commit number before the damage.
    pub commit_before: u64,
    /// Where readable records go on, if they do.
    pub next: Option<Intact>,
}

/// What is unreadable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The head of a segment file, or the one of its two copies that lies at the offset.
    SegmentHeader,
    /// The header of a record.
    RecordHeader,
    /// The payload of a record.
    Payload,
    /// There is nothing, where there had been records or a whole segment file.
    Missing,
    /// The log begins later than it should: what came before is neither in it nor where it would have been trimmed for.
    /// A file of the log, or what goes with the log, was lost or replaced by an older one.
    Beginning,
    /// There is no file of the log at all, though there had been: see
    /// [`Options::must_exist`](crate::Options::must_exist).
    Gone,
}

impl Damage {
    /// That of a log which is missing as a whole. `kept` is the last commit that is durable elsewhere.
    #[must_use]
    pub fn gone(kept: u64) -> Damage {
        Damage {
            file: String::new(),
            offset: 0,
            position: Position(0),
            kind: DamageKind::Gone,
            commit: None,
            commit_before: kept,
            next: None,
        }
    }
}

/// Where readable records go on behind a damage.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Intact {
    /// Name of the file within the log's folder.
    pub file: String,
    /// Where in the file the record begins, in bytes.
    pub offset: u64,
    /// Commit number of the record.
    pub commit: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (DamageKind::Beginning, Some(commit)) = (self.kind, self.commit) {
            let (file, kept) = (&self.file, self.commit_before);
            return write!(
                out,
                "the log begins with {file} after commit {commit}, but elsewhere are only the commits up to {kept}: those \
                 between are missing"
            );
        }
        if self.kind == DamageKind::Gone {
            return write!(
                out,
                "the log is gone: it may have held commits, but none of its files is left, and elsewhere are only the \
                 commits up to {}",
                self.commit_before
            );
        }
        write!(out, "the log is damaged in {} at byte {}: ", self.file, self.offset)?;
        match (self.kind, self.commit) {
            (DamageKind::SegmentHeader, _) => write!(out, "the segment header doesn't match its checksum")?,
            (DamageKind::Payload, Some(commit)) => {
                write!(out, "the payload of commit {commit} doesn't match its checksum")?;
            }
            (DamageKind::Missing | DamageKind::Beginning | DamageKind::Gone, _) => {
                write!(out, "records that had been synced are missing")?
            }
            (DamageKind::RecordHeader | DamageKind::Payload, _) => {
                write!(out, "a record doesn't match its checksum")?;
            }
        }
        write!(out, "; the last intact commit before it is {}", self.commit_before)?;
        match &self.next {
            Some(next) => write!(out, ", the next {} ({} at byte {})", next.commit, next.file, next.offset),
            None => write!(out, ", nothing intact follows"),
        }
    }
}
