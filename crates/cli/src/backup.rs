//! `persea backup`: a copy of a database folder.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use persea::maintenance::backup;
use persea_vpack::vpack;

use crate::output;
use crate::progress::{Display, Unit};

/// Copies a database folder into another one.
///
/// The copy holds everything that was acknowledged when the command began, all of it as of one commit, whose number is
/// printed. A server may be running on the folder: it is neither asked nor disturbed, but its file keeps the pages that
/// are copied, and may grow meanwhile. Without a server, commits that are only in the log are in the copy too.
///
/// The copy is complete in itself: `persea serve --data COPY` serves it, and copying the folder back restores it.
/// `persea check COPY` checks it.
#[derive(Args)]
#[command(after_help = "Example: persea backup --data /var/lib/persea --to /backups/2026-01-31")]
pub struct Options {
    /// Folder of the database
    #[arg(long, visible_alias = "database.directory", value_name = "DIR")]
    data: PathBuf,

    /// Folder of the copy; made if it is missing, and empty otherwise
    #[arg(long, visible_alias = "output-directory", value_name = "DIR")]
    to: PathBuf,

    /// Print one JSON object instead of a sentence, and show no progress
    #[arg(long)]
    json: bool,
}

/// Makes the copy.
///
/// # Errors
/// When there is no database, the target is not empty, or a file can't be read or written.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let is_empty = match std::fs::read_dir(&options.to) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(error).with_context(|| format!("cannot use {}", options.to.display())),
    };
    ensure!(is_empty, "{} is not empty; choose another folder for the copy", options.to.display());
    let begun = Instant::now();
    let mut display = Display::new(Unit::Bytes, options.json);
    let made = backup(&options.data, &options.to, &mut |progress| display.show(progress))
        .with_context(|| format!("cannot copy {}", options.data.display()))?;
    drop(display);
    let seconds = begun.elapsed().as_secs_f64();
    if options.json {
        return output::print_json(&vpack!({
            "from": (options.data.display().to_string()),
            "to": (options.to.display().to_string()),
            "commit": (made.commit),
            "bytes": (made.data_bytes),
            "seconds": seconds,
        }));
    }
    let size = output::bytes(made.data_bytes);
    let to = options.to.display();
    output::print(&format!(
        "copied {size} to {to} in {seconds:.1} s: everything up to commit {}\n",
        made.commit
    ))
}
