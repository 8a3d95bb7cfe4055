//! `cargo xtask publish-check`: everything that can be known before a release, and the order of publishing.

mod metadata;
mod order;

use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand, Package};
use clap::Args;

use crate::native_build::compiler::Compiler;
use crate::process::workspace_root;
use crate::{docs, git, process};

/// How thorough to be.
#[derive(Args)]
pub struct Options {
    /// Package crates without compiling what is in the packages
    #[arg(long)]
    no_verify: bool,
    /// Package files that are not committed
    #[arg(long)]
    allow_dirty: bool,
}

/// Runs all checks, then lists what is wrong.
///
/// # Errors
/// When anything is wrong.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let workspace = MetadataCommand::new().current_dir(workspace_root()).no_deps().exec()?;
    let packages = published(&workspace);
    let mut problems: Vec<String> = packages.iter().flat_map(|package| metadata::problems(package)).collect();
    println!("metadata and README of {} crates: {}", packages.len(), verdict(problems.is_empty()));
    let mut step = |name: &str, outcome: anyhow::Result<()>| {
        if let Err(error) = outcome {
            problems.push(format!("{name}: {error:#}"));
        }
    };
    step("minimum Rust version", minimum_rust(&packages));
    step("documentation", docs::run(&docs::Options::default()));
    step("packages", package(&packages, options));
    step("semantic versioning", semver(&packages));
    match order::sort(&packages) {
        Ok(sorted) => print_order(&sorted),
        Err(error) => step("order", Err(error)),
    }
    anyhow::ensure!(problems.is_empty(), "not ready to publish:\n  {}", problems.join("\n  "));
    println!("\nready to publish");
    Ok(())
}

/// The members that go to a registry; `publish = false` is an empty list of registries.
fn published(workspace: &Metadata) -> Vec<&Package> {
    let mut packages = workspace.workspace_packages();
    packages.retain(|package| package.publish.as_deref() != Some(&[]));
    packages
}

fn verdict(good: bool) -> &'static str {
    if good { "fine" } else { "not fine" }
}

/// All crates claim the same version, and where rustup has that toolchain, they compile with it.
fn minimum_rust(packages: &[&Package]) -> anyhow::Result<()> {
    let mut versions: Vec<String> = packages
        .iter()
        .filter_map(|package| package.rust_version.as_ref())
        .map(ToString::to_string)
        .collect();
    versions.sort();
    versions.dedup();
    let [minimum] = versions.as_slice() else {
        anyhow::bail!("the crates claim different minimum versions: {}", versions.join(", "));
    };
    let short = minimum.strip_suffix(".0").unwrap_or(minimum);
    let compiler = Compiler::detect()?;
    if compiler.version.starts_with(&format!("rustc {short}.")) {
        println!("minimum Rust {short} is what compiles here: {}", compiler.version);
        return Ok(());
    }
    let toolchains = Command::new("rustup").args(["toolchain", "list"]).output();
    let installed = toolchains.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).lines().any(|line| line.starts_with(short))
    });
    if !installed {
        println!("minimum Rust {short}: not tried, `rustup toolchain install {short}` brings it");
        return Ok(());
    }
    let names = packages.iter().flat_map(|package| ["--package", package.name.as_str()]);
    process::run(Command::new("rustup").args(["run", short, "cargo", "check", "--quiet"]).args(names))
}

/// Cargo packages all at once, so that crates find each other's packages though no registry has them yet.
fn package(packages: &[&Package], options: &Options) -> anyhow::Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["package", "--quiet"]);
    for package in packages {
        command.args(["--package", package.name.as_str()]);
    }
    if options.no_verify {
        command.arg("--no-verify");
    }
    if options.allow_dirty {
        command.arg("--allow-dirty");
    }
    process::run(&mut command)
}

/// Against the last release, where there is one and the tool that compares.
fn semver(packages: &[&Package]) -> anyhow::Result<()> {
    let Some(tag) = git::last_release_tag() else {
        println!("semantic versioning: no release tag yet, nothing to compare with");
        return Ok(());
    };
    let installed = Command::new("cargo")
        .args(["semver-checks", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !installed {
        println!(
            "semantic versioning since {tag}: not compared, `cargo install cargo-semver-checks` brings the tool"
        );
        return Ok(());
    }
    // Programs have no interface that others compile against.
    let libraries = packages.iter().filter(|package| package.targets.iter().any(|target| target.is_lib()));
    let names = libraries.flat_map(|package| ["--package", package.name.as_str()]);
    process::run(Command::new(env!("CARGO")).args(["semver-checks", "--baseline-rev", &tag]).args(names))
}

fn print_order(sorted: &[&Package]) {
    println!("\norder of publishing:");
    for (index, package) in sorted.iter().enumerate() {
        println!("  {:>2}. {} {}", index + 1, package.name, package.version);
    }
}
