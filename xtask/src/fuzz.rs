//! `cargo xtask fuzz`: the fuzz targets of the crates, built with libFuzzer's coverage and AddressSanitizer.
//!
//! The targets are laid out as cargo-fuzz wants them (`crates/*/fuzz`), but it isn't needed: its compiler flags are
//! given here, and the unstable one among them works on a stable toolchain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use cargo_metadata::MetadataCommand;
use clap::Args;

use crate::native_build::compiler::Compiler;
use crate::native_build::flags::Flags;
use crate::process::{self, workspace_root};

/// What to fuzz and for how long.
#[derive(Args)]
pub struct Options {
    /// The targets, as CRATE/TARGET, CRATE or TARGET; all when none is given
    targets: Vec<String>,
    /// List the targets and do nothing else
    #[arg(long)]
    list: bool,
    /// Seconds for each target
    #[arg(long, value_name = "N", default_value_t = 30)]
    seconds: u32,
    /// Build the targets and run none
    #[arg(long)]
    no_run: bool,
}

/// One fuzz target.
struct Target {
    /// The crate's folder below `crates`.
    crate_name: String,
    name: String,
    folder: PathBuf,
}

impl Target {
    fn is_named(&self, text: &str) -> bool {
        text == self.name || text == self.crate_name || text == format!("{}/{}", self.crate_name, self.name)
    }
}

/// Builds and runs fuzz targets.
///
/// # Errors
/// When a target is unknown, doesn't build, or finds something: libFuzzer then names the file with the input.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let all = all()?;
    if options.list {
        for target in &all {
            println!("  {}/{}", target.crate_name, target.name);
        }
        return Ok(());
    }
    for name in &options.targets {
        ensure!(
            all.iter().any(|target| target.is_named(name)),
            "there is no fuzz target `{name}`: `cargo xtask fuzz --list` lists them"
        );
    }
    let compiler = Compiler::detect()?;
    let chosen = |target: &&Target| {
        options.targets.is_empty() || options.targets.iter().any(|name| target.is_named(name))
    };
    for target in all.iter().filter(chosen) {
        let program = build(target, &compiler)?;
        if !options.no_run {
            fuzz(target, &program, options.seconds)?;
        }
    }
    Ok(())
}

fn all() -> anyhow::Result<Vec<Target>> {
    let mut targets = Vec::new();
    let crates = workspace_root().join("crates");
    for entry in fs::read_dir(&crates).with_context(|| format!("cannot read {}", crates.display()))? {
        let folder = entry?.path().join("fuzz");
        if !folder.join("Cargo.toml").exists() {
            continue;
        }
        let crate_name =
            folder.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let metadata = MetadataCommand::new().current_dir(&folder).no_deps().exec()?;
        let programs =
            metadata.packages.iter().flat_map(|package| &package.targets).filter(|target| target.is_bin());
        for program in programs {
            targets.push(Target {
                crate_name: crate_name.clone(),
                name: program.name.clone(),
                folder: folder.clone(),
            });
        }
    }
    targets.sort_by(|one, other| (&one.crate_name, &one.name).cmp(&(&other.crate_name, &other.name)));
    Ok(targets)
}

fn build(target: &Target, compiler: &Compiler) -> anyhow::Result<PathBuf> {
    let flags = Flags::new([
        "-Cpasses=sancov-module",
        "-Cllvm-args=-sanitizer-coverage-level=4",
        "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
        "-Cllvm-args=-sanitizer-coverage-pc-table",
        "-Cllvm-args=-sanitizer-coverage-trace-compares",
        "--cfg=fuzzing",
        "-Cdebug-assertions=yes",
        "-Ccodegen-units=1",
        "-Zsanitizer=address",
        // It would move locals to the heap, and parsers tell the depth of their stack by the address of a local.
        "-Cllvm-args=-asan-use-after-return=never",
    ]);
    let folder = process::target_folder().join("fuzz");
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "build",
        "--release",
        "--quiet",
        "--target",
        &compiler.host,
        "--bin",
        &target.name,
        "--target-dir",
    ]);
    command.arg(&folder).current_dir(&target.folder).env("RUSTC_BOOTSTRAP", "1");
    flags.apply(&mut command);
    process::run(&mut command)?;
    Ok(folder.join(&compiler.host).join("release").join(&target.name))
}

fn fuzz(target: &Target, program: &Path, seconds: u32) -> anyhow::Result<()> {
    let corpus = target.folder.join("corpus").join(&target.name);
    let artifacts = target.folder.join("artifacts").join(&target.name);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut command = Command::new(program);
    command
        .arg(&corpus)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()));
    // The default of 1,200 seconds would sit out a hang for longer than the whole run.
    command.arg("-timeout=20").arg("-print_final_stats=1").current_dir(&target.folder);
    if let Err(error) = process::run(&mut command) {
        bail!(
            "{}/{} found something: {error:#}; inputs are in {}",
            target.crate_name,
            target.name,
            artifacts.display()
        );
    }
    Ok(())
}
