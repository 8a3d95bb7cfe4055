//! `persea version`: what was built.

use clap::Args;
use persea_vpack::{Slice, vpack};

/// How to print it.
#[derive(Args)]
pub struct Options {
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Prints the version and what was compiled in.
#[allow(clippy::print_stdout, reason = "printing is what this command is for")]
pub fn run(options: &Options) -> anyhow::Result<()> {
    let facts = vpack!({
        "version": env!("CARGO_PKG_VERSION"),
        "compatible-with": (format!("ArangoDB {}", persea_server::COMPATIBLE_VERSION)),
        "architecture": (std::env::consts::ARCH),
        "operating-system": (std::env::consts::OS),
        "allocator": "mimalloc",
        "storage-engine": "LMDB",
        "debug-assertions": (cfg!(debug_assertions)),
    });
    if options.json {
        println!("{}", persea_json::to_string(facts.as_slice()));
        return Ok(());
    }
    for (name, value) in facts.as_slice().object_iter() {
        println!("{name:<18} {}", shown(value));
    }
    Ok(())
}

fn shown(value: Slice<'_>) -> String {
    value.as_str().map_or_else(|| persea_json::to_string(value), str::to_owned)
}
