//! The two meta pages: what they say, and whether that makes sense, each by itself and both together.
//!
//! LMDB trusts them. A page size, a root or a last page that is wrong would end the process, or have pages overwritten
//! that are in use, so they are looked at before it maps the file. See [`data_file`](super::data_file) for the layout.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::data_file::{N_META_PAGES, NO_PAGE, TreeRecord, read_at, u16_at, u32_at, u64_at};
use crate::{Error, Result};

const META_BYTES: usize = 152;
const MAGIC: u32 = 0xBEEF_C0DE;
const FORMAT_VERSION: u32 = 1;
const FLAG_META: u16 = 8;
/// Flags of the tree of free pages: its keys are numbers.
const FLAGS_OF_FREE: u16 = 8;
/// LMDB's own limit of a tree's depth.
pub(super) const DEPTH_MAX: u16 = 32;
/// More than any process can map.
const FILE_BYTES_MAX: u64 = 1 << 47;
/// How often, and after which pause, pages are read again that a writer may just be changing.
const ATTEMPTS_MAX: u32 = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// Where a state of the file begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meta {
    pub(super) page_bytes: u32,
    pub(super) free: TreeRecord,
    pub(super) main: TreeRecord,
    pub(super) last_page: u64,
    pub(super) transaction: u64,
}

/// Reads both pages; the newer one.
///
/// # Errors
/// [`Error::Corrupted`] if they make no sense, [`Error::Io`].
pub(super) fn newest(file: &mut File, path: &Path) -> Result<Meta> {
    let mut before = Pages::read(file)?;
    for _ in 0..ATTEMPTS_MAX {
        let what = match before.newest() {
            Ok(meta) => return Ok(meta),
            Err(what) => what,
        };
        // Read beside a writer, the two may be of different moments.
        std::thread::sleep(PAUSE);
        let pages = Pages::read(file)?;
        if pages == before {
            return Err(damage(file, path, &what));
        }
        before = pages;
    }
    before.newest().map_err(|what| damage(file, path, &what))
}

fn damage(file: &File, path: &Path, what: &str) -> Error {
    let path = path.display();
    match file.metadata().map(|metadata| metadata.len()) {
        Ok(n_bytes) if n_bytes < N_META_PAGES * super::address_space::page_bytes() => {
            Error::Corrupted(format!("{path} has {n_bytes} bytes only and lacks its first pages"))
        }
        _ => Error::Corrupted(format!("{path}: {what}")),
    }
}

/// The bytes of both pages, as far as they mean something; none of a page that isn't there.
#[derive(PartialEq, Eq)]
struct Pages([Option<[u8; META_BYTES]>; N_META_PAGES as usize]);

impl Pages {
    fn read(file: &mut File) -> Result<Pages> {
        let first = read_page(file, 0)?;
        // Where the first makes no sense, the second is of no use.
        let page_bytes = first.as_ref().and_then(|bytes| u32_at(bytes, 40)).unwrap_or_default();
        Ok(Pages([first, read_page(file, u64::from(page_bytes))?]))
    }

    /// The newer page; what is wrong if one of them, or both together, make no sense.
    fn newest(&self) -> std::result::Result<Meta, String> {
        let [first, second] = &self.0;
        let first = Meta::read(first, 0)?;
        let second = Meta::read(second, 1)?;
        if first.page_bytes != second.page_bytes {
            return Err(format!(
                "its two meta pages tell of pages of {} and of {} bytes",
                first.page_bytes, second.page_bytes
            ));
        }
        let (older, newer) =
            if first.transaction < second.transaction { (first, second) } else { (second, first) };
        // Each transaction replaces the older page, so they take turns.
        let is_new = (older.transaction, newer.transaction) == (0, 0);
        let is_turn = newer.transaction == older.transaction.saturating_add(1)
            && first.transaction.is_multiple_of(N_META_PAGES);
        if !is_new && !is_turn {
            return Err(format!(
                "its two meta pages are of the transactions {} and {}, which don't follow each other",
                first.transaction, second.transaction
            ));
        }
        if newer.last_page < older.last_page {
            return Err(format!(
                "the newer of its two meta pages has fewer pages than the older, {} and {}",
                newer.last_page, older.last_page
            ));
        }
        newer.check_trees()?;
        Ok(newer)
    }
}

