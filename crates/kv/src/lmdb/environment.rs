//! Opening and growing the LMDB environment: everything that touches its unsafe configuration.
#![allow(unsafe_code)]

use std::path::Path;

use heed::{CommitOrAbort, EnvFlags, EnvOpenOptions};
use parking_lot::Mutex;

use super::address_space::{affordable, can_replace, physical_memory_bytes, round_up};
use super::data_file::DataFile;
use super::disk_space::write_error;
use super::lock_file::{self, LMDB_LOCK_FILE_NAME};
use super::{
    Database, Databases, Environment, Options, ReadAhead, WriteSync, engine_error, page_check, regular_file,
};
use crate::{Error, MAX_KEY_BYTES, Result, Tree};

pub(super) const DATA_FILE_NAME: &str = "data.mdb";

/// One environment is opened at a time, so that whoever finds one closed knows that it stays so.
static OPENING: Mutex<()> = Mutex::new(());

/// How often the pages are looked at that a writer goes on changing.
const ATTEMPTS_MAX: u32 = 100;

/// Names of the databases inside the environment, by [`Tree::ordinal`]. They are part of the file format.
pub(super) const DATABASE_NAMES: [&str; Tree::COUNT] = ["documents", "index", "meta"];

/// What an environment is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    ReadWrite,
    /// Changes nothing but its own slot in the table of readers.
    ReadOnly,
}

/// Opens the environment in `folder`, which exists and is held by the caller.
pub(super) fn open(folder: &Path, options: &Options, access: Access) -> Result<Environment> {
    let data_path = folder.join(DATA_FILE_NAME);
    regular_file::check(&data_path)?;
    regular_file::check(&folder.join(LMDB_LOCK_FILE_NAME))?;
    let data_bytes = std::fs::metadata(data_path).map_or(0, |metadata| metadata.len());
    if data_bytes > 0 || access == Access::ReadOnly {
        check_before_mapping(folder, access)?;
    }
    let mut flags = read_ahead_flags(options.read_ahead, data_bytes);
    match access {
        Access::ReadWrite => flags |= sync_flags(options.write_sync),
        Access::ReadOnly => flags |= EnvFlags::READ_ONLY,
    }
    let data_bytes = usize::try_from(data_bytes).unwrap_or(usize::MAX);
    let mut reserve_bytes = affordable(options.reserve_bytes).max(round_up(data_bytes));
    let _opening = OPENING.lock();
    if heed::env_closing_event(folder.canonicalize()?).is_some() {
        return Err(Error::AlreadyOpen { path: folder.to_path_buf() });
    }
    lock_file::reserve(folder, options.readers_max, access)?;
    loop {
        match open_with(folder, options, flags, reserve_bytes) {
            Err(heed::Error::Io(error))
                if error.kind() == std::io::ErrorKind::OutOfMemory
                    && reserve_bytes / 2 >= round_up(data_bytes.max(1)) =>
            {
                reserve_bytes = round_up(reserve_bytes / 2);
            }
            Err(heed::Error::EnvAlreadyOpened) => {
                return Err(Error::AlreadyOpen { path: folder.to_path_buf() });
            }
            Err(error) => return Err(engine_error(error)),
            Ok(environment) => return check(environment, access),
        }
    }
}

/// A page of the map that has no byte in the file ends the process when it is touched, and one that is not what leads to
/// it says may do so too. Each page would be too much to look at; these are those that are used first and for every
/// write.
fn check_before_mapping(folder: &Path, access: Access) -> Result<()> {
    let mut attempt = 0;
    loop {
        let mut file = DataFile::open(folder)?;
        let outcome = page_check::check_ground(&mut file);
        attempt += 1;
        if outcome.is_ok() || access == Access::ReadWrite || attempt == ATTEMPTS_MAX {
            return outcome;
        }
        // Nothing keeps a writer from the pages that are looked at. Those of its newest state it leaves alone.
        if DataFile::open(folder)?.meta().transaction == file.meta().transaction {
            return outcome;
        }
    }
}

