//! Running other programs: a headline before each, a clear error after a failure.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// The workspace's top folder.
pub fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(Path::to_path_buf).unwrap_or_else(|| manifest.to_path_buf())
}

/// Cargo's target folder.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace_root().join("target"), PathBuf::from)
}

/// Runs `cargo` with these arguments in the workspace's top folder.
pub fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    run(Command::new(env!("CARGO")).args(arguments))
}

/// Runs a command in the workspace's top folder, printing its line first and its duration afterwards.
///
/// # Errors
/// When it can't be started or exits with a failure.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = shown(command);
    println!("── {line}");
    let started = Instant::now();
    if command.get_current_dir().is_none() {
        command.current_dir(workspace_root());
    }
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed with {status}");
    }
    println!("   done in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command without a word, unless it fails.
///
/// # Errors
/// When it can't be started or exits with a failure; the message holds what it printed as errors.
pub fn quiet(command: &mut Command) -> anyhow::Result<()> {
    let line = shown(command);
    let output = command.output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
