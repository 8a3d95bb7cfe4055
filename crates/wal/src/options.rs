//! What can be set when a log is opened.

use std::time::Duration;

/// Settings of a log; none of them is written down, so each opening may choose anew.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Size of a segment file in bytes, reserved in one piece: 16 MiB by default.
    ///
    /// A longer record gets a file of its own.
    pub segment_bytes: u64,
    /// How often a thread in the background syncs what nobody has synced: 100 ms by default.
    ///
    /// `None` starts no thread; then call [`Log::maintain`](crate::Log::maintain) yourself.
    pub sync_interval: Option<Duration>,
    /// The longest that one who leads a sync waits for others to join it: 500 µs by default.
    ///
    /// It waits only if others joined the last one, and never longer than half the time the last sync took.
    /// Zero: never.
    pub gather_max: Duration,
    /// The longest payload that is taken: 1 GiB by default, which is also as far as it goes.
    pub record_bytes_max: u64,
    /// How many bytes may await a sync before an append waits for one: 256 MiB by default.
    pub unsynced_bytes_max: u64,
    /// How many trimmed segment files are kept for later use: 2 by default. Zero removes all.
    pub spare_segments_max: usize,
    /// Opens in spite of damage and goes on behind it: off by default.
    ///
    /// The damaged places stay as they are until they are trimmed, and are reported by each opening.
    pub ignore_damage: bool,
    /// The last commit that is durable elsewhere, and so the last that may have been [trimmed](crate::Log::trim). A log
    /// that begins later is [damaged](crate::DamageKind::Beginning). `None`, the default, leaves that unchecked.
    pub kept_elsewhere: Option<u64>,
    /// Whether something elsewhere rests on the log, so that one without any segment file is
    /// [damaged](crate::DamageKind::Gone) and not new: off by default.
    pub must_exist: bool,
}

/// The format could carry longer payloads, but what reads them needs as much memory.
pub(crate) const RECORD_BYTES_LIMIT: u64 = 1 << 30;

impl Default for Options {
    fn default() -> Self {
        Self {
            segment_bytes: 16 << 20,
            sync_interval: Some(Duration::from_millis(100)),
            gather_max: Duration::from_micros(500),
            record_bytes_max: RECORD_BYTES_LIMIT,
            unsynced_bytes_max: 256 << 20,
            spare_segments_max: 2,
            ignore_damage: false,
            kept_elsewhere: None,
            must_exist: false,
        }
    }
}

impl Options {
    /// The defaults, to be changed field by field.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
