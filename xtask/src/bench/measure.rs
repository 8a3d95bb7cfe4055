//! Runs one suite with cargo and reads what criterion wrote.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::criterion;
use super::result::Measurement;
use super::suites::Suite;
use crate::native_build::flags::Flags;
use crate::process;

/// How to measure.
pub struct Settings {
    /// The target that flags go with.
    pub target: String,
    /// Compiler flags.
    pub flags: Flags,
    /// Only benches whose name contains this.
    pub filter: Option<String>,
    /// Short measuring, rough figures.
    pub quick: bool,
}

/// The arguments of a bench program that measures briefly.
pub const QUICK: &[&str] = &["--warm-up-time", "0.3", "--measurement-time", "0.8", "--nresamples", "10000"];

/// Runs the suite.
///
/// # Errors
/// When it doesn't build or fails, or criterion's files can't be read.
pub fn run(suite: &Suite, settings: &Settings) -> anyhow::Result<Vec<Measurement>> {
    let folder = folder(suite);
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "bench",
        "--package",
        &suite.package,
        "--bench",
        &suite.name,
        "--target",
        &settings.target,
    ]);
    settings.flags.apply(&mut command);
    command.env("CRITERION_HOME", &folder);
    if suite.criterion {
        command.arg("--").arg("--noplot").args(&settings.filter);
        if settings.quick {
            command.args(QUICK);
        }
    }
    // Files have the time of a coarse clock, which may lag behind this one.
    let since = SystemTime::now() - Duration::from_millis(50);
    process::run(&mut command)?;
    if !suite.criterion {
        println!(
            "   `{}` doesn't measure with criterion: its figures are printed, not collected",
            suite.name
        );
        return Ok(Vec::new());
    }
    criterion::collect(&folder, &suite.name, since)
}

/// Each suite has a folder of its own, so that a bench's suite is known and names can't clash.
fn folder(suite: &Suite) -> PathBuf {
    process::target_folder().join("criterion").join(&suite.name)
}
