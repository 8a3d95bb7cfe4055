//! `persea check`: whether everything in a database folder is as it should be.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use persea::maintenance::{Area, CheckReport, check};
use persea_vpack::{Builder, VPackBuf};

use crate::log_damage;
use crate::output::{self, table};
use crate::progress::{Display, Unit};

/// Checks everything in a database folder, and changes nothing.
///
/// Three things are checked, one after the other: each record of the log against its checksums; each page of the data
/// file for its structure, without mapping it, so that a file which is cut off is reported too; and each document and
/// index entry: every document has its entries in every index, every entry its document, and the counts are right.
/// When the log or a page is damaged, documents are not checked.
///
/// A server may be running on the folder: it is not disturbed, but its file keeps the pages that are checked, and may
/// grow meanwhile.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 everything is right, 1 damage was found, 2 it could not be checked.\n\nExample: persea check /var/lib/persea --json"
)]
pub struct Options {
    /// Folder of the database
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print one JSON object instead of tables, and show no progress
    #[arg(long)]
    json: bool,
}

/// How it turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong.
    Clean,
    /// Something is.
    Damaged,
}

/// Checks, and prints what was found.
///
/// # Errors
/// When there is no database or a file can't be read.
pub fn run(options: &Options) -> anyhow::Result<Verdict> {
    let begun = Instant::now();
    let mut display = Display::new(Unit::Things, options.json);
    let report = check(&options.folder, &mut |progress| display.show(progress))
        .with_context(|| format!("cannot check {}", options.folder.display()))?;
    drop(display);
    let seconds = begun.elapsed().as_secs_f64();
    if options.json {
        output::print_json(&json(&report, seconds)?)?;
    } else {
        output::print(&text(&report, seconds))?;
    }
    Ok(if report.is_clean() { Verdict::Clean } else { Verdict::Damaged })
}

fn text(report: &CheckReport, seconds: f64) -> String {
    let mut text = String::new();
    let log = &report.log;
    text.push_str(&format!(
        "log: {} records in {} files, {}, up to commit {}\n",
        log.n_records,
        log.n_segments,
        output::bytes(log.record_bytes),
        log.last_commit
    ));
    if let Some(tail) = &log.torn_tail {
        text.push_str(&format!("     ends in {tail}; what lies behind was never acknowledged\n"));
    }
    if let Some(pages) = &report.pages {
        text.push_str(&format!(
            "data file: {}, {} pages of {} bytes, {} of them free\n\n",
            output::bytes(pages.file_bytes),
            pages.n_pages,
            pages.page_bytes,
            pages.n_free_pages
        ));
        let mut rows =
            vec![["tree", "entries", "leaf pages", "branch pages", "overflow pages"].map(str::to_owned)];
        rows.extend(pages.trees.iter().map(|tree| {
            [
                tree.name.clone(),
                tree.n_entries.to_string(),
                tree.n_leaf_pages.to_string(),
                tree.n_branch_pages.to_string(),
                tree.n_overflow_pages.to_string(),
            ]
        }));
        text.push_str(&table(&rows));
    }
    match report.commit {
        Some(commit) => {
            let mut rows = vec![["collection", "documents", "index entries", "problems"].map(str::to_owned)];
            rows.extend(report.collections.iter().map(|collection| {
                [
                    format!("{}/{}", collection.database, collection.name),
                    collection.n_documents.to_string(),
                    collection.n_entries.to_string(),
                    collection.n_problems.to_string(),
                ]
            }));
            text.push_str(&format!("\n{}\nas of commit {commit}; ", table(&rows)));
        }
        None => text.push_str("\ndocuments were not checked, since they lie on damaged ground; "),
    }
    text.push_str(&format!("checked in {seconds:.1} s\n"));
    if report.is_clean() {
        text.push_str("nothing is wrong\n");
        return text;
    }
    text.push_str(&format!("\n{} problems:\n", report.n_findings));
    for finding in &report.findings {
        text.push_str(&format!("{}: {}: {}\n", finding.area.name(), finding.place, finding.what));
    }
    let n_unlisted = report.n_findings - report.findings.len() as u64;
    if n_unlisted > 0 {
        text.push_str(&format!("and {n_unlisted} more\n"));
    }
    if report.findings.iter().any(|finding| finding.area == Area::Log) {
        text.push_str(&format!("\n{}\n", log_damage::ADVICE));
    }
    text
}

fn json(report: &CheckReport, seconds: f64) -> anyhow::Result<VPackBuf> {
    let mut json = Builder::new();
    json.open_object();
    json.key("clean").add_bool(report.is_clean());
    json.key("seconds").add_f64(seconds);
    json.key("log").open_object();
    json.key("segments").add_u64(report.log.n_segments as u64);
    json.key("records").add_u64(report.log.n_records);
    json.key("bytes").add_u64(report.log.record_bytes);
    json.key("lastCommit").add_u64(report.log.last_commit);
    json.key("tornTail");
    match &report.log.torn_tail {
        Some(tail) => json.add_str(tail),
        None => json.add_null(),
    };
    json.close();
    json.key("pages");
    match &report.pages {
        None => {
            json.add_null();
        }
        Some(pages) => {
            json.open_object();
            json.key("fileBytes").add_u64(pages.file_bytes);
            json.key("pageBytes").add_u64(pages.page_bytes);
            json.key("pages").add_u64(pages.n_pages);
            json.key("free").add_u64(pages.n_free_pages);
            json.key("lost").add_u64(pages.n_lost_pages);
            json.key("trees").open_array();
            for tree in &pages.trees {
                json.open_object();
                json.key("name").add_str(&tree.name);
                json.key("entries").add_u64(tree.n_entries);
                json.key("leafPages").add_u64(tree.n_leaf_pages);
                json.key("branchPages").add_u64(tree.n_branch_pages);
                json.key("overflowPages").add_u64(tree.n_overflow_pages);
                json.close();
            }
            json.close();
            json.close();
        }
    }
    json.key("commit");
    match report.commit {
        Some(commit) => json.add_u64(commit),
        None => json.add_null(),
    };
    json.key("collections").open_array();
    for collection in &report.collections {
        json.open_object();
        json.key("database").add_str(&collection.database);
        json.key("name").add_str(&collection.name);
        json.key("documents").add_u64(collection.n_documents);
        json.key("indexEntries").add_u64(collection.n_entries);
        json.key("problems").add_u64(collection.n_problems);
        json.close();
    }
    json.close();
    json.key("problems").add_u64(report.n_findings);
    json.key("findings").open_array();
    for finding in &report.findings {
        json.open_object();
        json.key("area").add_str(finding.area.name());
        json.key("place").add_str(&finding.place);
        json.key("what").add_str(&finding.what);
        json.close();
    }
    json.close();
    json.close();
    Ok(json.finish()?)
}
