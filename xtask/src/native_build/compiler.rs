//! What the compiler at hand is and can do: host, LLVM, CPUs, features, installed targets.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::process::workspace_root;

/// The compiler that cargo will use.
pub struct Compiler {
    /// `rustc 1.95.0 (…)`.
    pub version: String,
    /// The triple it runs on.
    pub host: String,
    /// The version of its LLVM.
    pub llvm: String,
    /// Its folder.
    pub sysroot: PathBuf,
}

impl Compiler {
    /// Asks the compiler.
    ///
    /// # Errors
    /// When it can't be started, or its answer lacks the host.
    pub fn detect() -> anyhow::Result<Compiler> {
        let verbose = ask(&["--version", "--verbose"])?;
        let field = |name: &str| {
            verbose.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
        };
        Ok(Compiler {
            version: verbose.lines().next().unwrap_or_default().to_owned(),
            host: field("host:").context("`rustc --version --verbose` names no host")?,
            llvm: field("LLVM version:").unwrap_or_default(),
            sysroot: PathBuf::from(ask(&["--print", "sysroot"])?.trim()),
        })
    }

    /// The name of the CPU that `target-cpu=native` stands for here.
    pub fn native_cpu(&self) -> anyhow::Result<String> {
        let cpus = ask(&["--print", "target-cpus"])?;
        let line = cpus.lines().find(|line| line.trim_start().starts_with("native")).unwrap_or_default();
        let name = line.split_once("(currently ").and_then(|(_, rest)| rest.split_once(')'));
        Ok(name.map_or_else(|| "unknown".to_owned(), |(name, _)| name.to_owned()))
    }

    /// The features that code for this CPU is compiled with.
    pub fn features_of(&self, target: &str, cpu: Option<&str>) -> anyhow::Result<BTreeSet<String>> {
        let mut arguments = vec!["--print".to_owned(), "cfg".to_owned(), format!("--target={target}")];
        arguments.extend(cpu.map(|cpu| format!("-Ctarget-cpu={cpu}")));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let names = ask(&arguments)?;
        let features = names.lines().filter_map(|line| line.strip_prefix("target_feature=\""));
        Ok(features.map(|name| name.trim_end_matches('"').to_owned()).collect())
    }

    /// Makes sure that the standard library of a target is there.
    ///
    /// # Errors
    /// When the target is unknown or not installed; the message names the remedy.
    pub fn require_target(&self, target: &str) -> anyhow::Result<()> {
        let known = ask(&["--print", "target-list"])?;
        ensure!(known.lines().any(|line| line == target), "{} knows no target `{target}`", self.version);
        if !self.sysroot.join("lib/rustlib").join(target).join("lib").is_dir() {
            bail!(
                "the standard library of `{target}` is not installed: `rustup target add {target}` brings it"
            );
        }
        Ok(())
    }

    /// Whether the sources of the standard library are there, which instrumenting it needs.
    pub fn has_library_sources(&self) -> bool {
        self.sysroot.join("lib/rustlib/src/rust/library/std").is_dir()
    }
}

fn ask(arguments: &[&str]) -> anyhow::Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(arguments).current_dir(workspace_root());
    let output = command.output().context("cannot start rustc")?;
    if !output.status.success() {
        bail!("`rustc {}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
