//! Another commit's files beside the checkout, for as long as they are needed.

use std::path::{Path, PathBuf};

use crate::{git, process};

/// A temporary git worktree; gone when dropped.
pub struct Worktree {
    folder: PathBuf,
}

impl Worktree {
    /// Checks a commit out below the target folder. The place is always the same: cargo then reuses what it built there.
    ///
    /// # Errors
    /// When git can't.
    pub fn of(commit: &str) -> anyhow::Result<Worktree> {
        let folder = process::target_folder().join("compare/tree");
        // One may be left of a run that was killed.
        let _ = remove(&folder);
        let path = folder.to_string_lossy();
        git::output(&["worktree", "add", "--detach", "--quiet", &path, commit])?;
        Ok(Worktree { folder })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.folder) {
            println!("   could not remove the worktree: {error:#}");
        }
    }
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        git::output(&["worktree", "remove", "--force", &folder.to_string_lossy()])?;
    }
    git::output(&["worktree", "prune"])?;
    Ok(())
}
