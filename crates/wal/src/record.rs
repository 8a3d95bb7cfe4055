//! A record as it is read.

use crate::Position;

/// A record of the log; the payload lies in the reader's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// Commit number, never lower than that of the record before.
    pub commit: u64,
    /// What the one who appended it called it.
    pub kind: u16,
    /// The bytes that were appended.
    pub payload: &'a [u8],
    /// Where the record begins.
    pub position: Position,
    /// Where the record ends, which is what to give to [`Log::sync`](crate::Log::sync).
    pub end: Position,
}
