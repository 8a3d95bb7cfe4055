//! Checking a database folder: the log, the pages of LMDB's file, documents and index entries.

use std::path::Path;

use persea_collections::{Problem, needs_log, stored_commit};
use persea_kv::{Engine, Error as KvError, PageReport, check_pages};
use persea_wal::{Damage, Recovery};

use super::log_check::{LogReport, check_log};
use super::{Progress, storage_error};
use crate::error::{Error, Result};
use crate::instance::Instance;

/// Findings that a report lists; further ones are only counted.
const FINDINGS_MAX: usize = 1000;

/// Which part of a folder a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Area {
    /// The log.
    Log,
    /// The pages of LMDB's file.
    Pages,
    /// Documents, index entries, counts and the catalog.
    Documents,
}

impl Area {
    /// Its name: `log`, `pages` or `documents`.
    pub fn name(self) -> &'static str {
        match self {
            Area::Log => "log",
            Area::Pages => "pages",
            Area::Documents => "documents",
        }
    }
}

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// In which part.
    pub area: Area,
    /// Where: a file, or `database/collection`.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

/// What checking a collection has found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectionReport {
    /// Its database.
    pub database: String,
    /// Its name.
    pub name: String,
    /// Documents read.
    pub n_documents: u64,
    /// Index entries read.
    pub n_entries: u64,
    /// Problems found.
    pub n_problems: u64,
}

/// What checking a folder has found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckReport {
    /// The log.
    pub log: LogReport,
    /// LMDB's file; none if not even its first pages can be read.
    pub pages: Option<PageReport>,
    /// The commit whose state the documents were checked in; none if they were not, since what lies below is damaged.
    pub commit: Option<u64>,
    /// The collections.
    pub collections: Vec<CollectionReport>,
    /// Number of findings.
    pub n_findings: u64,
    /// The first findings.
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.n_findings == 0
    }

    fn add(&mut self, area: Area, place: impl Into<String>, what: impl Into<String>) {
        self.n_findings += 1;
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(Finding { area, place: place.into(), what: what.into() });
        }
    }
}

/// Checks everything in a folder, and changes nothing. Another process may be writing to it; its file keeps the pages that
/// are checked meanwhile, and may grow.
///
/// First the records of the log are compared with their checksums, then every page of LMDB's file is read and checked for
/// whether it is what leads to it says, and in the end each document and each index entry is read: every document has its
/// entries, every entry its document, and counts are right. What lies on damaged ground is not looked at.
///
/// # Errors
/// When there is no database, this process has it open, or a file can't be read. Damage is no error but in the report.
pub fn check(folder: &Path, watch: &mut dyn FnMut(Progress<'_>)) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    if !folder.join("data.mdb").exists() {
        return Err(storage_error(KvError::NoDatabase { path: folder.to_owned() }));
    }
    watch(Progress { step: "checking the log", done: 0, total: None });
    let log = check_log(&folder.join("log")).map_err(storage_error)?;
    report.log = LogReport::new(&log);
    for damage in report.log.damages.clone() {
        report.add(Area::Log, "log", damage);
    }
    let pages = check_pages(folder, &persea_kv::Options::default(), &mut |done, total| {
        watch(Progress { step: "checking pages", done, total: Some(total) });
    });
    match pages {
        Ok(pages) => {
            let n_unlisted = pages.n_problems - pages.problems.len() as u64;
            for problem in &pages.problems {
                report.add(Area::Pages, "data.mdb", problem.to_string());
            }
            report.n_findings += n_unlisted;
            report.pages = Some(pages);
        }
        Err(KvError::Corrupted(what)) => report.add(Area::Pages, "data.mdb", what),
        Err(error) => return Err(storage_error(error)),
    }
    if report.is_clean() {
        check_connection(folder, &log, &mut report)?;
    }
    if report.is_clean() {
        check_documents(folder, &mut report, watch)?;
    }
    Ok(report)
}

/// What the log has no more must be in LMDB's file. That is asked later than the log, which is only ever trimmed of what
/// the file has by then.
fn check_connection(folder: &Path, log: &Recovery, report: &mut CheckReport) -> Result<()> {
    let engine =
        Engine::open_lmdb_read_only(folder, &persea_kv::Options::default()).map_err(storage_error)?;
    let stored = stored_commit(&engine).map_err(storage_error)?.0;
    if let Some(damage) = log.missing_beginning(stored) {
        report.add(Area::Log, "log", damage.to_string());
    }
    // A log that was not there may have been begun since.
    if log.n_segments == 0 && needs_log(&engine).map_err(storage_error)? {
        let log = check_log(&folder.join("log")).map_err(storage_error)?;
        if log.n_segments == 0 {
            report.add(Area::Log, "log", Damage::gone(stored).to_string());
        }
    }
    Ok(())
}

fn check_documents(
    folder: &Path,
    report: &mut CheckReport,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<()> {
    let instance = match Instance::open_read_only(folder) {
        Ok(instance) => instance,
        Err(error) => return damage_or(error, report, "catalog"),
    };
    // One view for all, taken before the list is made: what comes later is not in it, and is skipped below.
    let view = instance.store().system()?.view()?;
    report.commit = Some(view.commit_seq().0);
    let mut collections = Vec::new();
    for name in instance.store().names() {
        let database = instance.store().database(&name)?;
        collections.extend(database.collections().into_iter().map(|collection| (name.clone(), collection)));
    }
    for (database, collection) in collections {
        let place = format!("{database}/{}", collection.name());
        let step = format!("checking {place}");
        let mut watch = |done| watch(Progress { step: &step, done, total: None });
        watch(0);
        let found = match view.verify(&collection, &mut watch) {
            Ok(found) => found,
            Err(persea_collections::Error::CollectionNotFound(_)) => continue,
            Err(error) => {
                damage_or(error.into(), report, &place)?;
                continue;
            }
        };
        report.collections.push(CollectionReport {
            database,
            name: collection.name().to_string(),
            n_documents: found.n_documents,
            n_entries: found.n_entries,
            n_problems: found.n_problems,
        });
        let n_unlisted = found.n_problems - found.problems.len() as u64;
        for problem in &found.problems {
            report.add(Area::Documents, place.clone(), Problem::to_string(problem));
        }
        report.n_findings += n_unlisted;
    }
    Ok(())
}

/// Notes damage that made reading impossible; other failures are the caller's.
fn damage_or(error: Error, report: &mut CheckReport, place: &str) -> Result<()> {
    let Error::Collections(inner) = &error else { return Err(error) };
    if inner.is_damage() {
        report.add(Area::Documents, place, inner.to_string());
        return Ok(());
    }
    Err(error)
}
