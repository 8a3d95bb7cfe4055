//! `cargo xtask build`: the `persea` binary, optimised for the CPU at hand.
//!
//! Flags go with an explicit `--target`, so that they reach neither build scripts nor macros, and cargo keeps what
//! they produce apart from what `cargo build` and `cargo test` use: nobody rebuilds for the other.

pub mod compiler;
pub mod flags;
mod pgo;
mod sanitizer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use clap::Args;

use self::compiler::Compiler;
use self::flags::Flags;
use self::sanitizer::Sanitizer;
use crate::cpu::Cpu;
use crate::{git, process};

/// How to build.
#[derive(Args, Default)]
pub struct Options {
    /// Build for any CPU of this architecture instead of this very one; hot paths choose at run time
    #[arg(long)]
    portable: bool,
    /// Build twice, the second time guided by a profile of the demo's work; needs llvm-profdata
    #[arg(long)]
    pgo: bool,
    /// Build with checks for memory errors or data races, in a folder of its own
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["portable", "pgo"])]
    sanitize: Option<Sanitizer>,
    /// Build for another target, portably; its standard library and a linker must be installed
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Show the compiler flags and cargo's own lines
    #[arg(long)]
    verbose: bool,
}

/// Builds and returns the binary's path: `target/release/persea`, unless another target or a sanitizer is asked for.
///
/// # Errors
/// When this toolchain can't do what is asked, with the reason; when the build fails.
pub fn run(options: &Options) -> anyhow::Result<PathBuf> {
    let compiler = Compiler::detect()?;
    println!("{}", Cpu::detect());
    println!("  compiler         {}, LLVM {}", compiler.version, compiler.llvm);
    let target = options.target.as_deref().unwrap_or(&compiler.host);
    compiler.require_target(target)?;
    let binary = match options.sanitize {
        Some(sanitizer) => sanitizer::build(sanitizer, target, &compiler, options.verbose)?,
        None => optimised(options, target, &compiler)?,
    };
    let bytes = fs::metadata(&binary).with_context(|| format!("no {}", binary.display()))?.len();
    println!("   {} ({:.1} MB)", binary.display(), bytes as f64 / 1e6);
    Ok(binary)
}

fn optimised(options: &Options, target: &str, compiler: &Compiler) -> anyhow::Result<PathBuf> {
    let here = target == compiler.host;
    let native = here && !options.portable;
    print_choice(native, target, compiler)?;
    let mut flags = if native { Flags::native() } else { Flags::new([]) };
    if options.pgo {
        ensure!(here, "--pgo runs what it builds: it can't build for {target} on {}", compiler.host);
        flags = pgo::train(&flags, target, compiler, options.verbose)?;
    }
    // A plain portable build is what `cargo build --release` does: share its files.
    let plain = here && !native && !options.pgo;
    let built = cargo_build(&flags, (!plain).then_some(target), options.verbose)?;
    if here && !plain { place(&built) } else { Ok(built) }
}

/// Runs cargo and returns where it puts the binary.
fn cargo_build(flags: &Flags, target: Option<&str>, verbose: bool) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--release", "--package", "persea-cli"]);
    let mut folder = process::target_folder();
    if let Some(target) = target {
        command.args(["--target", target]);
        folder.push(target);
    }
    announce(&mut command, flags, verbose);
    process::run(&mut command)?;
    Ok(folder.join("release/persea"))
}

/// Flags and facts for the build; shown when asked.
fn announce(command: &mut Command, flags: &Flags, verbose: bool) {
    flags.apply(command);
    if let Some(commit) = build_commit() {
        command.env("PERSEA_BUILD_COMMIT", commit);
    }
    if verbose {
        println!("  compiler flags   {}", flags.shown());
        command.arg("--verbose");
    }
}

/// The commit as the binary tells it.
fn build_commit() -> Option<String> {
    let checkout = git::checkout();
    let mark = if checkout.modified { "-modified" } else { "" };
    (!checkout.commit.is_empty()).then(|| format!("{}{mark}", checkout.commit))
}

/// Says which CPU the code is for, and how that differs from code for any CPU.
fn print_choice(native: bool, target: &str, compiler: &Compiler) -> anyhow::Result<()> {
    let baseline = compiler.features_of(target, None)?;
    if !native {
        println!("  target-cpu       the portable baseline of {target}");
        println!("  compiled in      {}", wrapped(baseline.iter().map(String::as_str)));
        println!("  at run time      hot paths look for more and use it where it is found");
        return Ok(());
    }
    let features = compiler.features_of(target, Some("native"))?;
    println!("  target-cpu       native, which is {}", compiler.native_cpu()?);
    let more: Vec<&str> = features.difference(&baseline).map(String::as_str).collect();
    let note = if more.is_empty() { "nothing".to_owned() } else { wrapped(more.into_iter()) };
    println!("  over baseline    {note}");
    println!("  the binary       refuses to start on a CPU that lacks any of them");
    Ok(())
}

/// Words over several lines, aligned with the first.
fn wrapped<'a>(words: impl Iterator<Item = &'a str>) -> String {
    const WIDTH: usize = 80;
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        if width > 0 && width + word.len() > WIDTH {
            text.push_str("\n                   ");
            width = 0;
        } else if width > 0 {
            text.push(' ');
        }
        text.push_str(word);
        width += word.len() + 1;
    }
    text
}

/// Puts the binary where people look for it.
fn place(built: &Path) -> anyhow::Result<PathBuf> {
    let folder = process::target_folder().join("release");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let binary = folder.join("persea");
    // A running server keeps its own file: replace the name, don't write into the file.
    let fresh = folder.join("persea.new");
    fs::copy(built, &fresh).with_context(|| format!("cannot copy {}", built.display()))?;
    fs::rename(&fresh, &binary).with_context(|| format!("cannot replace {}", binary.display()))?;
    Ok(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_code_has_at_least_the_baseline() {
        let compiler = Compiler::detect().unwrap();
        let baseline = compiler.features_of(&compiler.host, None).unwrap();
        let native = compiler.features_of(&compiler.host, Some("native")).unwrap();
        assert!(baseline.is_subset(&native));
    }

    #[test]
    fn unknown_and_missing_targets_are_told_apart() {
        let compiler = Compiler::detect().unwrap();
        let unknown = compiler.require_target("no-such-target").unwrap_err().to_string();
        assert!(unknown.contains("knows no target"), "{unknown}");
        compiler.require_target(&compiler.host).unwrap();
    }

    #[test]
    fn words_wrap() {
        let words = vec!["123456789"; 10];
        assert_eq!(wrapped(words.into_iter()).lines().count(), 2);
    }
}
