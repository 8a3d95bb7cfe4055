//! Looks behind the place where reading in order has ended.

use super::scan::{Stop, candidate};
use crate::error::Context;
use crate::format::SEGMENT_HEADER_BYTES;
use crate::record_reader::RecordReader;
use crate::segment::segment_name;
use crate::storage::Storage;
use crate::{DamageKind, Intact, Result};

/// What lies behind the place.
#[derive(Default)]
pub(crate) struct Hint {
    /// Something behind the place knows that the place had been synced.
    pub is_known_synced: bool,
    /// The next intact record.
    pub intact: Option<Intact>,
    /// Where to go on: which file, counted from the oldest, and where in it.
    pub resume: Option<(usize, u64)>,
}

/// Looks for intact records and heads behind the stop, until one shows that the place had been synced.
pub(crate) fn search(storage: &dyn Storage, numbers: &[u64], stop: &Stop) -> Result<Hint> {
    let mut hint = Hint::default();
    for (index, number) in numbers.iter().enumerate().skip(stop.index) {
        let candidate = candidate(storage, *number)?;
        let Some(header) = candidate.head.header() else { continue };
        let is_stop_within = index == stop.index && stop.kind != DamageKind::SegmentHeader;
        // A head that lies before the place is left over from something else.
        if !is_stop_within && header.start < stop.position {
            continue;
        }
        hint.is_known_synced |= header.synced > stop.position;
        let offset = if is_stop_within { stop.offset + 1 } else { SEGMENT_HEADER_BYTES };
        let mut reader = RecordReader::new(candidate.file.clone(), header, offset);
        let name = segment_name(*number);
        while !(hint.is_known_synced && hint.resume.is_some())
            && reader.find(candidate.file_bytes).context("read", &name)?
        {
            let Some((record, record_header)) = reader.record() else { break };
            hint.is_known_synced |= record_header.claimed_synced(record.position.0) > stop.position;
            if hint.resume.is_none() {
                let offset = record.position.0 - header.start;
                hint.resume = Some((index, offset));
                hint.intact = Some(Intact { file: name.clone(), offset, commit: record.commit });
            }
        }
        if hint.is_known_synced && hint.resume.is_some() {
            break;
        }
    }
    Ok(hint)
}
