//! Runs the AQL cases of `tests/golden` on a database in memory, each with the optimizer's rules on and off.
//!
//! `PERSEA_GOLDEN=fill` writes the outcomes that were found into the files, to be read as a diff.
//! `PERSEA_GOLDEN_ONLY=text` runs only cases whose file or name contains the text.

#![allow(clippy::expect_used, reason = "a malformed case or setup has to fail the test at once")]

#[path = "golden/file.rs"]
mod file;
#[path = "golden/outcome.rs"]
mod outcome;
#[path = "golden/run.rs"]
mod run;

use std::path::{Path, PathBuf};

use file::GoldenFile;
use run::Runner;

#[test]
fn golden_cases() {
    let fill = std::env::var("PERSEA_GOLDEN").is_ok_and(|mode| mode == "fill");
    let only = std::env::var("PERSEA_GOLDEN_ONLY").unwrap_or_default();
    let mut failures = Vec::new();
    let mut n_cases = 0;
    for path in golden_paths() {
        let text = std::fs::read_to_string(&path).expect("a golden file is readable");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = GoldenFile::parse(&name, &text);
        let mut runner = Runner::new(&file);
        let mut corrections = Vec::new();
        for case in &file.cases {
            if !name.contains(&only) && !case.name.contains(&only) {
                continue;
            }
            for step in runner.run(case) {
                n_cases += 1;
                if let Some(failure) = step.failure {
                    failures.push(format!("{name}: {}\n{failure}", case.name));
                    corrections.push((step.outcome_lines, step.found));
                }
            }
        }
        if fill && !corrections.is_empty() {
            std::fs::write(&path, file::corrected(&text, corrections)).expect("a golden file is writable");
        }
    }
    assert!(n_cases > 0, "no golden cases found");
    assert!(
        failures.is_empty() || fill,
        "{} of {n_cases} golden outcomes differ:\n\n{}\n\n{} of {n_cases} golden outcomes differ",
        failures.len(),
        failures.join("\n\n"),
        failures.len(),
    );
}

fn golden_paths() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let entries = std::fs::read_dir(folder).expect("the folder of golden cases is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "aqltest"));
    paths.sort();
    paths
}
