//! The files of runs: one JSON file each, the history with one line each, and the list that trackers read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::json;

use super::report::label;
use super::result::{Run, SCHEMA};
use crate::process::workspace_root;

/// The history, which whoever wants commits.
pub fn default_path() -> PathBuf {
    workspace_root().join("benches/history.jsonl")
}

/// Writes the run's own file and the tracker's list, and returns both paths.
///
/// # Errors
/// When they can't be written.
pub fn write(run: &Run) -> anyhow::Result<(PathBuf, PathBuf)> {
    let folder = workspace_root().join("target/bench-results");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let commit = run.commit.get(..10).unwrap_or("no-commit");
    let stamp: String = run.date.chars().filter(|sign| sign.is_ascii_alphanumeric()).collect();
    let file = folder.join(format!("{stamp}-{commit}.json"));
    fs::write(&file, serde_json::to_string_pretty(run)?)
        .with_context(|| format!("cannot write {}", file.display()))?;
    let list = folder.join("latest-list.json");
    fs::write(&list, tracker_list(run)?).with_context(|| format!("cannot write {}", list.display()))?;
    Ok((file, list))
}

/// Adds the run as one line.
///
/// # Errors
/// When the file can't be written.
pub fn append(path: &Path, run: &Run) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(run)?;
    line.push(b'\n');
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path);
    let file = file.as_mut().map_err(|error| anyhow::anyhow!("cannot open {}: {error}", path.display()))?;
    file.write_all(&line).with_context(|| format!("cannot write {}", path.display()))
}

/// All runs of a history, oldest first.
///
/// # Errors
/// When the file is missing, or a line is no run of a schema known here.
pub fn read(path: &Path) -> anyhow::Result<Vec<Run>> {
    let text = fs::read_to_string(path).with_context(|| {
        format!("there is no history in {}: run `cargo xtask bench` first", path.display())
    })?;
    let mut runs = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = || format!("{} line {}", path.display(), number + 1);
        let run: Run = serde_json::from_str(line).with_context(|| format!("{} is no run", place()))?;
        if run.schema != SCHEMA {
            bail!("{} has schema {}, this program knows {SCHEMA}", place(), run.schema);
        }
        runs.push(run);
    }
    runs.sort_by(|one, other| one.date.cmp(&other.date));
    Ok(runs)
}

/// `[{name, unit, value, range, extra}]`, smaller is better.
fn tracker_list(run: &Run) -> anyhow::Result<String> {
    let list: Vec<_> = run
        .results
        .iter()
        .map(|figure| {
            json!({
                "name": format!("{}: {} / {}", figure.suite, figure.group, label(figure)),
                "unit": figure.unit.name(),
                "value": figure.value,
                "range": format!("± {}", (figure.spread.high - figure.spread.low) / 2.0),
                "extra": run.machine.name,
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&list)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::machine;
    use super::super::ratios::{self, tests::measurement};
    use super::super::result::Run;
    use super::*;

    /// A run of one suite with a limit, a peer and sizes.
    pub(crate) fn run(date: &str, commit: &str, speed: f64) -> Run {
        let mut results = vec![
            measurement("read", "persea", None, 1_200.0 * speed),
            measurement("read", "another store", None, 1_500.0),
            measurement("read", "limit: plain store", None, 1_000.0),
        ];
        for size in [100, 1_000, 10_000, 100_000] {
            let parameter = size.to_string();
            results.push(measurement("scan", "persea", Some(&parameter), f64::from(size) * 40.0 * speed));
            results.push(measurement("scan", "limit: memory", Some(&parameter), f64::from(size) * 30.0));
        }
        ratios::fill_in(&mut results);
        Run {
            schema: SCHEMA,
            date: date.to_owned(),
            commit: commit.to_owned(),
            commit_date: date.to_owned(),
            modified: false,
            version: "0.1.0".to_owned(),
            compiler: "rustc 1.95.0".to_owned(),
            flags: "-C target-cpu=native".to_owned(),
            quick: false,
            machine: machine::describe(),
            results,
        }
    }

    #[test]
    fn what_is_appended_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        append(&path, &run("2026-02-01T00:00:00Z", "bbbb", 0.9)).unwrap();
        append(&path, &run("2026-01-01T00:00:00Z", "aaaa", 1.0)).unwrap();
        let runs = read(&path).unwrap();
        let commits: Vec<&str> = runs.iter().map(|run| run.commit.as_str()).collect();
        assert_eq!(commits, ["aaaa", "bbbb"]);
        assert_eq!(runs[0].results.len(), 11);
        assert_eq!(runs[0].results[0].ratio_to_limit.as_ref().map(|ratio| ratio.ratio), Some(1.2));
    }

    #[test]
    fn a_foreign_schema_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        let mut run = run("2026-02-01T00:00:00Z", "bbbb", 0.9);
        run.schema = 99;
        append(&path, &run).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("line 1 has schema 99"));
    }

    #[test]
    fn the_trackers_list_names_units_and_values() {
        let list: serde_json::Value =
            serde_json::from_str(&tracker_list(&run("2026-02-01T00:00:00Z", "bbbb", 1.0)).unwrap()).unwrap();
        assert_eq!(list[0]["name"], "suite: read / persea");
        assert_eq!(list[0]["unit"], "ns");
        assert_eq!(list[0]["value"], 1200.0);
    }
}
