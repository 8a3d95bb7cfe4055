//! What to do where commits of the log are missing or can't be read.

/// For whoever is told of such damage.
pub const ADVICE: &str = "\
What to do: if the folder `log` was moved or replaced, bring it back as it was; or put a backup in the place of the whole
folder. Where neither can be had, start the server with --wal.ignore-damage: it goes on without the commits that are
missing or can't be read, and they are lost for good. `persea check` tells what is wrong and changes nothing.";

/// Whether such damage is why something failed.
pub fn is_cause_of(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref().is_some_and(persea::Error::is_log_damage))
}
