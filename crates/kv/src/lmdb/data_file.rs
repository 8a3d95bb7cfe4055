//! LMDB's file format, as far as it takes to look at a data file without mapping it.
//!
//! Numbers are in the byte order of the machine that wrote the file, as are LMDB's own.
//!
//! | page | offset | content |
//! | --- | --- | --- |
//! | all | 0, 8 bytes | number of the page |
//! | | 10, 2 bytes | flags: 1 branch, 2 leaf, 4 overflow, 8 meta |
//! | meta | 16, 4 bytes | magic number `0xBEEFC0DE` |
//! | | 20, 4 bytes | version of the format: 1 |
//! | | 32, 8 bytes | size of the writer's map |
//! | | 40, 48 bytes | tree of the free pages; its first 4 bytes are the page size |
//! | | 88, 48 bytes | main tree, whose entries are the named trees |
//! | | 136, 8 bytes | last page in use |
//! | | 144, 8 bytes | number of the transaction |
//! | branch, leaf | 12, 2 bytes | end of the list of node offsets |
//! | | 14, 2 bytes | begin of the nodes |
//! | | 16 | offsets of the nodes, 2 bytes each, in the order of their keys |
//! | overflow | 12, 4 bytes | how many pages belong to it; only the first has a header |
//! | tree | 4, 2 bytes | flags |
//! | | 6, 2 bytes | depth |
//! | | 8, 16, 24 | numbers of branch, leaf and overflow pages, 8 bytes each |
//! | | 32, 8 bytes | number of entries |
//! | | 40, 8 bytes | root page; all ones if there is none |
//!
//! There are two meta pages, 0 and 1; the one with the higher transaction counts.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use super::environment::DATA_FILE_NAME;
use crate::{Error, Result};

pub(super) const PAGE_HEADER_BYTES: usize = 16;
pub(super) const TREE_BYTES: usize = 48;
/// The root of an empty tree.
pub(super) const NO_PAGE: u64 = u64::MAX;
/// Pages 0 and 1.
pub(super) const N_META_PAGES: u64 = 2;

const META_BYTES: usize = 152;
const MAGIC: u32 = 0xBEEF_C0DE;
const FORMAT_VERSION: u32 = 1;
const FLAG_META: u16 = 8;

/// What LMDB keeps about a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeRecord {
    pub(super) flags: u16,
    pub(super) depth: u16,
    pub(super) n_branch: u64,
    pub(super) n_leaf: u64,
    pub(super) n_overflow: u64,
    pub(super) n_entries: u64,
    pub(super) root: u64,
}

impl TreeRecord {
    /// Reads a record; `None` if the bytes are too few.
    pub(super) fn read(bytes: &[u8]) -> Option<TreeRecord> {
        Some(TreeRecord {
            flags: u16_at(bytes, 4)?,
            depth: u16_at(bytes, 6)?,
            n_branch: u64_at(bytes, 8)?,
            n_leaf: u64_at(bytes, 16)?,
            n_overflow: u64_at(bytes, 24)?,
            n_entries: u64_at(bytes, 32)?,
            root: u64_at(bytes, 40)?,
        })
    }
}

/// A meta page: where a state of the file begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meta {
    pub(super) page_bytes: u32,
    pub(super) free: TreeRecord,
    pub(super) main: TreeRecord,
    pub(super) last_page: u64,
    pub(super) transaction: u64,
}

impl Meta {
    fn read(bytes: &[u8]) -> Option<Meta> {
        let is_meta = u16_at(bytes, 10)? & FLAG_META != 0;
        if !is_meta || u32_at(bytes, 16)? != MAGIC || u32_at(bytes, 20)? != FORMAT_VERSION {
            return None;
        }
        let page_bytes = u32_at(bytes, 40)?;
        let is_plausible = page_bytes.is_power_of_two() && (256..=65_536).contains(&page_bytes);
        is_plausible.then_some(())?;
        Some(Meta {
            page_bytes,
            free: TreeRecord::read(bytes.get(40..)?)?,
            main: TreeRecord::read(bytes.get(88..)?)?,
            last_page: u64_at(bytes, 136)?,
            transaction: u64_at(bytes, 144)?,
        })
    }
}

