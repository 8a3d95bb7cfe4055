//! What git knows about the checkout: commits, dates, whether files differ from them.

use std::process::Command;

use anyhow::{Context, bail};

use crate::process::workspace_root;

/// The state of the checkout that figures belong to.
pub struct Checkout {
    /// The commit's full hash; empty outside a git checkout.
    pub commit: String,
    /// When it was committed, in ISO 8601 form.
    pub commit_date: String,
    /// Whether tracked files differ from the commit.
    pub modified: bool,
}

/// Looks at the checkout. A source archive without git is no error: its commit is empty.
pub fn checkout() -> Checkout {
    let commit = output(&["rev-parse", "HEAD"]).unwrap_or_default();
    let commit_date = output(&["show", "--no-patch", "--format=%cI", "HEAD"]).unwrap_or_default();
    let modified =
        output(&["status", "--porcelain", "--untracked-files=no"]).is_ok_and(|text| !text.is_empty());
    Checkout { commit, commit_date, modified }
}

/// The full hash of a revision.
///
/// # Errors
/// When git doesn't know it.
pub fn resolve(revision: &str) -> anyhow::Result<String> {
    let commit = format!("{revision}^{{commit}}");
    output(&["rev-parse", "--verify", "--quiet", &commit])
        .with_context(|| format!("git knows no commit `{revision}`"))
}

/// The newest tag of a release below the current commit.
pub fn last_release_tag() -> Option<String> {
    output(&["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]).ok().filter(|tag| !tag.is_empty())
}

/// What a git command prints, without the white space around it.
///
/// # Errors
/// When git is missing or the command fails.
pub fn output(arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(workspace_root());
    let output = command.output().context("cannot start git")?;
    if !output.status.success() {
        bail!("`git {}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
