//! The header in front of each record.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{read_u16, read_u32, read_u64};

/// Size of the header; the payload follows it.
pub(crate) const RECORD_HEADER_BYTES: usize = 32;

/// Records begin at multiples of this; zeros fill the gap behind a payload.
pub(crate) const RECORD_ALIGNMENT: usize = 8;

/// The record has no payload and only says how far the log has been synced.
const FLAG_MARK: u16 = 1;

/// How far back the synced position lies, if it lies farther than can be told.
const BEHIND_UNKNOWN: u32 = u32::MAX;

/// What stands in front of a payload.
///
/// The checksum in it covers the other fields, the position of the record and the salt of its segment.
/// So a record is valid in one place of one segment only, wherever its bytes may be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordHeader {
    pub payload_bytes: u32,
    pub commit: u64,
    /// Checksum of the payload and the zeros behind it.
    pub payload_checksum: u64,
    pub kind: u16,
    pub is_mark: bool,
    /// How far in front of the record the synced position lay when it was written, in bytes.
    pub behind: u32,
}

impl RecordHeader {
    /// Header of a payload; `padded` has the zeros behind it.
    pub(crate) fn new(commit: u64, kind: u16, payload_bytes: u32, padded: &[u8]) -> Self {
        let payload_checksum = xxh3_64(padded);
        Self { payload_bytes, commit, payload_checksum, kind, is_mark: false, behind: BEHIND_UNKNOWN }
    }

    /// Header of a record that only tells the synced position.
    pub(crate) fn mark(commit: u64) -> Self {
        Self { is_mark: true, ..Self::new(commit, 0, 0, &[]) }
    }

    /// Bytes of the record with header, payload and the zeros behind it.
    pub(crate) fn record_bytes(&self) -> u64 {
        RECORD_HEADER_BYTES as u64 + u64::from(self.payload_bytes).next_multiple_of(RECORD_ALIGNMENT as u64)
    }

    /// States how far the log is synced, for a record that will stand at `position`.
    pub(crate) fn claim_synced(&mut self, synced: u64, position: u64) {
        self.behind = u32::try_from(position.saturating_sub(synced)).unwrap_or(BEHIND_UNKNOWN);
    }

    /// Up to where the record, which stands at `position`, says that the log is synced; zero if it doesn't say.
    pub(crate) fn claimed_synced(&self, position: u64) -> u64 {
        if self.behind == BEHIND_UNKNOWN { 0 } else { position.saturating_sub(self.behind.into()) }
    }

    pub(crate) fn encode(&self, salt: u64, position: u64) -> [u8; RECORD_HEADER_BYTES] {
        let mut bytes = [0; RECORD_HEADER_BYTES];
        bytes[4..8].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.commit.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.payload_checksum.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.behind.to_le_bytes());
        bytes[28..30].copy_from_slice(&self.kind.to_le_bytes());
        let flags = if self.is_mark { FLAG_MARK } else { 0 };
        bytes[30..32].copy_from_slice(&flags.to_le_bytes());
        let checksum = header_checksum(&bytes, salt, position);
        bytes[0..4].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header that stands at `position`; `None` if it is not intact or belongs elsewhere.
    #[inline]
    pub(crate) fn decode(
        bytes: &[u8; RECORD_HEADER_BYTES],
        salt: u64,
        position: u64,
    ) -> Option<RecordHeader> {
        let flags = read_u16(bytes, 30);
        // First what is cheap: looking for records in arbitrary bytes comes by here for each word.
        if flags & !FLAG_MARK != 0 || read_u32(bytes, 0) != header_checksum(bytes, salt, position) {
            return None;
        }
        Some(RecordHeader {
            payload_bytes: read_u32(bytes, 4),
            commit: read_u64(bytes, 8),
            payload_checksum: read_u64(bytes, 16),
            behind: read_u32(bytes, 24),
            kind: read_u16(bytes, 28),
            is_mark: flags == FLAG_MARK,
        })
    }

    /// Whether the payload, with the zeros behind it, is the one that the header announces.
    #[inline]
    pub(crate) fn matches(&self, padded: &[u8]) -> bool {
        xxh3_64(padded) == self.payload_checksum
    }
}

/// The lower half of the hash over all fields but the checksum itself, and the position.
#[inline]
fn header_checksum(bytes: &[u8; RECORD_HEADER_BYTES], salt: u64, position: u64) -> u32 {
    let mut covered = [0; RECORD_HEADER_BYTES + 4];
    covered[..28].copy_from_slice(&bytes[4..]);
    covered[28..].copy_from_slice(&position.to_le_bytes());
    xxh3_64_with_seed(&covered, salt) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: u64 = 0x5a17;

    fn header() -> RecordHeader {
        let mut header = RecordHeader::new(77, 3, 5, b"abcde\0\0\0");
        header.claim_synced(4000, 4096);
        header
    }

    #[test]
    fn comes_back_in_its_place_only() {
        let bytes = header().encode(SALT, 4096);
        assert_eq!(RecordHeader::decode(&bytes, SALT, 4096), Some(header()));
        assert_eq!(header().claimed_synced(4096), 4000);
        assert_eq!(RecordHeader::decode(&bytes, SALT, 4104), None);
        assert_eq!(RecordHeader::decode(&bytes, SALT + 1, 4096), None);
    }

    #[test]
    fn each_flipped_bit_is_noticed() {
        for bit in 0..RECORD_HEADER_BYTES * 8 {
            let mut bytes = header().encode(SALT, 4096);
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(RecordHeader::decode(&bytes, SALT, 4096), None, "bit {bit}");
        }
    }

    #[test]
    fn a_distance_that_does_not_fit_claims_nothing() {
        let mut header = header();
        header.claim_synced(1, 1 << 40);
        assert_eq!(header.claimed_synced(1 << 40), 0);
    }
}
