//! Looking after a database folder from outside: checking, copying and compacting it.
//!
//! ```
//! # fn main() -> Result<(), persea::Error> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path();
//! # drop(persea::Instance::open(path)?);
//! use persea::maintenance::{Progress, check};
//!
//! let report = check(path, &mut |_: Progress| {})?;
//! assert!(report.is_clean());
//! # Ok(()) }
//! ```

mod backup;
mod check;
mod compact;
mod log_check;

use std::path::Path;

pub use backup::{Backup, backup};
pub use check::{Area, CheckReport, CollectionReport, Finding, check};
pub use compact::{Compaction, compact};
pub use log_check::LogReport;

/// How far a long task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// What is being done.
    pub step: &'a str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is to do, if that is known.
    pub total: Option<u64>,
}

impl<'a> Progress<'a> {
    /// Nothing done yet of a step.
    pub fn new(step: &'a str) -> Progress<'a> {
        Progress { step, done: 0, total: None }
    }
}

/// Before a data file is copied, which reads it by its map: a page that is missing or makes no sense would end the process.
fn refuse_damaged_pages(folder: &Path, watch: &mut dyn FnMut(Progress<'_>)) -> crate::Result<()> {
    let pages = persea_kv::check_pages(folder, &persea_kv::Options::default(), &mut |done, total| {
        watch(Progress { step: "checking pages", done, total: Some(total) });
    });
    match pages.map_err(storage_error)?.problems.first() {
        Some(problem) => Err(storage_error(persea_kv::Error::Corrupted(problem.to_string()))),
        None => Ok(()),
    }
}

/// Failures of the layers that a folder consists of are those of its storage.
fn storage_error(error: impl Into<persea_collections::StorageError>) -> crate::Error {
    persea_collections::Error::from(error.into()).into()
}
