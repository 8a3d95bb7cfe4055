//! Builds that watch themselves: AddressSanitizer and ThreadSanitizer.

use std::path::PathBuf;
use std::process::Command;

use anyhow::ensure;
use clap::ValueEnum;

use super::compiler::Compiler;
use super::flags::Flags;
use crate::process;

/// What to watch for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sanitizer {
    /// Memory errors: use after free, out of bounds, leaks
    Address,
    /// Data races; needs the standard library's sources
    Thread,
}

impl Sanitizer {
    fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Thread => "thread",
        }
    }

    fn runtime(self) -> &'static str {
        match self {
            Sanitizer::Address => "asan",
            Sanitizer::Thread => "tsan",
        }
    }
}

/// Builds in a folder of its own, because build scripts see another kind of compiler there.
///
/// # Errors
/// When this toolchain can't do it, with the reason; when the build fails.
pub fn build(
    sanitizer: Sanitizer,
    target: &str,
    compiler: &Compiler,
    verbose: bool,
) -> anyhow::Result<PathBuf> {
    require(sanitizer, target, compiler)?;
    let name = sanitizer.name();
    let mut flags = Flags::new(["-Cforce-frame-pointers=yes"]).with(format!("-Zsanitizer={name}"));
    if sanitizer == Sanitizer::Address {
        // It would move locals to the heap, and parsers tell the depth of their stack by the address of a local.
        flags = flags.with("-Cllvm-args=-asan-use-after-return=never".to_owned());
    }
    let folder = process::workspace_root().join(format!("target/sanitize-{name}"));
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["build", "--release", "--package", "persea-cli", "--target", target, "--target-dir"])
        .arg(&folder);
    // The flag is unstable; the compiler of a stable toolchain accepts it when told that this is meant.
    command.env("RUSTC_BOOTSTRAP", "1");
    if sanitizer == Sanitizer::Thread {
        command.arg("-Zbuild-std=std,panic_unwind");
    }
    super::announce(&mut command, &flags, verbose);
    println!(
        "  allocator        the system's, which the sanitizer watches; C code (LMDB) is not instrumented"
    );
    process::run(&mut command)?;
    Ok(folder.join(target).join("release/persea"))
}

fn require(sanitizer: Sanitizer, target: &str, compiler: &Compiler) -> anyhow::Result<()> {
    let name = sanitizer.name();
    let libraries = compiler.sysroot.join("lib/rustlib").join(target).join("lib");
    let runtime = format!("_rt.{}.a", sanitizer.runtime());
    let files = std::fs::read_dir(&libraries).into_iter().flatten().flatten();
    let present = files.into_iter().any(|file| file.file_name().to_string_lossy().ends_with(&runtime));
    ensure!(
        present,
        "{} has no {name} sanitizer for {target}: no `librustc-…{runtime}` in {}",
        compiler.version,
        libraries.display()
    );
    ensure!(
        sanitizer != Sanitizer::Thread || compiler.has_library_sources(),
        "the thread sanitizer needs a standard library that is instrumented too: the shipped one is not, the compiler \
         refuses to mix the two, and mixed all the same they report races that are none. Building it needs its \
         sources, which this toolchain lacks: `rustup component add rust-src` brings them"
    );
    Ok(())
}
