//! Compaction: a copy without free pages takes the place of the data file.
//!
//! The copy is written beside the file under another name, synced, and renamed over it, so a crash at any moment leaves the
//! old file or the new one. What a crash leaves under the other name is removed by the next writer.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use heed::CompactionOption;

use super::environment::{self, Access, DATA_FILE_NAME};
use super::folder_lock::{FolderLock, ReaderHold};
use super::page_check::check_file;
use super::{Databases, Environment, Options, engine_error};
use crate::store::Tree;
use crate::{Error, Result};

/// What the copy is called until it is complete.
const COPY_FILE_NAME: &str = "data.mdb.compact";

/// How long compaction waits for readers that have come meanwhile, in pauses.
const READERS_ATTEMPTS: u32 = 50;
const READERS_PAUSE: Duration = Duration::from_millis(100);

/// What a compaction has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// Size of the data file before, in bytes.
    pub bytes_before: u64,
    /// Size of the data file now, in bytes.
    pub bytes_after: u64,
}

/// Removes what an interrupted compaction has left. The caller has the folder to himself.
pub(super) fn clear_up(folder: &Path) -> Result<()> {
    match std::fs::remove_file(folder.join(COPY_FILE_NAME)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::Io(error)),
        _ => Ok(()),
    }
}

/// Replaces the data file of a folder that nobody has open by a copy without free pages. `watch` is called with the bytes
/// written so far now and then, from another thread.
///
/// # Errors
/// [`Error::FolderInUse`] while somebody writes to it, [`Error::FolderIsRead`] while other processes read it,
/// [`Error::NoDatabase`], [`Error::Corrupted`], [`Error::Io`]; the folder is as it was then.
pub fn compact(folder: &Path, options: &Options, watch: impl Fn(u64) + Sync) -> Result<Compacted> {
    let data_path = folder.join(DATA_FILE_NAME);
    if !data_path.is_file() {
        return Err(Error::NoDatabase { path: folder.to_path_buf() });
    }
    let _folder_lock = FolderLock::acquire(folder)?;
    clear_up(folder)?;
    // Fail early rather than after the work. Nothing but closing the file ends the hold, so this is no wait for anybody.
    drop(ReaderHold::alone(folder)?);
    let copy_path = folder.join(COPY_FILE_NAME);
    let outcome = write_copy(folder, options, &copy_path, &watch).and_then(|()| replace(folder, &copy_path));
    if outcome.is_err() {
        clear_up(folder)?;
    }
    outcome
}

/// Writes and checks the copy.
fn write_copy(
    folder: &Path,
    options: &Options,
    copy_path: &Path,
    watch: &(impl Fn(u64) + Sync),
) -> Result<()> {
    let environment = environment::open(folder, options, Access::ReadWrite)?;
    let databases = environment::open_databases(&environment)?;
    let entries = entries(&environment, &databases)?;
    let mut copy = File::create_new(copy_path)?;
    copied(&environment, &mut copy, copy_path, watch)?;
    copy.sync_all()?;
    // The environment is closed before its file is replaced.
    environment.prepare_for_closing().wait();
    let report = check_file(copy_path, &mut |_, _| {})?;
    let n_entries = report.trees.iter().map(|tree| tree.n_entries);
    if !report.is_clean() || !n_entries.eq(entries) {
        return Err(Error::Corrupted("the compacted copy is not what was copied".to_owned()));
    }
    Ok(())
}

fn entries(environment: &Environment, databases: &Databases) -> Result<[u64; Tree::COUNT]> {
    let transaction = environment.read_txn().map_err(engine_error)?;
    let mut entries = [0; Tree::COUNT];
    for (count, tree) in entries.iter_mut().zip(Tree::ALL) {
        *count = databases.of(tree).len(&transaction).map_err(engine_error)?;
    }
    Ok(entries)
}

/// Copies, and tells `watch` how far it is.
fn copied(
    environment: &Environment,
    copy: &mut File,
    copy_path: &Path,
    watch: &(impl Fn(u64) + Sync),
) -> Result<()> {
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(READERS_PAUSE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                watch(std::fs::metadata(copy_path).map_or(0, |metadata| metadata.len()));
            }
        });
        let copied = environment.copy_to_file(copy, CompactionOption::Enabled);
        drop(done);
        copied
    })
    .map_err(engine_error)
}

/// Puts the copy in the place of the data file, while no reader of ours has it open.
fn replace(folder: &Path, copy_path: &Path) -> Result<Compacted> {
    let mut attempt = 0;
    let _alone = loop {
        match ReaderHold::alone(folder) {
            Err(Error::FolderIsRead { .. }) if attempt < READERS_ATTEMPTS => {
                attempt += 1;
                std::thread::sleep(READERS_PAUSE);
            }
            outcome => break outcome?,
        }
    };
    let data_path = folder.join(DATA_FILE_NAME);
    let bytes_before = std::fs::metadata(&data_path)?.len();
    let bytes_after = std::fs::metadata(copy_path)?.len();
    std::fs::rename(copy_path, &data_path)?;
    sync_folder(folder)?;
    Ok(Compacted { bytes_before, bytes_after })
}

/// Makes durable which files a folder has.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    // Elsewhere folders can't be opened as files; there the file system keeps the order of such changes.
    if cfg!(unix) { Ok(File::open(folder)?.sync_all()?) } else { Ok(()) }
}
