//! A copy of a database folder, while a server may be writing to it.

use std::path::Path;
use std::time::Duration;

use super::{Progress, refuse_damaged_pages};
use crate::error::Result;
use crate::instance::Instance;

/// How often the growth of the copy is looked at.
const WATCH_INTERVAL: Duration = Duration::from_millis(20);

/// What a backup has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// A commit that the copy has, with all before it.
    pub commit: u64,
    /// Size of the copy's data file in bytes.
    pub data_bytes: u64,
}

/// Copies the database in the folder `from` into the folder `to`, which is made if it is missing and must not hold a
/// database.
///
/// The copy holds everything that was acknowledged when the copying began, also when another process is writing to the
/// folder, which it doesn't notice. The copy has no free pages and needs no log; it can be opened and served as it is. While
/// it is made, the file of the original keeps the pages that the copy needs, and may grow.
///
/// # Errors
/// When there is no database in `from`, or one in `to`; when a file can't be read or written; when pages of the original are
/// damaged, which is looked for first.
pub fn backup(from: &Path, to: &Path, watch: &mut dyn FnMut(Progress<'_>)) -> Result<Backup> {
    refuse_damaged_pages(from, watch)?;
    let instance = Instance::open_read_only(from)?;
    let data_path = to.join("data.mdb");
    // The copy has no free pages, so it will be smaller rather than larger.
    let total = std::fs::metadata(from.join("data.mdb")).map(|metadata| metadata.len()).ok();
    let copied_bytes = || std::fs::metadata(&data_path).map_or(0, |metadata| metadata.len());
    let commit = std::thread::scope(|scope| {
        let copying = scope.spawn(|| instance.copy_to(to));
        while !copying.is_finished() {
            watch(Progress { step: "copying", done: copied_bytes(), total });
            std::thread::sleep(WATCH_INTERVAL);
        }
        copying.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    Ok(Backup { commit, data_bytes: copied_bytes() })
}
