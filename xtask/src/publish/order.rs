//! The order of publishing: a crate comes after all it depends on.

use anyhow::bail;
use cargo_metadata::{DependencyKind, Package};

/// Sorts crates so that each comes after its dependencies; of those that are free to come, in the order given.
///
/// Development dependencies count only where they carry a version, since those stay in the published manifest.
///
/// # Errors
/// When crates depend on each other in a circle.
pub fn sort<'a>(packages: &[&'a Package]) -> anyhow::Result<Vec<&'a Package>> {
    let mut sorted: Vec<&Package> = Vec::new();
    let mut rest = packages.to_vec();
    while !rest.is_empty() {
        let free = rest
            .iter()
            .position(|package| needs(package).all(|name| !rest.iter().any(|other| *other.name == *name)));
        let Some(free) = free else {
            let names: Vec<&str> = rest.iter().map(|package| package.name.as_str()).collect();
            bail!("these depend on each other in a circle: {}", names.join(", "));
        };
        sorted.push(rest.remove(free));
    }
    Ok(sorted)
}

fn needs(package: &Package) -> impl Iterator<Item = &str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| {
            dependency.kind != DependencyKind::Development || dependency.req.to_string() != "*"
        })
        .map(|dependency| dependency.name.as_str())
}
