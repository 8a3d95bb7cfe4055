//! The head of a segment file: two copies in sectors of their own.

use xxhash_rust::xxh3::xxh3_64;

use super::{read_u32, read_u64};

/// Where the records of a segment begin.
pub(crate) const SEGMENT_HEADER_BYTES: u64 = 1024;

/// Size of one copy, as large as the sector that disks write at once.
pub(crate) const SEGMENT_HEADER_COPY_BYTES: usize = 512;

const MAGIC: &[u8; 8] = b"PERSEAWL";
const VERSION: u32 = 1;
/// How many bytes of a copy the checksum covers; it follows them, and zeros follow it.
const COVERED_BYTES: usize = 56;
const FIELDS_BYTES: usize = 64;

/// What a segment says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SegmentHeader {
    /// Segments are numbered without gaps.
    pub number: u64,
    /// Position of the file's first byte, which is where the segment before it ends.
    pub start: u64,
    /// The last commit number in the segments before; this one has none that is lower.
    pub commit_before: u64,
    /// Goes into each checksum, so that what a recycled file held before is never taken for a record.
    pub salt: u64,
    /// Up to where the log was known to be synced when the segment was begun.
    pub synced: u64,
}

/// A copy that is intact and of a version unknown here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VersionMismatch {
    pub found: u32,
    pub supported: u32,
}

impl SegmentHeader {
    pub(crate) fn encode(&self) -> [u8; SEGMENT_HEADER_BYTES as usize] {
        let mut copy = [0; SEGMENT_HEADER_COPY_BYTES];
        copy[0..8].copy_from_slice(MAGIC);
        copy[8..12].copy_from_slice(&VERSION.to_le_bytes());
        copy[16..24].copy_from_slice(&self.number.to_le_bytes());
        copy[24..32].copy_from_slice(&self.start.to_le_bytes());
        copy[32..40].copy_from_slice(&self.commit_before.to_le_bytes());
        copy[40..48].copy_from_slice(&self.salt.to_le_bytes());
        copy[48..56].copy_from_slice(&self.synced.to_le_bytes());
        let checksum = xxh3_64(&copy[..COVERED_BYTES]);
        copy[56..64].copy_from_slice(&checksum.to_le_bytes());
        let mut both = [0; SEGMENT_HEADER_BYTES as usize];
        both[..SEGMENT_HEADER_COPY_BYTES].copy_from_slice(&copy);
        both[SEGMENT_HEADER_COPY_BYTES..].copy_from_slice(&copy);
        both
    }

    /// Reads one copy; `None` if it is not intact.
    pub(crate) fn decode(
        copy: &[u8; SEGMENT_HEADER_COPY_BYTES],
    ) -> Result<Option<SegmentHeader>, VersionMismatch> {
        let (fields, rest) = copy.split_at(FIELDS_BYTES);
        let (covered, checksum) = fields.split_at(COVERED_BYTES);
        if !covered.starts_with(MAGIC) || xxh3_64(covered) != read_u64(checksum, 0) {
            return Ok(None);
        }
        let version = read_u32(covered, 8);
        if version != VERSION {
            return Err(VersionMismatch { found: version, supported: VERSION });
        }
        if rest.iter().any(|byte| *byte != 0) {
            return Ok(None);
        }
        Ok(Some(SegmentHeader {
            number: read_u64(covered, 16),
            start: read_u64(covered, 24),
            commit_before: read_u64(covered, 32),
            salt: read_u64(covered, 40),
            synced: read_u64(covered, 48),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: SegmentHeader =
        SegmentHeader { number: 3, start: 70_000, commit_before: 12, salt: 0xfeed, synced: 69_000 };

    fn copy() -> [u8; SEGMENT_HEADER_COPY_BYTES] {
        *HEADER.encode().first_chunk().unwrap()
    }

    #[test]
    fn both_copies_come_back() {
        let both = HEADER.encode();
        assert_eq!(SegmentHeader::decode(both.first_chunk().unwrap()), Ok(Some(HEADER)));
        assert_eq!(SegmentHeader::decode(both.last_chunk().unwrap()), Ok(Some(HEADER)));
    }

    #[test]
    fn each_flipped_bit_is_noticed() {
        for bit in 0..SEGMENT_HEADER_COPY_BYTES * 8 {
            let mut bytes = copy();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(SegmentHeader::decode(&bytes), Ok(None), "bit {bit}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = copy();
        bytes[8] = 9;
        let checksum = xxh3_64(&bytes[..COVERED_BYTES]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(SegmentHeader::decode(&bytes), Err(VersionMismatch { found: 9, supported: VERSION }));
    }
}
