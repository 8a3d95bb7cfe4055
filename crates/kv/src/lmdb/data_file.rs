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
//! There are two meta pages, 0 and 1; the one with the higher transaction counts. Transactions with even numbers write
//! the first, those with odd ones the second.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use super::environment::DATA_FILE_NAME;
use super::meta_pages::{self, Meta};
use super::regular_file;
use crate::{Error, Result};

pub(super) const PAGE_HEADER_BYTES: usize = 16;
pub(super) const TREE_BYTES: usize = 48;
/// The root of an empty tree.
pub(super) const NO_PAGE: u64 = u64::MAX;
/// Pages 0 and 1.
pub(super) const N_META_PAGES: u64 = 2;

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
    /// [`Error::NoDatabase`]; as [`open_path`](DataFile::open_path).
    pub(super) fn open(folder: &Path) -> Result<DataFile> {
        match DataFile::open_path(&folder.join(DATA_FILE_NAME)) {
            Err(Error::Io(error)) if error.kind() == ErrorKind::NotFound => {
                Err(Error::NoDatabase { path: folder.to_path_buf() })
            }
            outcome => outcome,
        }
    }

    /// Opens a data file of any name.
    ///
    /// # Errors
    /// [`Error::NotAFile`], [`Error::Corrupted`] if its meta pages make no sense, [`Error::Io`].
    pub(super) fn open_path(path: &Path) -> Result<DataFile> {
        let mut file = regular_file::open(path)?;
        let meta = meta_pages::newest(&mut file, path)?;
        // Asked for last: pages are written before the meta page that leads to them, so whatever grows the file meanwhile,
        // it is long enough for what was read.
        let file_bytes = file.metadata()?.len();
        Ok(DataFile { file, meta, file_bytes })
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

/// Reads `buffer.len()` bytes; false if the file ends before.
pub(super) fn read_at(file: &mut File, offset: u64, buffer: &mut [u8]) -> Result<bool> {
    file.seek(SeekFrom::Start(offset))?;
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(Error::Io(error)),
    }
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
