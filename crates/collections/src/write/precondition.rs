//! Revision checks before a write.

use persea_vpack::Slice;

use super::document::stored_revision;
use super::options::WriteOptions;
use crate::error::{Error, Result};
use crate::revision::Revision;

/// Checks the stored document against `if_match` and, unless revisions are ignored, the `_rev` in `given`.
///
/// # Errors
/// [`Error::RevisionMismatch`], also for text that is no revision.
pub(super) fn check_revision(
    collection: &str,
    key: &str,
    stored: Slice<'_>,
    given: Option<Slice<'_>>,
    options: &WriteOptions,
) -> Result<()> {
    let from_document = || {
        if options.ignore_revs { None } else { given?.get("_rev")?.as_str() }
    };
    let Some(expected) = options.if_match.as_deref().or_else(from_document) else {
        return Ok(());
    };
    let rev = stored_revision(stored);
    if Revision::parse(expected) == Some(rev) {
        return Ok(());
    }
    let id = format!("{collection}/{key}");
    Err(Error::RevisionMismatch { id, key: key.to_owned(), rev: rev.to_string() })
}

/// Whether the version attribute says that the write is stale: both sides hold a number that is not negative, and
/// the new one is not larger.
pub(super) fn is_stale(old: Slice<'_>, new: Slice<'_>, attribute: Option<&str>) -> bool {
    let version = |document: Slice<'_>| {
        let value = attribute.and_then(|name| document.get(name)).filter(|value| value.is_number())?;
        // Large integers are compared exactly, everything else as a double.
        let exact = value.as_u64().filter(|_| value.is_integer());
        let number = value.as_f64().filter(|number| *number >= 0.0)?;
        Some((exact, number))
    };
    match (version(old), version(new)) {
        (Some((Some(old), _)), Some((Some(new), _))) => new <= old,
        (Some((_, old)), Some((_, new))) => new <= old,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use persea_vpack::vpack;

    #[test]
    fn stale_versions() {
        for (old, new, expected) in [
            (vpack!({ "v": 1 }), vpack!({ "v": 2 }), false),
            (vpack!({ "v": 2 }), vpack!({ "v": 2 }), true),
            (vpack!({ "v": 3 }), vpack!({ "v": 2.5 }), true),
            (vpack!({ "v": -3 }), vpack!({ "v": 2 }), false),
            (vpack!({ "v": "x" }), vpack!({ "v": 2 }), false),
            (vpack!({ "v": 1 }), vpack!({}), false),
        ] {
            assert_eq!(is_stale(old.as_slice(), new.as_slice(), Some("v")), expected);
        }
        assert!(!is_stale(vpack!({ "v": 2 }).as_slice(), vpack!({ "v": 1 }).as_slice(), None));
    }
}
