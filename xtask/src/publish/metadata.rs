//! What the registry and its readers want to know of each crate.

use cargo_metadata::{DependencyKind, Package};

/// The registry's bounds.
const KEYWORDS_MAX: usize = 5;
const KEYWORD_LENGTH_MAX: usize = 20;
const CATEGORIES_MAX: usize = 5;

/// What is missing or wrong with a crate's metadata.
pub fn problems(package: &Package) -> Vec<String> {
    let mut problems = Vec::new();
    let mut expect = |right: bool, message: &str| {
        if !right {
            problems.push(format!("{}: {message}", package.name));
        }
    };
    expect(package.description.as_deref().is_some_and(|text| !text.trim().is_empty()), "no `description`");
    expect(package.license.is_some(), "no `license`");
    expect(package.repository.is_some(), "no `repository`");
    expect(package.rust_version.is_some(), "no `rust-version`");
    expect(!package.authors.is_empty(), "no `authors`");
    expect((1..=KEYWORDS_MAX).contains(&package.keywords.len()), "`keywords` must be one to five");
    expect(package.keywords.iter().all(|keyword| is_keyword(keyword)), "a keyword that the registry refuses");
    expect((1..=CATEGORIES_MAX).contains(&package.categories.len()), "`categories` must be one to five");
    expect(readme_has_text(package), "no README, or an empty one");
    // A path alone means nothing once the crate is published; development dependencies without a version are left out.
    let published =
        package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
    for dependency in published.filter(|dependency| dependency.path.is_some()) {
        expect(
            dependency.req.to_string() != "*",
            &format!("`{}` is depended on without a version", dependency.name),
        );
    }
    problems
}

fn is_keyword(keyword: &str) -> bool {
    keyword.len() <= KEYWORD_LENGTH_MAX
        && keyword.starts_with(|sign: char| sign.is_ascii_alphanumeric())
        && keyword.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-+".contains(sign))
}

fn readme_has_text(package: &Package) -> bool {
    let Some(folder) = package.manifest_path.parent() else { return false };
    let Some(readme) = &package.readme else { return false };
    std::fs::read_to_string(folder.join(readme)).is_ok_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_follow_the_registrys_rules() {
        for (keyword, right) in
            [("key-value", true), ("no_std", true), ("c++", true), ("-x", false), ("two words", false)]
        {
            assert_eq!(is_keyword(keyword), right, "{keyword}");
        }
        assert!(!is_keyword("a-keyword-of-more-than-twenty"));
    }
}
