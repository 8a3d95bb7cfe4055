//! `persea compact`: a data file without free pages.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use persea::maintenance::compact;
use persea_vpack::vpack;

use crate::output;
use crate::progress::{Display, Unit};

/// Gives the space of what was deleted back to the file system.
///
/// Deleted data leaves free pages in the file, which later writes use. Without this command the file never becomes
/// smaller. It writes a copy without free pages beside the file, checks it, and puts it in the place of the file at
/// once: if the command is stopped or the machine fails, the old file or the new one is there, whole. It needs as much
/// free space as the copy takes.
///
/// No server may be running on the folder, and no other process may be reading it.
#[derive(Args)]
#[command(after_help = "Example: persea compact /var/lib/persea")]
pub struct Options {
    /// Folder of the database
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print one JSON object instead of a sentence, and show no progress
    #[arg(long)]
    json: bool,
}

/// Compacts.
///
/// # Errors
/// When there is no database, somebody has it open, or the disk is full.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut display = Display::new(Unit::Bytes, options.json);
    let done = compact(&options.folder, &mut |progress| display.show(progress))
        .with_context(|| format!("cannot compact {}", options.folder.display()))?;
    drop(display);
    let seconds = begun.elapsed().as_secs_f64();
    if options.json {
        return output::print_json(&vpack!({
            "folder": (options.folder.display().to_string()),
            "bytesBefore": (done.bytes_before),
            "bytesAfter": (done.bytes_after),
            "seconds": seconds,
        }));
    }
    let (before, after) = (output::bytes(done.bytes_before), output::bytes(done.bytes_after));
    output::print(&format!("the data file had {before} and has {after} now; it took {seconds:.1} s\n"))
}
