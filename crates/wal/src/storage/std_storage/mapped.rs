//! Small writes that go through a mapping of the file: about 0.1 µs, where a system call takes 0.8 µs.
//!
//! The bytes are in the kernel's page cache as soon as they are stored, as after `pwrite`, so they survive the end of
//! the process. What a mapping lacks is a way to report errors: where a store finds a page that has to be made writable
//! first, and the file system refuses, the process gets `SIGBUS`. So no store is the first to touch a page:
//!
//! - `MADV_POPULATE_WRITE` makes a few pages writable beforehand, and returns an error where a store would have ended
//!   the process. The write is left to `pwrite` then, which tells what is wrong.
//! - A sync takes that right away again, so it is asked for anew after each.
//! - It is only done on file systems that write over allocated blocks in place, whatever becomes of the file meanwhile:
//!   if the kernel writes a page back on its own, the next store needs no space for it. XFS is none of them: it shares
//!   the blocks of a file that is cloned, and has to copy them for the next store. Nor does it go on writing to memory
//!   once it has given up the disk, as ext4 does.
//!
//! It pays for commits that are not synced. Right after a sync, writes are left to `pwrite`.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

/// Mapped at once, at a multiple of it: little address space, and seldom a new mapping. A multiple of all page sizes.
const MAPPING_BYTES: u64 = 1 << 20;
/// Made writable at once. Each of these pages goes to the disk with the next sync, written to or not.
const WINDOW_BYTES: u64 = 16 << 10;
/// What is longer the kernel copies as fast.
const WRITE_BYTES_MAX: usize = 4 << 10;
/// After so many writes since the last sync, the next sync is not expected soon.
const N_WRITES_BEFORE: u32 = 16;
/// File systems that write in place, as `statfs` names them: ext2 to ext4, tmpfs.
const IN_PLACE: [u64; 2] = [0xef53, 0x0102_1994];

/// What it takes to write to one file through memory.
#[derive(Debug)]
pub(super) struct MappedWrites {
    /// Syncs that were begun, and those that ended.
    n_syncs: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    is_possible: bool,
    mapping: Option<Mapping>,
    /// Where the file can be written to through the mapping.
    writable: Range<u64>,
    /// How many syncs had begun and ended when that was found, and writes since that could not be done so.
    at_sync: u64,
    n_writes: u32,
}