fn read_page(file: &mut File, offset: u64) -> Result<Option<[u8; META_BYTES]>> {
    let mut bytes = [0; META_BYTES];
    Ok(read_at(file, offset, &mut bytes)?.then_some(bytes))
}

impl Meta {
    fn read(bytes: &Option<[u8; META_BYTES]>, page: u64) -> std::result::Result<Meta, String> {
        let of_page = |what: &str| format!("meta page {page} {what}");
        let bytes = bytes.as_ref().ok_or_else(|| of_page("is missing"))?;
        Meta::parse(bytes, page)
            .unwrap_or_else(|| Err("is too short".to_owned()))
            .map_err(|what| of_page(&what))
    }

    /// `None` if the bytes are too few, which they are not.
    fn parse(bytes: &[u8], page: u64) -> Option<std::result::Result<Meta, String>> {
        if u32_at(bytes, 16)? != MAGIC || u16_at(bytes, 10)? != FLAG_META {
            return Some(Err("is none: this is no database file, or it is damaged".to_owned()));
        }
        let version = u32_at(bytes, 20)?;
        if version != FORMAT_VERSION {
            return Some(Err(format!("tells of format {version}; this program knows {FORMAT_VERSION}")));
        }
        let number = u64_at(bytes, 0)?;
        if number != page {
            return Some(Err(format!("says that it is page {number}")));
        }
        let page_bytes = u32_at(bytes, 40)?;
        if !page_bytes.is_power_of_two() || !(256..=65_536).contains(&page_bytes) {
            return Some(Err(format!("tells of pages of {page_bytes} bytes")));
        }
        let meta = Meta {
            page_bytes,
            free: TreeRecord::read(bytes.get(40..)?)?,
            main: TreeRecord::read(bytes.get(88..)?)?,
            last_page: u64_at(bytes, 136)?,
            transaction: u64_at(bytes, 144)?,
        };
        Some(Ok(meta))
    }

    /// Whether the trees can be what is said of them, as far as no page of them is looked at.
    fn check_trees(&self) -> std::result::Result<(), String> {
        let last_page_max = FILE_BYTES_MAX / u64::from(self.page_bytes);
        if self.last_page < N_META_PAGES - 1 || self.last_page > last_page_max {
            return Err(format!("its last page can't be page {}", self.last_page));
        }
        for (name, tree, flags) in
            [("the free pages", &self.free, FLAGS_OF_FREE), ("the main tree", &self.main, 0)]
        {
            if tree.flags != flags {
                return Err(format!("{name} can't have the flags {:#x}", tree.flags));
            }
            tree.check(self.last_page).map_err(|what| format!("{name} {what}"))?;
        }
        Ok(())
    }
}

impl TreeRecord {
    /// Whether it can be a tree of a file with these pages.
    ///
    /// # Errors
    /// What makes no sense.
    pub(super) fn check(&self, last_page: u64) -> std::result::Result<(), String> {
        let is_empty = [self.depth == 0, self.root == NO_PAGE, self.n_entries == 0];
        if is_empty.iter().any(|is| *is) && !is_empty.iter().all(|is| *is) {
            return Err(format!("can't have {} entries at a depth of {}", self.n_entries, self.depth));
        }
        if self.depth > DEPTH_MAX {
            return Err(format!("can't have a depth of {}", self.depth));
        }
        if self.root != NO_PAGE && !(N_META_PAGES..=last_page).contains(&self.root) {
            return Err(format!("can't begin at page {} of {last_page}", self.root));
        }
        Ok(())
    }
}
