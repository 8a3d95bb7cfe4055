//! `cargo xtask bench --compare REV`: two commits on one machine, measured in turns.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, ensure};
use cargo_metadata::Message;

use super::measure::{QUICK, Settings};
use super::statistics::{self, Estimate};
use super::suites::Suite;
use super::worktree::Worktree;
use super::{criterion, result};
use crate::{git, process};

/// What a bench program is given when the rounds make up for the shortness of each.
const ROUND: &[&str] = &["--warm-up-time", "0.5", "--measurement-time", "2", "--nresamples", "10000"];

/// A built bench program.
struct Program {
    executable: PathBuf,
    /// Cargo runs benches in their package's folder, and so does this.
    package_folder: PathBuf,
}

/// Compares the checkout with a revision and prints ratios of times.
///
/// # Errors
/// When a revision is unknown, one side doesn't build, or a bench fails.
pub fn run(revision: &str, suites: &[Suite], rounds: usize, settings: &Settings) -> anyhow::Result<()> {
    ensure!(rounds >= 2, "a comparison needs two rounds at least");
    let commit = git::resolve(revision)?;
    let worktree = Worktree::of(&commit)?;
    println!("comparing the checkout with {revision} ({})", &commit[..10.min(commit.len())]);
    let old_target = process::target_folder().join("compare/target");
    for suite in suites.iter().filter(|suite| suite.criterion) {
        let Ok(old) = build(suite, worktree.folder(), Some(&old_target), settings) else {
            println!("   {revision} has no suite `{}` that builds: left out", suite.name);
            continue;
        };
        let new = build(suite, &process::workspace_root(), None, settings)?;
        let figures = in_turns(suite, &new, &old, rounds, settings)?;
        print(suite, revision, rounds, &figures);
    }
    Ok(())
}

fn build(
    suite: &Suite,
    folder: &Path,
    target: Option<&Path>,
    settings: &Settings,
) -> anyhow::Result<Program> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["bench", "--no-run", "--message-format", "json-render-diagnostics"]);
    command.args(["--package", &suite.package, "--bench", &suite.name, "--target", &settings.target]);
    if let Some(target) = target {
        command.arg("--target-dir").arg(target);
    }
    settings.flags.apply(&mut command);
    println!("── build {} in {}", suite.name, folder.display());
    let output =
        command.current_dir(folder).stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "`{}` does not build in {}", suite.name, folder.display());
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        if let (true, Some(executable)) = (artifact.target.name == suite.name, artifact.executable) {
            let package_folder =
                artifact.manifest_path.parent().map(Into::into).unwrap_or_else(|| folder.to_path_buf());
            return Ok(Program { executable: executable.into(), package_folder });
        }
    }
    anyhow::bail!("cargo built no program for `{}`", suite.name)
}

/// Times of both sides by bench, one pair a round.
type Figures = BTreeMap<String, Vec<(f64, f64)>>;

fn in_turns(
    suite: &Suite,
    new: &Program,
    old: &Program,
    rounds: usize,
    settings: &Settings,
) -> anyhow::Result<Figures> {
    let mut figures = Figures::new();
    for round in 0..rounds {
        println!("── {} round {} of {rounds}", suite.name, round + 1);
        // Who comes first changes each round, so that what slows the machine down over time hits both alike.
        let (new_times, old_times) = if round % 2 == 0 {
            let new_times = measure(suite, new, settings)?;
            (new_times, measure(suite, old, settings)?)
        } else {
            let old_times = measure(suite, old, settings)?;
            (measure(suite, new, settings)?, old_times)
        };
        for (name, new_time) in new_times {
            if let Some(old_time) = old_times.get(&name) {
                figures.entry(name).or_default().push((new_time, *old_time));
            }
        }
    }
    Ok(figures)
}

fn measure(suite: &Suite, program: &Program, settings: &Settings) -> anyhow::Result<BTreeMap<String, f64>> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut command = Command::new(&program.executable);
    command.args(["--bench", "--noplot"]).args(&settings.filter);
    command.args(if settings.quick { QUICK } else { ROUND });
    command.env("CRITERION_HOME", folder.path()).current_dir(&program.package_folder);
    process::quiet(&mut command)?;
    let figures = criterion::collect(folder.path(), &suite.name, SystemTime::UNIX_EPOCH)?;
    Ok(criterion::by_name(figures).into_iter().map(|(name, figure)| (name, figure.value)).collect())
}

fn print(suite: &Suite, revision: &str, rounds: usize, figures: &Figures) {
    println!(
        "\n{}: time now / time at {revision}, {rounds} rounds, 95 % confidence\n  {:<52} {:>12} {:>12} {:>7}  {:<15}",
        suite.name, "", "now", revision, "ratio", "interval"
    );
    for (name, pairs) in figures {
        let middle =
            |side: fn(&(f64, f64)) -> f64| result::duration(median(pairs.iter().map(side).collect()));
        let (now, then) = (middle(|pair| pair.0), middle(|pair| pair.1));
        match statistics::ratio(pairs) {
            Some(estimate) => println!("  {name:<52} {now:>12} {then:>12} {}", shown(&estimate)),
            None => println!("  {name:<52} {now:>12} {then:>12} too few rounds"),
        }
    }
}

fn shown(estimate: &Estimate) -> String {
    let interval = format!("{:.3} to {:.3}", estimate.low, estimate.high);
    format!("{:>7.3}  {interval:<15} {}", estimate.ratio, estimate.verdict())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
