//! Project scripts: everything a contributor runs beside `cargo build`.
//!
//! Each subcommand is one file. `cargo xtask help` lists them.

mod check;
mod cpu;
mod demo;
mod layers;
mod native_build;
mod process;
mod test;

use clap::{Parser, Subcommand};

/// Build, check, test and try Persea.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the `persea` binary, optimised for this machine's CPU
    Build(native_build::Options),
    /// The quick loop: formatting, clippy with warnings as errors, layers, unit tests
    Check,
    /// Everything: the quick loop, golden AQL cases, HTTP tests against the real binary, driver checks
    Test(test::Options),
    /// Build, start a database in a temporary folder, import sample data and run queries over it
    Demo(demo::Options),
    /// Check that crates depend only on lower layers, and draw the layers
    Layers,
    /// Run the criterion benches, or only those whose name contains a text
    Bench {
        /// Only benches whose name contains this text
        filter: Option<String>,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Build(options) => native_build::run(&options).map(drop),
        Task::Check => check::run(),
        Task::Test(options) => test::run(&options),
        Task::Demo(options) => demo::run(&options),
        Task::Layers => layers::run(),
        Task::Bench { filter } => {
            let mut arguments = vec!["bench", "--package", "persea-benches"];
            if let Some(text) = &filter {
                arguments.extend(["--", text]);
            }
            process::cargo(&arguments)
        }
    }
}
