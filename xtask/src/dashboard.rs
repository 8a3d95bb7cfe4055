//! `cargo xtask dashboard`: one HTML page from the history of benches, which needs no network and no script.

mod axis;
#[cfg(test)]
mod browser_test;
mod chart;
mod page;
mod series;
mod table;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use crate::bench::history;
use crate::process;

/// From what, to where.
#[derive(Args)]
pub struct Options {
    /// The history to draw
    #[arg(long, value_name = "FILE", default_value_os_t = history::default_path())]
    history: PathBuf,
    /// Where the page goes
    #[arg(long, value_name = "FILE", default_value_os_t = process::target_folder().join("dashboard/index.html"))]
    output: PathBuf,
}

/// Writes the page.
///
/// # Errors
/// When the history is missing or damaged, or the page can't be written.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let runs = history::read(&options.history)?;
    ensure!(!runs.is_empty(), "{} holds no run", options.history.display());
    if let Some(folder) = options.output.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(&options.output, page::page(&runs))
        .with_context(|| format!("cannot write {}", options.output.display()))?;
    println!("   {} runs drawn in {}", runs.len(), options.output.display());
    Ok(())
}
