//! Reads what criterion leaves in its folder: one `benchmark.json` and `estimates.json` a bench.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use serde::Deserialize;

use super::result::{Measurement, Role, Spread, Unit};

/// How deep a criterion folder is searched: group, function, parameter and `new`, with room.
const DEPTH_MAX: usize = 8;

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
    throughput: Option<Throughput>,
}

/// One of criterion's throughputs; those of several units at once aren't used here.
#[derive(Deserialize)]
enum Throughput {
    Bytes(u64),
    BytesDecimal(u64),
    Elements(u64),
    #[serde(untagged)]
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
    slope: Option<Estimate>,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// The figures in criterion's folder that were written at `since` or later, sorted by group as they were written.
///
/// # Errors
/// When a file can't be read or isn't what criterion writes.
pub fn collect(folder: &Path, suite: &str, since: SystemTime) -> anyhow::Result<Vec<Measurement>> {
    let mut files = Vec::new();
    find(folder, 0, &mut files)?;
    let mut found = Vec::new();
    for file in files {
        let written = fs::metadata(&file)?.modified()?;
        if written >= since {
            found.push((written, read(&file, suite)?));
        }
    }
    found.sort_by_key(|(written, _)| *written);
    Ok(found.into_iter().map(|(_, measurement)| measurement).collect())
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if depth > DEPTH_MAX || !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.ends_with("new/benchmark.json") {
            files.push(path);
        } else if path.is_dir() {
            find(&path, depth + 1, files)?;
        }
    }
    Ok(())
}

fn read(file: &Path, suite: &str) -> anyhow::Result<Measurement> {
    let benchmark: Benchmark = parse(file)?;
    let estimates: Estimates = parse(&file.with_file_name("estimates.json"))?;
    // The slope is the better estimate where criterion could fit one; it can't where iterations are few and long.
    let estimate = estimates.slope.unwrap_or(estimates.mean);
    let (unit, work) = match benchmark.throughput {
        Some(Throughput::Elements(count)) if count > 0 => (Unit::NsPerElement, count),
        Some(Throughput::Bytes(count) | Throughput::BytesDecimal(count)) if count > 0 => {
            (Unit::NsPerByte, count)
        }
        _ => (Unit::Ns, 1),
    };
    let each = |nanoseconds: f64| nanoseconds / work as f64;
    let function = benchmark.function_id.unwrap_or_else(|| benchmark.group_id.clone());
    let name = [Some(&benchmark.group_id), Some(&function), benchmark.value_str.as_ref()];
    Ok(Measurement {
        suite: suite.to_owned(),
        name: name.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" / "),
        group: benchmark.group_id,
        function,
        parameter: benchmark.value_str,
        role: Role::Own,
        unit,
        value: each(estimate.point_estimate),
        spread: Spread {
            low: each(estimate.confidence_interval.lower_bound),
            high: each(estimate.confidence_interval.upper_bound),
        },
        iteration_ns: estimate.point_estimate,
        work,
        ratio_to_peer: None,
        ratio_to_limit: None,
    })
}

fn parse<T: for<'de> Deserialize<'de>>(file: &Path) -> anyhow::Result<T> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} is not what criterion writes", file.display()))
}

/// Figures by `group / function / parameter`.
pub fn by_name(measurements: Vec<Measurement>) -> BTreeMap<String, Measurement> {
    measurements.into_iter().map(|measurement| (measurement.name.clone(), measurement)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_criterions_files() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("scan/persea/1000/new");
        fs::create_dir_all(&new).unwrap();
        fs::write(
            new.join("benchmark.json"),
            r#"{"group_id":"scan","function_id":"persea","value_str":"1000","throughput":{"Elements":1000},"full_id":"scan/persea/1000"}"#,
        )
        .unwrap();
        fs::write(
            new.join("estimates.json"),
            r#"{"mean":{"confidence_interval":{"confidence_level":0.95,"lower_bound":49000.0,"upper_bound":52000.0},"point_estimate":50000.0,"standard_error":1.0},"slope":null}"#,
        )
        .unwrap();
        let found = collect(folder.path(), "scan_filter", SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(found.len(), 1);
        let scan = &found[0];
        assert_eq!(scan.name, "scan / persea / 1000");
        assert_eq!((scan.unit, scan.value, scan.work), (Unit::NsPerElement, 50.0, 1000));
        assert_eq!((scan.spread.low, scan.spread.high), (49.0, 52.0));
        assert_eq!(scan.size(), Some(1000.0));
        assert_eq!(scan.rate().as_deref(), Some("20.0 M/s"));
        let later = SystemTime::now() + std::time::Duration::from_secs(3600);
        assert!(collect(folder.path(), "scan_filter", later).unwrap().is_empty());
    }
}
