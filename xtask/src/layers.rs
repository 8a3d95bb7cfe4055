//! `cargo xtask layers`: a crate may depend only on crates further down the list.

use anyhow::{bail, ensure};
use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::process::workspace_root;

/// The layers from the top down: crate name, what it does, what it does not know.
///
/// `docs/architecture.md` tells the same at length. Adding a crate means adding it here.
const LAYERS: &[(&str, &str, &str)] = &[
    ("persea-cli", "the `persea` command", "how anything works"),
    ("persea-server", "HTTP API, cursors", "storage, plans"),
    ("persea", "the embeddable database", "HTTP"),
    ("persea-executor", "runs plans in batches", "HTTP, how keys are stored"),
    ("persea-graph", "traversals and path searches", "AQL syntax, storage"),
    ("persea-functions", "the AQL functions", "plans, storage"),
    ("persea-planner", "AST to plan, optimizer, explain", "storage, execution"),
    ("persea-aql", "lexer, parser, AST, printer", "collections, indexes"),
    ("persea-collections", "catalog, documents, indexes upkeep", "AQL"),
    ("persea-index", "definitions, key extraction", "collections, AQL"),
    ("persea-txn", "snapshots, write sets, commits", "documents"),
    ("persea-wal", "append-only log, group commit", "what the records mean"),
    ("persea-kv", "ordered key-value engines", "transactions above one batch"),
    ("persea-order", "AQL values, order, collation", "storage"),
    ("persea-json", "JSON text to and from VelocyPack", "AQL"),
    ("persea-vpack", "the one document format", "JSON text"),
    ("persea-numparse", "decimal text and integers", "everything"),
];

/// Members that are tools or benches: they stand outside the layers and may use all of them.
const OUTSIDE: &[&str] = &["xtask", "persea-benches"];

/// Checks every workspace member's dependencies and prints the layers as a picture.
///
/// # Errors
/// When a crate depends on one above it, or is missing from the list.
pub fn run() -> anyhow::Result<()> {
    let metadata = MetadataCommand::new().current_dir(workspace_root()).no_deps().exec()?;
    let mut upward = Vec::new();
    let mut picture = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if OUTSIDE.contains(&name) {
            continue;
        }
        let Some(layer) = position(name) else {
            bail!("crate `{name}` is in no layer: add it to xtask/src/layers.rs and docs/architecture.md");
        };
        let mut below: Vec<&str> = Vec::new();
        for dependency in &package.dependencies {
            let Some(target) = position(&dependency.name) else { continue };
            if dependency.kind == DependencyKind::Development {
                continue;
            }
            if target <= layer {
                upward.push(format!("`{name}` depends on `{}`, which is not below it", dependency.name));
            }
            below.push(LAYERS[target].0.trim_start_matches("persea-"));
        }
        below.sort_by_key(|short| {
            LAYERS.iter().position(|(full, ..)| full.trim_start_matches("persea-") == *short)
        });
        below.dedup();
        picture.push((layer, below));
    }
    picture.sort_by_key(|(layer, _)| *layer);
    print_picture(&picture);
    ensure!(upward.is_empty(), "dependencies that point upward:\n  {}", upward.join("\n  "));
    println!("{} crates, every dependency points down", picture.len());
    Ok(())
}

fn position(name: &str) -> Option<usize> {
    LAYERS.iter().position(|(layer, ..)| *layer == name)
}

fn print_picture(picture: &[(usize, Vec<&str>)]) {
    println!("  {:<20} {:<36} {:<30} stands on", "crate", "does", "does not know");
    for (layer, below) in picture {
        let (name, does, ignores) = LAYERS[*layer];
        println!("  {name:<20} {does:<36} {ignores:<30} {}", below.join(" "));
    }
}
