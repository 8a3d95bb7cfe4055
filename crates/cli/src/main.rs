//! The `persea` command.

mod cpu_check;
mod serve;
mod version;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Sanitizers watch the system's allocator only.
#[cfg(not(sanitized))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The memory allocator as `persea version` tells it.
const ALLOCATOR_NAME: &str = if cfg!(sanitized) { "system" } else { "mimalloc" };

/// Persea: a multi-model database (documents, graphs, key/value) that speaks ArangoDB's HTTP API and AQL.
#[derive(Parser)]
#[command(name = "persea", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the database server until SIGTERM or Ctrl-C
    Serve(serve::Options),
    /// Tell what was built: version, target, features
    Version(version::Options),
}

fn main() -> ExitCode {
    // On Linux the loader has called it already.
    #[cfg(not(target_os = "linux"))]
    cpu_check::refuse_unfit_cpu();
    let outcome = match Arguments::parse().command {
        Command::Serve(options) => serve::run(options),
        Command::Version(options) => version::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stderr, reason = "a command tells its failure on standard error")]
fn report(error: &anyhow::Error) {
    eprintln!("persea: {error:#}");
}
