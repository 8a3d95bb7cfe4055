//! Project scripts: everything a contributor runs beside `cargo build`.
//!
//! Each subcommand is one file. `cargo xtask help` lists them.

mod bench;
mod check;
mod cpu;
mod dashboard;
mod demo;
mod docs;
mod fuzz;
mod git;
mod layers;
mod native_build;
mod process;
mod publish;
mod small_disk;
mod soak;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Build, check, test, measure and try Persea.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_version_flag = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask demo                        see it work
  cargo xtask build                       target/release/persea for this CPU
  cargo xtask build --portable            the same for any CPU, for packages
  cargo xtask check                       before every commit
  cargo xtask bench point_read            one suite; `bench --list` lists them
  cargo xtask bench --compare main~10     is it faster than it was?
  cargo xtask fuzz vpack --seconds 300    the fuzz targets of one crate
  cargo xtask soak --minutes 60           crashes and races with fresh seeds";

#[derive(Subcommand)]
enum Task {
    /// Build the `persea` binary, optimised for this machine's CPU
    ///
    /// Prints what the CPU has and what the code is compiled for. The result is target/release/persea, except for
    /// another target or a sanitizer, whose path is printed. A binary that is built for features which a CPU lacks
    /// refuses to start there with a message.
    Build(native_build::Options),
    /// The quick loop: formatting, clippy with warnings as errors, layers, unit tests
    Check,
    /// Everything: the quick loop, golden AQL cases, HTTP tests against the real binary, driver checks
    Test(test::Options),
    /// Build, start a database in a temporary folder, import sample data and run queries over it
    Demo(demo::Options),
    /// Run benches by suite and keep their figures; or compare two commits
    ///
    /// A suite is a bench target of the workspace. Each run leaves a JSON file below target/bench-results, a line in
    /// benches/history.jsonl, and a name/unit/value list for trackers. docs/benchmarks.md describes them.
    Bench(bench::Options),
    /// Draw the history of benches as one HTML page that needs no network
    Dashboard(dashboard::Options),
    /// Fuzz the crates that have targets for it, with AddressSanitizer
    ///
    /// The corpus of a target is kept in crates/CRATE/fuzz/corpus, inputs that break it go to artifacts beside it.
    Fuzz(fuzz::Options),
    /// Run the randomized tests with fresh seeds for a while: models, crashes, kills, histories, lock graphs
    ///
    /// They take turns; each turn is one run of one test with a seed of its own, and says how it went. The first failure
    /// ends it with the command that replays it. Everything that is tested against a model or by crashing takes part:
    /// the log, the engines, transactions, documents, and 50 rounds of `kill -9` a turn of the real server.
    Soak(soak::Options),
    /// Check that crates depend only on lower layers, and draw the layers
    Layers,
    /// Build the crates' documentation, with warnings as errors
    Docs(docs::Options),
    /// Check that everything is ready to be published, and print the order
    ///
    /// Metadata, READMEs, minimum Rust version, documentation, packages, and semantic versioning since the last
    /// release tag where there is one. Publishes nothing.
    PublishCheck(publish::Options),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Build(options) => native_build::run(&options).map(drop),
        Task::Check => check::run(),
        Task::Test(options) => test::run(&options),
        Task::Demo(options) => demo::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Dashboard(options) => dashboard::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Soak(options) => soak::run(&options),
        Task::Layers => layers::run(),
        Task::Docs(options) => docs::run(&options),
        Task::PublishCheck(options) => publish::run(&options),
    }
}
