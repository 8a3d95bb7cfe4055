//! `cargo xtask test`: every check the project has, in the order of their cost.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;

use crate::small_disk::SmallDisk;
use crate::{check, docs, native_build, process};

/// What to leave out.
#[derive(Args)]
pub struct Options {
    /// Leave out the checks with client drivers, which install packages from their registries
    #[arg(long)]
    no_drivers: bool,
}

/// Locks and commits under a model checker, which needs a build of its own.
const INTERLEAVINGS: [&str; 8] =
    ["test", "--quiet", "-p", "persea-txn", "--features", "shuttle", "--test", "interleavings"];

/// What builds and runs longer than this on a slow machine hangs, and had better say so than use up all the time there is.
const STAGE_MAX: Duration = Duration::from_secs(45 * 60);

/// Runs the quick loop, all integration and documentation tests, then the drivers against the real binary.
pub fn run(options: &Options) -> anyhow::Result<()> {
    check::run()?;
    {
        let disk = SmallDisk::mount()?;
        process::cargo_within(&["test", "--workspace", "--test", "*"], &disk.variables(), STAGE_MAX)?;
    }
    process::cargo_within(&INTERLEAVINGS, &[], STAGE_MAX)?;
    process::cargo(&["test", "--workspace", "--doc", "--quiet"])?;
    docs::run(&docs::Options::default())?;
    if !options.no_drivers {
        let binary = native_build::run(&native_build::Options::default())?;
        old_cpu(&binary)?;
        python_driver(&binary)?;
        javascript_driver(&binary)?;
    }
    Ok(())
}

/// The native binary on an emulated CPU from before its features: it must refuse with a message.
fn old_cpu(binary: &Path) -> anyhow::Result<()> {
    let emulator = "qemu-x86_64";
    if cfg!(not(target_arch = "x86_64")) || process::quiet(Command::new(emulator).arg("--version")).is_err() {
        println!("── the start on an old CPU is left out, since {emulator} is not installed");
        return Ok(());
    }
    let output = Command::new(emulator).args(["-cpu", "qemu64"]).arg(binary).arg("version").output()?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.code() == Some(1) && message.contains("built for features that this CPU"),
        "on an old CPU the binary ended with {} and said: {message}",
        output.status
    );
    println!("── on an old CPU the binary refuses to start");
    Ok(())
}

/// python-arango against the release binary, in a virtual environment below `target/`.
fn python_driver(binary: &Path) -> anyhow::Result<()> {
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

/// arangojs against the release binary; only where Node.js is installed.
fn javascript_driver(binary: &Path) -> anyhow::Result<()> {
    if process::quiet(Command::new("npm").arg("--version")).is_err() {
        println!("── the JavaScript driver is left out, since Node.js is not installed");
        return Ok(());
    }
    let folder = process::workspace_root().join("tests/drivers/js");
    process::run(Command::new("npm").args(["ci", "--ignore-scripts", "--silent"]).current_dir(&folder))?;
    process::run(Command::new("node").arg("--test").current_dir(&folder).env("PERSEA_BINARY", binary))
}