fn open_with(
    folder: &Path,
    options: &Options,
    flags: EnvFlags,
    reserve_bytes: usize,
) -> heed::Result<Environment> {
    let mut open_options = EnvOpenOptions::new().read_txn_without_tls();
    open_options.map_size(reserve_bytes).max_readers(options.readers_max).max_dbs(Tree::COUNT as u32);
    // SAFETY: `NO_SYNC` and `NO_READ_AHEAD` only change when and how the kernel does its input/output; the former is
    // unsafe to set for what a power failure may leave behind, which whoever asks for it is told.
    unsafe { open_options.flags(flags) };
    // SAFETY: the files in the folder are changed by nobody but LMDB while it is open: the folder lock keeps other
    // writers of ours out, readers hold the data file in its place, and the library itself refuses a second
    // environment on the same path in this process.
    unsafe { open_options.open(folder) }
}

fn check(environment: Environment, access: Access) -> Result<Environment> {
    if environment.max_key_size() < MAX_KEY_BYTES {
        return Err(Error::Corrupted(format!(
            "keys are limited to {} bytes by its page size, {MAX_KEY_BYTES} are needed",
            environment.max_key_size()
        )));
    }
    if access == Access::ReadWrite {
        clear_stale_readers(&environment)?;
    }
    Ok(environment)
}

/// Readers that were killed keep their slots, and so the pages they saw, until someone clears them.
pub(super) fn clear_stale_readers(environment: &Environment) -> Result<()> {
    environment.clear_stale_readers().map(drop).map_err(engine_error)
}

/// No flag at all syncs the pages of a write, and then the page that makes them count, before the write returns.
/// `NO_META_SYNC` would save the second sync at the price of losing the last write, `WRITE_MAP` would let a stray
/// pointer of any part of the process damage the file; neither is worth it for writes as large as they should be here.
fn sync_flags(write_sync: WriteSync) -> EnvFlags {
    match write_sync {
        WriteSync::EveryWrite => EnvFlags::empty(),
        WriteSync::OnDemand => EnvFlags::NO_SYNC,
    }
}

fn read_ahead_flags(read_ahead: ReadAhead, data_bytes: u64) -> EnvFlags {
    let is_off = match read_ahead {
        ReadAhead::On => false,
        ReadAhead::Off => true,
        ReadAhead::Auto => physical_memory_bytes().is_some_and(|memory_bytes| data_bytes > memory_bytes),
    };
    if is_off { EnvFlags::NO_READ_AHEAD } else { EnvFlags::empty() }
}

/// Opens the three databases, creating those that are missing.
pub(super) fn open_databases(environment: &Environment) -> Result<Databases> {
    let transaction = environment.write_txn().map_err(engine_error)?;
    let opened = environment
        .create_databases_and_commit(transaction, |opener, transaction| {
            let [documents, index, meta] = DATABASE_NAMES;
            let databases: [heed::Database<'_, heed::types::Bytes, heed::types::Bytes>; Tree::COUNT] = [
                opener.create_database(transaction, Some(documents))?,
                opener.create_database(transaction, Some(index))?,
                opener.create_database(transaction, Some(meta))?,
            ];
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(databases))
        })
        .map_err(|error| write_error(error, environment.path()))?;
    match opened {
        CommitOrAbort::Commit(databases) => Ok(Databases::from_opened(databases)),
        CommitOrAbort::Abort(()) => Err(Error::Engine("opening the databases was aborted".to_owned())),
    }
}