/// A data file, read by reads.
pub(super) struct DataFile {
    file: File,
    meta: Meta,
    file_bytes: u64,
}

impl DataFile {
    /// Opens the data file of a folder in its newest state.
    ///
    /// # Errors
    /// [`Error::NoDatabase`]; [`Error::Corrupted`] if neither meta page makes sense.
    pub(super) fn open(folder: &Path) -> Result<DataFile> {
        match DataFile::open_path(&folder.join(DATA_FILE_NAME)) {
            Err(Error::Io(error)) if error.kind() == ErrorKind::NotFound => {
                Err(Error::NoDatabase { path: folder.to_path_buf() })
            }
            outcome => outcome,
        }
    }

    /// Opens a data file of any name.
    pub(super) fn open_path(path: &Path) -> Result<DataFile> {
        let mut file = File::open(path)?;
        let first = read_meta(&mut file, 0)?;
        let page_bytes = first.map_or_else(page_bytes_here, |meta| u64::from(meta.page_bytes));
        let second = read_meta(&mut file, page_bytes)?;
        // Asked for last: pages are written before the meta page that leads to them, so whatever grows the file meanwhile,
        // it is long enough for what was read.
        let file_bytes = file.metadata()?.len();
        let newest = [first, second].into_iter().flatten().max_by_key(|meta| meta.transaction);
        match newest {
            Some(meta) => Ok(DataFile { file, meta, file_bytes }),
            None if file_bytes < 2 * page_bytes => Err(Error::Corrupted(format!(
                "{} has {file_bytes} bytes only and lacks its first pages",
                path.display()
            ))),
            None => Err(Error::Corrupted(format!("{} is no database file", path.display()))),
        }
    }

    pub(super) fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Whole pages in the file.
    pub(super) fn n_pages(&self) -> u64 {
        self.file_bytes / u64::from(self.meta.page_bytes)
    }

    /// Whether the pages are there from which every access begins.
    ///
    /// # Errors
    /// [`Error::Corrupted`] if the file is too short for them.
    pub(super) fn check_roots(&self) -> Result<()> {
        let roots = [self.meta.free.root, self.meta.main.root];
        let beyond = roots.into_iter().find(|root| *root != NO_PAGE && *root >= self.n_pages());
        match beyond {
            None => Ok(()),
            Some(page) => Err(Error::Corrupted(format!(
                "{DATA_FILE_NAME} is cut off: it has {} bytes and lacks page {page} at byte {}",
                self.file_bytes,
                page.saturating_mul(u64::from(self.meta.page_bytes))
            ))),
        }
    }

    /// Reads `buffer.len()` bytes from the beginning of a page; false if the file ends before.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn read_page(&mut self, page: u64, buffer: &mut [u8]) -> Result<bool> {
        let offset = page.checked_mul(u64::from(self.meta.page_bytes));
        let Some(offset) = offset.filter(|offset| *offset < self.file_bytes) else { return Ok(false) };
        read_at(&mut self.file, offset, buffer)
    }
}

fn read_meta(file: &mut File, offset: u64) -> Result<Option<Meta>> {
    let mut bytes = [0; META_BYTES];
    Ok(if read_at(file, offset, &mut bytes)? { Meta::read(&bytes) } else { None })
}

fn read_at(file: &mut File, offset: u64, buffer: &mut [u8]) -> Result<bool> {
    file.seek(SeekFrom::Start(offset))?;
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(Error::Io(error)),
    }
}

/// What the second meta page is looked for at when the first makes no sense: LMDB takes the system's page size.
fn page_bytes_here() -> u64 {
    super::address_space::page_bytes()
}

pub(super) fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    bytes.get(offset..)?.first_chunk().map(|chunk| u16::from_ne_bytes(*chunk))
}

pub(super) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|chunk| u32::from_ne_bytes(*chunk))
}

pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes.get(offset..)?.first_chunk().map(|chunk| u64::from_ne_bytes(*chunk))
}
