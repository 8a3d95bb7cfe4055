//! Compiler flags for cargo, added to those that the environment already asks for.

use std::process::Command;

/// Flags that are passed to every crate of the target, and to no build script or macro.
#[derive(Clone, Debug, Default)]
pub struct Flags(Vec<String>);

impl Flags {
    /// The environment's own flags, then these.
    pub fn new<const N: usize>(flags: [&str; N]) -> Flags {
        let asked = std::env::var("RUSTFLAGS").unwrap_or_default();
        Flags(asked.split_whitespace().chain(flags).map(str::to_owned).collect())
    }

    /// Tuned for the CPU at hand.
    pub fn native() -> Flags {
        Flags::new(["-Ctarget-cpu=native"])
    }

    /// The same and one more.
    #[must_use]
    pub fn with(&self, flag: String) -> Flags {
        let mut flags = self.clone();
        flags.0.push(flag);
        flags
    }

    /// Hands them to a cargo command. A flag may hold white space, a path say.
    pub fn apply(&self, command: &mut Command) {
        if !self.0.is_empty() {
            command.env("CARGO_ENCODED_RUSTFLAGS", self.0.join("\x1f"));
        }
    }

    /// As text for people.
    pub fn shown(&self) -> String {
        if self.0.is_empty() { "(none)".to_owned() } else { self.0.join(" ") }
    }
}
