//! Gives up what is no longer needed at the old end of the log.

use std::sync::Arc;

use crate::Result;
use crate::error::Context;
use crate::format::SEGMENT_HEADER_BYTES;
use crate::segment::{Segment, spare_name};
use crate::shared::{Shared, lock};
use crate::spares::Spare;
use crate::sync_gate::Waiter;

/// What a trim has given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Trimmed {
    /// How many segments.
    pub n_segments: usize,
    /// Bytes of log in them.
    pub byte_size: u64,
}

/// Gives up all ended segments that have no records of `below` or later commits.
///
/// They go one by one, each durably before the next: after a crash no segment is missing between two others.
pub(crate) fn trim(shared: &Shared, below: u64) -> Result<Trimmed> {
    let _one_at_a_time = lock(&shared.trim);
    let mut trimmed = Trimmed::default();
    loop {
        shared.health.check()?;
        let second = lock(&shared.segments).second_if_oldest_below(below).map(|second| second.header.start);
        let Some(second_start) = second else { break };
        // The log must not begin with a segment whose head a power failure could take away.
        shared.sync(second_start + SEGMENT_HEADER_BYTES, Waiter::Background)?;
        let Some(oldest) = lock(&shared.segments).pop_oldest() else { break };
        let byte_size = second_start.saturating_sub(oldest.header.start);
        if let Err(error) = give_up(shared, &oldest) {
            lock(&shared.segments).push_oldest(oldest);
            return Err(error);
        }
        shared.counters.count_segment_trimmed();
        trimmed.n_segments += 1;
        trimmed.byte_size += byte_size;
    }
    Ok(trimmed)
}

/// Removes the file, or keeps it for another segment if nobody reads it.
fn give_up(shared: &Shared, segment: &Arc<Segment>) -> Result<()> {
    let storage = &*shared.storage;
    // The list has let go of it, so nobody can begin to read it from now on.
    let is_read = Arc::strong_count(segment) > 1;
    let recycled = if is_read { None } else { spare_of(shared, segment)? };
    match &recycled {
        Some(spare) => {
            storage.rename(&segment.name, &spare_name(spare.number)).context("rename", &segment.name)?;
        }
        None => storage.remove(&segment.name).context("remove", &segment.name)?,
    }
    // Only when the old name is durably gone, the bytes may be overwritten or the next file go.
    storage.sync_dir().map_err(|cause| shared.health.poison("sync", "the folder", cause))?;
    if let Some(spare) = recycled {
        lock(&shared.spares).put(spare);
    }
    Ok(())
}

/// The file as a spare, if one of its size is wanted.
fn spare_of(shared: &Shared, segment: &Segment) -> Result<Option<Spare>> {
    let file = shared.storage.open(&segment.name).context("open", &segment.name)?;
    if file.byte_size().context("read", &segment.name)? != shared.options.segment_bytes {
        return Ok(None);
    }
    let mut spares = lock(&shared.spares);
    let is_wanted = spares.len() < shared.options.spare_segments_max;
    Ok(is_wanted.then(|| Spare { number: spares.new_number(), file, is_recycled: true }))
}
