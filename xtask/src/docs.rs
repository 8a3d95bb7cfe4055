//! `cargo xtask docs`: the crates' documentation, a warning being an error.

use std::process::Command;

use clap::Args;

use crate::process;

/// What to do with it.
#[derive(Args, Default)]
pub struct Options {
    /// Open the result in a browser
    #[arg(long)]
    open: bool,
}

/// Builds the documentation of every member.
///
/// # Errors
/// When rustdoc warns: a broken link, say.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings");
    if options.open {
        command.arg("--open");
    }
    process::run(&mut command)?;
    println!("   {}", process::target_folder().join("doc").display());
    Ok(())
}
