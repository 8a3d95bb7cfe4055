//! `persea version`: what was built.

use clap::Args;
use persea_server::{BuildInfo, Fact};
use persea_vpack::Builder;

/// How to print it.
#[derive(Args)]
pub struct Options {
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// What this program knows of its making.
pub fn build_info() -> BuildInfo {
    BuildInfo {
        commit: env!("PERSEA_BUILT_COMMIT"),
        date: env!("PERSEA_BUILT_DATE"),
        target: env!("PERSEA_BUILT_TARGET"),
        profile: env!("PERSEA_BUILT_PROFILE"),
        compiler: env!("PERSEA_BUILT_COMPILER"),
        sanitizers: env!("PERSEA_BUILT_SANITIZERS"),
        allocator: crate::ALLOCATOR_NAME,
    }
}

/// Prints the version and what was compiled in.
///
/// # Errors
/// When the facts can't be built into JSON, or not be written.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let facts = build_info().facts();
    let text = if options.json { format!("{}\n", json(&facts)?) } else { table(&facts) };
    crate::output::print(&text)
}

fn table(facts: &[(&str, Fact)]) -> String {
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    facts.iter().map(|(name, fact)| format!("{name:<width$}  {fact}\n")).collect()
}

fn json(facts: &[(&str, Fact)]) -> anyhow::Result<String> {
    let mut builder = Builder::new();
    builder.open_object();
    for (name, fact) in facts {
        builder.key(name);
        match fact {
            Fact::Text(text) => {
                builder.add_str(text);
            }
            Fact::Flag(flag) => {
                builder.add_bool(*flag);
            }
            Fact::List(names) => {
                builder.open_array();
                for name in names {
                    builder.add_str(name);
                }
                builder.close();
            }
        }
    }
    builder.close();
    Ok(persea_json::to_string(builder.finish()?.as_slice()))
}
