//! Finds out what a log holds, and makes it fit to be continued.
//!
//! The records are read in order, each once, and handed on as they are found intact. Where no intact record follows,
//! either the log ends, perhaps with the torn rest of what was never synced, or records that had been synced are
//! damaged. Every record tells how far the log had been synced when it was written, so the two can be told apart:
//! it is damage if anything behind the place knows the place to have been synced.

mod repair;
mod scan;
mod search;

use std::time::Duration;

use crate::{Damage, DamageKind, Position};

pub(crate) use repair::{repair, spares};
pub(crate) use scan::{Expected, Found, scan};

/// What opening a log, or looking through it, has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// Name of the file that the log begins with, if there is a file.
    pub first_file: Option<String>,
    /// Segment files that make up the log.
    pub n_segments: usize,
    /// Intact records.
    pub n_records: u64,
    /// Bytes of the intact records with their headers.
    pub record_bytes: u64,
    /// Commit number of the first record, if there is any.
    pub first_commit: Option<u64>,
    /// The last commit number; zero if there was never any.
    pub last_commit: u64,
    /// The last commit number in what has been trimmed; zero if nothing has.
    pub trimmed_to: u64,
    /// Where the log begins, which moves by trimming.
    pub start: Position,
    /// Where the log ends.
    pub end: Position,
    /// What was cut off at the end.
    pub torn_tail: Option<TornTail>,
    /// Damaged places that were passed over; empty unless [`Options::ignore_damage`](crate::Options::ignore_damage).
    pub damages: Vec<Damage>,
    /// How long it took.
    pub duration: Duration,
}

impl Recovery {
    /// The damage it is if [`trimmed_to`](Self::trimmed_to) is beyond `kept_elsewhere`, the last commit that is durable
    /// elsewhere: the commits between are nowhere. [`Options::kept_elsewhere`](crate::Options::kept_elsewhere) has an
    /// opening ask; this is for who learns the number later.
    #[must_use]
    pub fn missing_beginning(&self, kept_elsewhere: u64) -> Option<Damage> {
        if kept_elsewhere >= self.trimmed_to {
            return None;
        }
        Some(Damage {
            file: self.first_file.clone()?,
            offset: 0,
            position: self.start,
            kind: DamageKind::Beginning,
            commit: Some(self.trimmed_to),
            commit_before: kept_elsewhere,
            next: None,
        })
    }
}

/// The end of a log, with bytes behind it that were never synced and make no record.
///
/// In a recycled segment the bytes may also be those of the file's former life.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TornTail {
    /// Name of the file within the log's folder.
    pub file: String,
    /// Where in the file the log ends, in bytes.
    pub offset: u64,
    /// The last commit number that is intact.
    pub commit_before: u64,
    /// Later segment files, begun but never synced, that were given up.
    pub n_segments_dropped: usize,
}
