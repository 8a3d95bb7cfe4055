//! Giving the space of what was deleted back to the file system.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Progress, refuse_damaged_pages, storage_error};
use crate::error::{Error, Result};
use crate::instance::Instance;

/// How often it is looked at how far things are.
const WATCH_INTERVAL: Duration = Duration::from_millis(20);

/// What a compaction has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compaction {
    /// Size of the data file before, in bytes.
    pub bytes_before: u64,
    /// Size of the data file now, in bytes.
    pub bytes_after: u64,
}

/// Replaces the data file of a folder by a copy of it without free pages, after what is in the log only was brought to it
/// and dropped collections were cleared.
///
/// A crash at any moment leaves the old file or the new one, and nothing is lost. It needs room for the copy.
///
/// # Errors
/// When there is no database, while another process has it open for writing or reading, when the disk is full or fails;
/// the database is as it was then.
pub fn compact(folder: &Path, watch: &mut dyn FnMut(Progress<'_>)) -> Result<Compaction> {
    if !folder.join("data.mdb").exists() {
        return Err(storage_error(persea_kv::Error::NoDatabase { path: folder.to_owned() }));
    }
    // An empty file is one of a database that was just being made.
    if std::fs::metadata(folder.join("data.mdb")).is_ok_and(|metadata| metadata.len() > 0) {
        refuse_damaged_pages(folder, watch)?;
    }
    let instance = Instance::open(folder)?;
    instance.sync()?;
    let mut n_pending_max = 0;
    loop {
        let metrics = instance.storage_metrics();
        let n_pending = metrics.pending_clears;
        n_pending_max = n_pending.max(n_pending_max);
        let done = n_pending_max - n_pending;
        watch(Progress { step: "clearing what was dropped", done, total: Some(n_pending_max) });
        if n_pending == 0 {
            break;
        }
        if metrics.clear_failures > 0 {
            let text = "what was dropped cannot be cleared: the disk is full or refuses to work";
            return Err(Error::with_number(1004, text));
        }
        std::thread::sleep(WATCH_INTERVAL);
    }
    // The last handle brings everything to the file.
    drop(instance);
    let copied = AtomicU64::new(0);
    let total = std::fs::metadata(folder.join("data.mdb")).map(|metadata| metadata.len()).ok();
    let compacted = std::thread::scope(|scope| {
        let compacting = scope.spawn(|| {
            let note = |bytes| copied.store(bytes, Ordering::Relaxed);
            persea_kv::compact(folder, &persea_kv::Options::default(), note)
        });
        while !compacting.is_finished() {
            watch(Progress { step: "copying", done: copied.load(Ordering::Relaxed), total });
            std::thread::sleep(WATCH_INTERVAL);
        }
        compacting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    let persea_kv::Compacted { bytes_before, bytes_after, .. } = compacted.map_err(storage_error)?;
    Ok(Compaction { bytes_before, bytes_after })
}
