//! `cargo xtask check`: the quick loop before every commit.

use crate::{layers, process};

/// Formatting, layers, clippy with warnings as errors, unit tests and doc examples of the libraries.
pub fn run() -> anyhow::Result<()> {
    process::cargo(&["fmt", "--all", "--check"])?;
    layers::run()?;
    process::cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    process::cargo(&["test", "--workspace", "--lib", "--bins", "--quiet"])
}
