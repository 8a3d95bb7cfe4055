//! `cargo xtask bench`: runs suites, collects their figures, keeps a history, compares commits.

mod compare;
mod criterion;
pub mod history;
pub mod machine;
mod measure;
mod numbers;
pub mod ratios;
pub mod report;
pub mod result;
mod statistics;
mod suites;
mod worktree;

use std::path::PathBuf;

use clap::Args;

use self::measure::Settings;
use self::result::{Run, SCHEMA};
use crate::git;
use crate::native_build::compiler::Compiler;
use crate::native_build::flags::Flags;

/// What to measure and how.
#[derive(Args)]
pub struct Options {
    /// The suites, by name; all when none is given
    suites: Vec<String>,
    /// List the suites and do nothing else
    #[arg(long)]
    list: bool,
    /// Only benches whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Measure briefly: rough figures, which don't go into the history
    #[arg(long)]
    quick: bool,
    /// Build for any CPU of this architecture instead of this very one
    #[arg(long)]
    portable: bool,
    /// Build this commit too and measure both in turns; nothing goes into the history
    #[arg(long, value_name = "REV")]
    compare: Option<String>,
    /// How often a comparison measures each side
    #[arg(long, value_name = "N", default_value_t = 6, requires = "compare")]
    rounds: usize,
    /// The file that the run is added to
    #[arg(long, value_name = "FILE", default_value_os_t = history::default_path())]
    history: PathBuf,
    /// Add the run to no history
    #[arg(long, conflicts_with = "history")]
    no_history: bool,
}

/// Runs the benches.
///
/// # Errors
/// When a suite is unknown, doesn't build or fails, or files can't be written.
pub fn run(options: &Options) -> anyhow::Result<()> {
    if options.list {
        return list();
    }
    let suites = suites::chosen(&options.suites)?;
    let compiler = Compiler::detect()?;
    let settings = Settings {
        target: compiler.host.clone(),
        flags: if options.portable { Flags::new([]) } else { Flags::native() },
        filter: options.filter.clone(),
        quick: options.quick,
    };
    if let Some(revision) = &options.compare {
        return compare::run(revision, &suites, options.rounds, &settings);
    }
    let mut run = empty_run(&compiler, &settings);
    for suite in &suites {
        run.results.extend(measure::run(suite, &settings)?);
    }
    ratios::fill_in(&mut run.results);
    if run.results.is_empty() {
        println!("no figures to collect");
        return Ok(());
    }
    report::print(&run);
    numbers::print(&run.results);
    keep(options, &run)
}

fn keep(options: &Options, run: &Run) -> anyhow::Result<()> {
    let (file, list) = history::write(run)?;
    println!("\n   run      {}\n   tracker  {}", file.display(), list.display());
    if options.quick || options.no_history {
        println!("   history  left as it is");
    } else {
        history::append(&options.history, run)?;
        println!("   history  {}; `cargo xtask dashboard` draws it", options.history.display());
    }
    Ok(())
}

fn empty_run(compiler: &Compiler, settings: &Settings) -> Run {
    let checkout = git::checkout();
    Run {
        schema: SCHEMA,
        date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        commit: checkout.commit,
        commit_date: checkout.commit_date,
        modified: checkout.modified,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        compiler: compiler.version.clone(),
        flags: settings.flags.shown(),
        quick: settings.quick,
        machine: machine::describe(),
        results: Vec::new(),
    }
}

fn list() -> anyhow::Result<()> {
    for suite in suites::all()? {
        let note = if suite.criterion { "" } else { " (prints its own figures; run it by name)" };
        println!("  {:<24} {}{note}", suite.name, suite.package);
    }
    Ok(())
}
