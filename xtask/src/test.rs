//! `cargo xtask test`: every check the project has, in the order of their cost.

use std::process::Command;

use clap::Args;

use crate::{check, docs, native_build, process};

/// What to leave out.
#[derive(Args)]
pub struct Options {
    /// Leave out the checks with client drivers, which install packages from their registries
    #[arg(long)]
    no_drivers: bool,
}

/// Runs the quick loop, all integration and documentation tests, then the drivers against the real binary.
pub fn run(options: &Options) -> anyhow::Result<()> {
    check::run()?;
    process::cargo(&["test", "--workspace", "--test", "*"])?;
    process::cargo(&["test", "--workspace", "--doc", "--quiet"])?;
    docs::run(&docs::Options::default())?;
    if !options.no_drivers {
        python_driver()?;
    }
    Ok(())
}

/// python-arango against the release binary, in a virtual environment below `target/`.
fn python_driver() -> anyhow::Result<()> {
    let binary = native_build::run(&native_build::Options::default())?;
    let venv = process::workspace_root().join("target/driver-venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let requirements = "tests/drivers/python/requirements.txt";
    process::run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        requirements,
    ]))?;
    process::run(
        Command::new(&python)
            .args(["-m", "pytest", "-q", "tests/drivers/python"])
            .env("PERSEA_BINARY", binary),
    )
}
