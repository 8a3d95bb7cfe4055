//! Makes a log that was read fit to be continued: what was found is durable afterwards, and nothing else is there.

use std::sync::Arc;

use super::Found;
use super::scan::FoundSegment;
use crate::Result;
use crate::error::Context;
use crate::format::SEGMENT_HEADER_BYTES;
use crate::segment::{newest_number, segment_name, spare_number};
use crate::storage::{Storage, StorageFile};

/// How much is written again at once.
const COPY_BYTES: u64 = 1 << 20;

/// Cuts what lies behind the end of the log and brings all before it to the disk; returns up to where it is.
///
/// Nothing may be appended before this has succeeded; it can be repeated after any interruption.
pub(crate) fn repair(storage: &dyn Storage, found: &Found) -> Result<u64> {
    for name in &found.unreadable {
        storage.rename(name, &format!("{name}.damaged")).context("rename", name)?;
    }
    // The newest first, so that those left by an interruption still follow each other.
    for name in found.dropped.iter().rev() {
        storage.remove(name).context("remove", name)?;
    }
    // The names that were found may be as little durable as what they name, and what an earlier process trimmed may
    // come back: behind segments that are trimmed durably later it would be one that has lost its successor.
    storage.sync_dir().context("sync", "the folder")?;
    let Some(last) = found.segments.last() else { return Ok(0) };
    // New records will be written behind the end; no old one may come to light again behind those.
    let must_cut = last.file_bytes > last.used;
    if must_cut {
        last.file.truncate(last.used).context("cut", &last.name())?;
    }
    // A mark behind the last record may stay as it is: nobody was told that it is durable.
    let needed = found.records_end.max(last.header.start + SEGMENT_HEADER_BYTES);
    if needed <= found.claimed {
        if must_cut {
            last.file.sync_data().context("sync", &last.name())?;
        }
        return Ok(found.claimed.min(last.end()));
    }
    for segment in found.segments.iter().filter(|segment| segment.end() > found.claimed) {
        rewrite(segment, found.claimed)?;
        segment.file.sync_data().context("sync", &segment.name())?;
    }
    Ok(last.end())
}

/// Writes again what may never have been synced.
///
/// After a sync that failed, an operating system may show bytes that it will never bring to the disk, unless they
/// are written anew.
fn rewrite(segment: &FoundSegment, from: u64) -> Result<()> {
    let name = &segment.name();
    let mut offset = from.saturating_sub(segment.header.start);
    let mut bytes = vec![0; COPY_BYTES.min(segment.used - offset) as usize];
    while offset < segment.used {
        let n_bytes = (segment.used - offset).min(COPY_BYTES) as usize;
        let Some(chunk) = bytes.get_mut(..n_bytes) else { break };
        segment.file.read_at(offset, chunk).context("read", name)?;
        segment.file.write_at(offset, chunk).context("write", name)?;
        offset += n_bytes as u64;
    }
    Ok(())
}

impl FoundSegment {
    fn name(&self) -> String {
        segment_name(self.header.number)
    }

    fn end(&self) -> u64 {
        self.header.start + self.used
    }
}

/// The spare files that can be used again, by their numbers; removes all others.
///
/// A file that was about to become the segment after `last_number`, and lost its name again by a crash, holds records
/// that would come to light if it got the same name once more and the head written then were lost.
pub(crate) fn spares(
    storage: &dyn Storage,
    segment_bytes: u64,
    n_max: usize,
    last_number: u64,
) -> Result<Vec<(u64, Arc<dyn StorageFile>)>> {
    let mut spares = Vec::new();
    let mut has_any = false;
    for name in storage.list().context("list", "the folder")? {
        let Some(number) = spare_number(&name) else { continue };
        has_any = true;
        let file = storage.open(&name).context("open", &name)?;
        let is_of_size = file.byte_size().context("read", &name)? == segment_bytes;
        let was_before = newest_number(&*file).context("read", &name)? <= last_number;
        if is_of_size && was_before && spares.len() < n_max {
            spares.push((number, file));
        } else {
            storage.remove(&name).context("remove", &name)?;
        }
    }
    if has_any {
        // A trim may have been interrupted: before its bytes are overwritten, a file must durably be no segment.
        storage.sync_dir().context("sync", "the folder")?;
    }
    Ok(spares)
}