impl MappedWrites {
    pub(super) fn new() -> MappedWrites {
        let state = State { is_possible: true, mapping: None, writable: 0..0, at_sync: 0, n_writes: 0 };
        MappedWrites { n_syncs: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// Syncs the file. What was made writable before or meanwhile isn't any more.
    pub(super) fn sync<T>(&self, sync: impl FnOnce() -> T) -> T {
        self.n_syncs.fetch_add(1, Ordering::AcqRel);
        let outcome = sync();
        self.n_syncs.fetch_add(1, Ordering::AcqRel);
        outcome
    }

    /// Changes the file's length, while nobody writes through memory.
    pub(super) fn resize<T>(&self, change: impl FnOnce() -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.mapping, state.writable) = (None, 0..0);
        change()
    }

    /// Writes if that can be done through memory; tells whether it was.
    pub(super) fn write(&self, file: &File, offset: u64, bytes: &[u8]) -> bool {
        let Some(end) = offset.checked_add(bytes.len() as u64) else { return false };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_possible || bytes.len() > WRITE_BYTES_MAX {
            return false;
        }
        let n_syncs = self.n_syncs.load(Ordering::Acquire);
        if state.at_sync != n_syncs {
            (state.at_sync, state.n_writes, state.writable) = (n_syncs, 0, 0..0);
        }
        if offset < state.writable.start || end > state.writable.end {
            state.n_writes = state.n_writes.saturating_add(1);
            if state.n_writes <= N_WRITES_BEFORE {
                return false;
            }
            if state.make_writable(file, offset..end).is_err() {
                (state.is_possible, state.mapping, state.writable) = (false, None, 0..0);
            }
            // Pages can be made writable on a disk that is gone as long as their blocks are known. `pwrite` tells, so the
            // first write to each window is its own.
            return false;
        }
        let State { mapping, writable, .. } = &*state;
        match mapping {
            Some(mapping) if writable.start <= offset && end <= writable.end => mapping.store(offset, bytes),
            _ => false,
        }
    }
}

impl State {
    /// Makes the pages of a range writable, and some behind them, unless the range crosses into the next mapping or is
    /// not part of the file.
    fn make_writable(&mut self, file: &File, range: Range<u64>) -> io::Result<()> {
        let base = range.start - range.start % MAPPING_BYTES;
        if self.mapping.as_ref().is_none_or(|mapping| mapping.base != base || mapping.end() < range.end) {
            self.writable = 0..0;
            self.mapping = Mapping::new(file, base)?;
        }
        let Some(mapping) = self.mapping.as_ref().filter(|mapping| range.end <= mapping.end()) else {
            return Ok(());
        };
        let page_bytes = rustix::param::page_size() as u64;
        let start = range.start - range.start % page_bytes;
        let end = (start + WINDOW_BYTES).max(range.end).next_multiple_of(page_bytes).min(mapping.end());
        self.writable = 0..0;
        mapping.populate(start..end)?;
        self.writable = start..end;
        Ok(())
    }
}

/// Some pages of a file in memory.
#[derive(Debug)]
struct Mapping {
    /// Where in the file it begins.
    base: u64,
    memory: NonNull<c_void>,
    n_bytes: usize,
}

// SAFETY: the mapping is owned like a box would be; it is changed by whoever holds the state's lock.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps what the file has of whole pages behind `base`; nothing if that is none.
    fn new(file: &File, base: u64) -> io::Result<Option<Mapping>> {
        let magic = rustix::fs::fstatfs(file)?.f_type;
        if !IN_PLACE.iter().any(|known| u64::try_from(magic) == Ok(*known)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let n_bytes = file.metadata()?.len().saturating_sub(base).min(MAPPING_BYTES) as usize;
        let n_bytes = n_bytes - n_bytes % rustix::param::page_size();
        if n_bytes == 0 {
            return Ok(None);
        }
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: the kernel chooses an address where nothing is mapped.
        let memory = unsafe { mmap(ptr::null_mut(), n_bytes, access, flags, file, base) }?;
        Ok(NonNull::new(memory).map(|memory| Mapping { base, memory, n_bytes }))
    }

    fn end(&self) -> u64 {
        self.base + self.n_bytes as u64
    }

    /// Where in memory so many bytes of the file are, if all of them are mapped.
    fn place(&self, offset: u64, n_bytes: usize) -> Option<*mut u8> {
        let skipped = usize::try_from(offset.checked_sub(self.base)?).ok()?;
        let end = skipped.checked_add(n_bytes)?;
        (end <= self.n_bytes).then(|| self.memory.as_ptr().cast::<u8>().wrapping_add(skipped))
    }

    /// Makes pages of the file writable.
    fn populate(&self, pages: Range<u64>) -> io::Result<()> {
        let n_bytes = usize::try_from(pages.end - pages.start).map_err(io::Error::other)?;
        let first = self.place(pages.start, n_bytes).ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: the range is mapped, as `place` has found; the advice leaves its content as it is.
        Ok(unsafe { madvise(first.cast(), n_bytes, Advice::LinuxPopulateWrite) }?)
    }

    /// Writes bytes to where the file has been made writable; tells whether it is mapped there.
    fn store(&self, offset: u64, bytes: &[u8]) -> bool {
        let Some(target) = self.place(offset, bytes.len()) else { return false };
        // SAFETY: so many bytes are mapped there, as `place` has found, and no Rust reference to them exists anywhere.
        // Others read the file by system calls, and know by checksums what of it is complete.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
        true
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new`, and nobody has a pointer to it any more. It can only fail for a range
        // that was never mapped.
        let unmapped = unsafe { munmap(self.memory.as_ptr(), self.n_bytes) };
        debug_assert!(unmapped.is_ok());
    }
}
