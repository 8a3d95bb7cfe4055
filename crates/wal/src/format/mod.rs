//! The bytes on disk, as the README describes them.

mod record_header;
mod segment_header;

pub(crate) use record_header::{RECORD_ALIGNMENT, RECORD_HEADER_BYTES, RecordHeader};
pub(crate) use segment_header::{SEGMENT_HEADER_BYTES, SEGMENT_HEADER_COPY_BYTES, SegmentHeader};

/// Eight bytes in little-endian order; bytes behind the end count as zero.
fn read_u64(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// Four bytes in little-endian order; bytes behind the end count as zero.
fn read_u32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// Two bytes in little-endian order; bytes behind the end count as zero.
fn read_u16(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u16::from_le_bytes(*chunk))
}
