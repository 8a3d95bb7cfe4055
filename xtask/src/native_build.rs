//! `cargo xtask build`: the `persea` binary, optimised for the CPU at hand.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::cpu::Cpu;
use crate::process;

/// How to build.
#[derive(Args, Default)]
pub struct Options {
    /// Build for any CPU of this architecture instead of this very one
    #[arg(long)]
    portable: bool,
    /// Show the compiler flags and cargo's own lines
    #[arg(long)]
    verbose: bool,
}

/// Builds `target/release/persea` and returns its path.
pub fn run(options: &Options) -> anyhow::Result<PathBuf> {
    let cpu = Cpu::detect();
    println!("{cpu}");
    let flags = if options.portable { "" } else { "-C target-cpu=native" };
    println!("  target-cpu {}", if options.portable { "baseline (portable)" } else { "native" });
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--release", "--package", "persea-cli"]);
    if options.verbose {
        println!("  RUSTFLAGS  {}", if flags.is_empty() { "(none)" } else { flags });
        command.arg("--verbose");
    }
    if !flags.is_empty() {
        command.env("RUSTFLAGS", flags);
    }
    process::run(&mut command)?;
    let binary = process::workspace_root().join("target/release/persea");
    println!("   {}", binary.display());
    Ok(binary)
}
