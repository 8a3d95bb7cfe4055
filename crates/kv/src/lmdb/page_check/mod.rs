//! Checks the structure of a data file: every page of every tree, read by reads, so that a file that is cut off or
//! overwritten is reported where a mapped page would end the process.

mod node;
mod report;
mod walk;

use std::path::Path;

use self::node::KeyOrder;
pub use self::report::{PageProblem, PageReport, TreePages};
use self::walk::{Value, Walk};
use super::data_file::{DataFile, TreeRecord};
use super::environment::DATABASE_NAMES;
use super::folder_lock::NoWriter;
use super::meta_pages::Meta;
use super::{LmdbStore, Options};
use crate::store::Store;
use crate::{Error, Result};

/// Checks the newest state of the data file in a folder, also while a process writes to it. `progress` is called now and
/// then with the number of pages looked at and the number of all.
///
/// # Errors
/// [`Error::NoDatabase`]; [`Error::Corrupted`] when not even the first pages make sense, or when the file can't be opened
/// while a process writes to it; [`Error::Io`] when it can't be read; [`Error::AlreadyOpen`] and whatever else keeps a
/// sound file from being opened. What is wrong with pages is in the report.
pub fn check_pages(
    folder: &Path,
    options: &Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<PageReport> {
    // A snapshot keeps the writer from using the pages of this state again. Where the file can't be opened, which shows
    // what is wrong only roughly, nobody may be writing.
    let (store, _no_writer) = match LmdbStore::open_read_only(folder, options) {
        Ok(store) => (Some(store), None),
        Err(error @ (Error::Corrupted(_) | Error::Engine(_))) => {
            (None, Some(NoWriter::ensure(folder)?.ok_or(error)?))
        }
        Err(error) => return Err(error),
    };
    let _snapshot = store.as_ref().map(Store::snapshot).transpose()?;
    // The state of the meta page is not older than the snapshot, so its pages are kept as well.
    let mut file = DataFile::open(folder)?;
    loop {
        let again = DataFile::open(folder)?;
        if again.meta().transaction == file.meta().transaction
            && again.meta().last_page == file.meta().last_page
        {
            break;
        }
        file = again;
    }
    check(file, progress)
}

/// Checks a data file that nobody changes.
pub(super) fn check_file(path: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<PageReport> {
    check(DataFile::open_path(path)?, progress)
}

/// Checks the pages that LMDB uses for whatever is done: the main tree, the first pages of the trees in it, and the lists
/// of free pages.
///
/// # Errors
/// [`Error::Corrupted`] with the first problem, [`Error::Io`].
pub(super) fn check_ground(file: &mut DataFile) -> Result<()> {
    let meta = *file.meta();
    let mut progress = |_, _| {};
    let mut walk = Walk::new(file, &mut progress)?;
    for (name, record) in named_trees(&mut walk, &meta)? {
        walk.root(&String::from_utf8_lossy(&name), record)?;
    }
    free_pages(&mut walk, &meta)?;
    match walk.finish().problems.first() {
        None => Ok(()),
        Some(problem) => Err(Error::Corrupted(problem.to_string())),
    }
}

fn check(mut file: DataFile, progress: &mut dyn FnMut(u64, u64)) -> Result<PageReport> {
    let meta = *file.meta();
    let mut walk = Walk::new(&mut file, progress)?;
    let named = named_trees(&mut walk, &meta)?;
    for name in DATABASE_NAMES {
        let found = named.iter().find(|(key, _)| key == name.as_bytes()).map(|(_, record)| *record);
        let tree = match found {
            Some(record) => walk.tree(name, record, KeyOrder::Bytes, &mut |_, _, _| {})?,
            None => {
                walk.problem("main", meta.main.root, format!("the tree '{name}' is missing"));
                TreePages { name: name.to_owned(), ..TreePages::default() }
            }
        };
        walk.report.trees.push(tree);
    }
    free_pages(&mut walk, &meta)?;
    Ok(walk.finish())
}

/// Walks the main tree; the trees in it, by their names.
fn named_trees(walk: &mut Walk<'_>, meta: &Meta) -> Result<Vec<(Vec<u8>, TreeRecord)>> {
    let mut named: Vec<(Vec<u8>, TreeRecord)> = Vec::new();
    let mut bad_names = Vec::new();
    walk.tree("main", meta.main, KeyOrder::Bytes, &mut |page, key, value| match value {
        Value::Tree(record) => named.push((key.to_vec(), record)),
        _ => bad_names.push(page),
    })?;
    for page in bad_names {
        walk.problem("main", page, "an entry of the main tree is no tree".to_owned());
    }
    Ok(named)
}

/// Walks the tree of the free pages, and checks the lists in it.
fn free_pages(walk: &mut Walk<'_>, meta: &Meta) -> Result<()> {
    let mut free = Vec::new();
    walk.tree("free pages", meta.free, KeyOrder::Number, &mut |page, _, value| {
        if let Value::Bytes(bytes) = value {
            free.push((page, bytes.to_vec()));
        }
    })?;
    for (page, list) in free {
        walk.free_list(page, &list);
    }
    Ok(())
}