/// Opens the three databases; `None` if nobody has made them yet.
pub(super) fn open_existing_databases(environment: &Environment) -> Result<Option<Databases>> {
    let transaction = environment.read_txn().map_err(engine_error)?;
    let opened = environment
        .open_databases_and_commit(transaction, |opener, transaction| {
            let mut databases = Vec::with_capacity(Tree::COUNT);
            for name in DATABASE_NAMES {
                let database = opener
                    .open_database::<heed::types::Bytes, heed::types::Bytes>(transaction, Some(name))?;
                databases.extend(database);
            }
            Ok::<_, heed::Error>(match <[_; Tree::COUNT]>::try_from(databases) {
                Ok(databases) => CommitOrAbort::Commit(databases),
                Err(_) => CommitOrAbort::Abort(()),
            })
        })
        .map_err(engine_error)?;
    Ok(opened.commit().map(Databases::from_opened))
}

impl Databases {
    fn from_opened(databases: [Database; Tree::COUNT]) -> Databases {
        Databases(databases)
    }
}

/// Enlarges the reservation as far as the process may; false if it may not.
///
/// The caller guarantees that no transaction of this environment is alive.
pub(super) fn grow(environment: &Environment) -> Result<bool> {
    let current_bytes = environment.info().map_size;
    // It has to be sure that there is room while the old map is still there: a failure after unmapping it could not be
    // undone.
    let sizes = [
        current_bytes.saturating_mul(2),
        current_bytes + current_bytes / 2,
        current_bytes + current_bytes / 8,
        current_bytes + current_bytes / 32,
    ];
    for size_bytes in sizes.map(round_up) {
        if size_bytes > current_bytes && can_replace(current_bytes, size_bytes) {
            // SAFETY: no transaction is alive, as the caller guarantees, so nothing points into the old map.
            unsafe { environment.resize(size_bytes) }.map_err(engine_error)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Enlarges the reservation so that everything fits that another process has written; false if the process may not.
///
/// The caller guarantees that no transaction of this environment is alive.
pub(super) fn follow_growth(environment: &Environment) -> Result<bool> {
    let data_bytes =
        usize::try_from(environment.real_disk_size().map_err(engine_error)?).unwrap_or(usize::MAX);
    let sizes = [data_bytes.saturating_mul(2), data_bytes.saturating_add(data_bytes / 4), data_bytes];
    let current_bytes = environment.info().map_size;
    for size_bytes in sizes.map(round_up) {
        if can_replace(current_bytes, size_bytes) {
            // SAFETY: no transaction is alive, as the caller guarantees, so nothing points into the old map.
            unsafe { environment.resize(size_bytes) }.map_err(engine_error)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Puts through one cursor: a sorted batch finds most places on the page it is already on.
pub(super) struct SortedWriter<'w> {
    cursor: heed::RwIter<'w, heed::types::Bytes, heed::types::Bytes>,
}

impl<'w> SortedWriter<'w> {
    pub(super) fn new(
        database: &Database,
        transaction: &'w mut heed::RwTxn<'_>,
    ) -> heed::Result<SortedWriter<'w>> {
        Ok(SortedWriter { cursor: database.iter_mut(transaction)? })
    }

    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) -> heed::Result<()> {
        // SAFETY: the cursor is never read from, so no slice of the database is alive, and key and value can't be
        // slices of this transaction: it is borrowed mutably for as long as the writer lives.
        unsafe {
            self.cursor.put_current_with_options::<heed::types::Bytes>(heed::PutFlags::empty(), key, value)
        }
    }

    /// Deletes up to `entries_max` entries from the start of a range.
    pub(super) fn delete_range(
        database: &Database,
        transaction: &mut heed::RwTxn<'_>,
        bounds: crate::Bounds<'_>,
        entries_max: usize,
    ) -> heed::Result<usize> {
        let mut cursor = database.range_mut(transaction, &bounds)?;
        let mut n_deleted = 0;
        while n_deleted < entries_max {
            match cursor.next() {
                None => break,
                Some(entry) => drop(entry?),
            }
            // SAFETY: the slices of the entry just read were dropped.
            unsafe { cursor.del_current()? };
            n_deleted += 1;
        }
        Ok(n_deleted)
    }
}
