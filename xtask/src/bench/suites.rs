//! The suites there are: the bench targets of the workspace.

use anyhow::bail;
use cargo_metadata::{MetadataCommand, TargetKind};

use crate::process::workspace_root;

/// One bench target.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The target's name.
    pub name: String,
    /// The package it belongs to.
    pub package: String,
    /// Whether it measures with criterion; others print figures of their own, which aren't collected.
    pub criterion: bool,
}

/// All suites, sorted by name.
pub fn all() -> anyhow::Result<Vec<Suite>> {
    let metadata = MetadataCommand::new().current_dir(workspace_root()).no_deps().exec()?;
    let mut suites = Vec::new();
    for package in metadata.workspace_packages() {
        let criterion = package.dependencies.iter().any(|dependency| dependency.name == "criterion");
        for target in package.targets.iter().filter(|target| target.kind.contains(&TargetKind::Bench)) {
            suites.push(Suite { name: target.name.clone(), package: package.name.to_string(), criterion });
        }
    }
    suites.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(suites)
}

/// The suites of these names, or without names all that measure with criterion.
///
/// # Errors
/// When a name is none of a suite; the message lists them.
pub fn chosen(names: &[String]) -> anyhow::Result<Vec<Suite>> {
    let suites = all()?;
    if names.is_empty() {
        return Ok(suites.into_iter().filter(|suite| suite.criterion).collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let Some(suite) = suites.iter().find(|suite| suite.name == *name) else {
            let known: Vec<&str> = suites.iter().map(|suite| suite.name.as_str()).collect();
            bail!("there is no suite `{name}`; there are {}", known.join(", "));
        };
        chosen.push(suite.clone());
    }
    Ok(chosen)
}
