//! A build guided by a profile: an instrumented binary works through the demo, the real one is laid out by what it did.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::compiler::Compiler;
use super::flags::Flags;
use crate::{demo, process};

/// The newest major version of LLVM whose tool is looked for by name; older ones follow down to [`LLVM_OLDEST`].
const LLVM_NEWEST: u32 = 30;
const LLVM_OLDEST: u32 = 13;

/// Builds instrumented, trains, merges the profile, and returns the flags that use it.
///
/// # Errors
/// When no `llvm-profdata` reads this compiler's profiles, or a step fails.
pub fn train(flags: &Flags, target: &str, compiler: &Compiler, verbose: bool) -> anyhow::Result<Flags> {
    let folder = process::workspace_root().join("target/pgo");
    let tool = find_tool(&folder, compiler)?;
    println!("  llvm-profdata    {}", tool.display());
    let raw = folder.join("raw");
    empty(&raw)?;
    let instrumented = flags.with(format!("-Cprofile-generate={}", raw.display()));
    let built = super::cargo_build(&instrumented, Some(target), verbose)?;
    let binary = folder.join("persea-instrumented");
    fs::copy(&built, &binary).with_context(|| format!("cannot copy {}", built.display()))?;
    println!("── train: the demo's data and queries");
    demo::train(&binary)?;
    let merged = folder.join("merged.profdata");
    process::run(Command::new(&tool).arg("merge").arg("-o").arg(&merged).arg(&raw))?;
    let profile = named_by_content(&merged)?;
    Ok(flags.with(format!("-Cprofile-use={}", profile.display())))
}

/// A tool that reads what this compiler writes: the format changes between versions of LLVM, so it is tried out.
fn find_tool(folder: &Path, compiler: &Compiler) -> anyhow::Result<PathBuf> {
    let sample = sample_profile(folder)?;
    let mut tried = Vec::new();
    for tool in candidates(compiler) {
        let output = folder.join("probe.profdata");
        let result = Command::new(&tool).arg("merge").arg("-o").arg(output).arg(&sample).output();
        match result {
            Ok(output) if output.status.success() => return Ok(tool),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let reason = text
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .rsplit(": ")
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                tried.push(format!("{}: {reason}", tool.display()));
            }
            // Not there.
            Err(_) => {}
        }
    }
    let tried = if tried.is_empty() { "none found".to_owned() } else { tried.join("\n  ") };
    bail!(
        "--pgo needs an llvm-profdata that reads profiles of LLVM {} ({}):\n  {tried}\n\
         `rustup component add llvm-tools` brings the fitting one; a distribution's package of LLVM of about the same \
         version does too",
        compiler.llvm,
        compiler.version,
    )
}

fn candidates(compiler: &Compiler) -> Vec<PathBuf> {
    let own = compiler.sysroot.join("lib/rustlib").join(&compiler.host).join("bin/llvm-profdata");
    let mut candidates = vec![own, PathBuf::from("llvm-profdata")];
    for major in (LLVM_OLDEST..=LLVM_NEWEST).rev() {
        candidates.push(PathBuf::from(format!("llvm-profdata-{major}")));
        candidates.push(PathBuf::from(format!("/usr/lib/llvm-{major}/bin/llvm-profdata")));
    }
    candidates
}

/// The profile of a program that does nothing.
fn sample_profile(folder: &Path) -> anyhow::Result<PathBuf> {
    let raw = folder.join("probe");
    empty(&raw)?;
    let source = raw.join("probe.rs");
    fs::write(&source, "fn main() {}\n")?;
    let program = raw.join("probe");
    let flag = format!("-Cprofile-generate={}", raw.display());
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    process::quiet(Command::new(rustc).arg(&source).arg("-o").arg(&program).arg(flag))?;
    process::quiet(&mut Command::new(&program))?;
    let mut files = fs::read_dir(&raw)?.flatten().map(|file| file.path());
    let profile = files.find(|path| path.extension().is_some_and(|extension| extension == "profraw"));
    profile.context("an instrumented program left no profile")
}

/// Cargo doesn't look into the profile; a name that changes with the content makes it build again.
fn named_by_content(merged: &Path) -> anyhow::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(merged)?);
    let named = merged.with_file_name(format!("persea-{:016x}.profdata", hasher.finish()));
    fs::rename(merged, &named)?;
    Ok(named)
}

fn empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}
