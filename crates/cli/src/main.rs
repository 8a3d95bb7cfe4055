//! The `persea` command.

mod backup;
mod c_allocator;
mod check;
mod compact;
mod cpu_check;
mod log_damage;
mod output;
mod progress;
mod serve;
mod version;

use std::io::Write;
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
    /// Copy a database folder, also while a server writes to it
    Backup(backup::Options),
    /// Give the space of what was deleted back to the file system; no server may be running on the folder
    Compact(compact::Options),
    /// Check everything in a database folder, also while a server writes to it
    Check(check::Options),
    /// Tell what was built: version, target, features
    Version(version::Options),
}

fn main() -> ExitCode {
    // On Linux the loader has called it already.
    #[cfg(not(target_os = "linux"))]
    cpu_check::refuse_unfit_cpu();
    c_allocator::share_among_threads();
    let outcome = match Arguments::parse().command {
        Command::Serve(options) => serve::run(options),
        Command::Backup(options) => backup::run(&options),
        Command::Compact(options) => compact::run(&options),
        Command::Check(options) => return checked(check::run(&options)),
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

/// Tells damage apart from not being able to look for it.
fn checked(outcome: anyhow::Result<check::Verdict>) -> ExitCode {
    match outcome {
        Ok(check::Verdict::Clean) => ExitCode::SUCCESS,
        Ok(check::Verdict::Damaged) => ExitCode::from(1),
        Err(error) => {
            report(&error);
            ExitCode::from(2)
        }
    }
}

/// Tells a failure on standard error. When nobody reads that, the exit code tells.
fn report(error: &anyhow::Error) {
    let mut out = std::io::stderr();
    let _ = writeln!(out, "persea: {error:#}");
    if log_damage::is_cause_of(error) {
        let _ = writeln!(out, "\n{}", log_damage::ADVICE);
    }
}
