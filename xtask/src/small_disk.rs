//! A file system that is soon full, for the tests of what happens then.

use std::path::PathBuf;
use std::process::Command;

use crate::process;

/// What the tests look for.
const VARIABLE: &str = "PERSEA_SMALL_DISK";
/// Enough for a server, and filled in a moment.
const MOUNT_OPTIONS: &str = "size=120m";

/// Mounted until it is dropped; nothing where that isn't allowed or there is no such thing.
pub struct SmallDisk(Option<PathBuf>);

impl SmallDisk {
    /// Mounts one below `target/`, unless the environment names one already.
    ///
    /// # Errors
    /// When the folder can't be made.
    pub fn mount() -> anyhow::Result<SmallDisk> {
        if std::env::var_os(VARIABLE).is_some() {
            return Ok(SmallDisk(None));
        }
        let folder = process::target_folder().join("small-disk");
        std::fs::create_dir_all(&folder)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", MOUNT_OPTIONS, "none"]).arg(&folder);
        if process::quiet(&mut mount).is_err() {
            println!("── what happens on a full disk is left out: a small file system can't be mounted here");
            println!("   {VARIABLE} may name a folder on one of about 120 MB");
            return Ok(SmallDisk(None));
        }
        Ok(SmallDisk(Some(folder)))
    }

    /// The environment variable that tells the tests of it.
    pub fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        self.0.iter().map(|folder| (VARIABLE, folder.clone())).collect()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if let Some(folder) = &self.0
            && let Err(error) = process::quiet(Command::new("umount").arg(folder))
        {
            println!("{error}");
        }
    }
}
