//! Index names.

use unicode_normalization::is_nfc;

use crate::error::Error;

/// Longest index name, in bytes.
pub const NAME_BYTES_MAX: usize = 256;

/// The name of an index that was given none: `idx_` and a number of 19 digits.
pub(crate) fn auto_name(id: u64) -> String {
    format!("idx_{id:019}")
}

/// Checks a name given by a user: normalised text without `/` and control characters, not starting with a digit,
/// because `collection/digits` is an id.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let illegal = |reason: &str| Err(Error::IllegalName(format!("index name '{name}' {reason}")));
    if name.is_empty() {
        return illegal("is empty");
    }
    if name.len() > NAME_BYTES_MAX {
        return illegal(&format!("is longer than {NAME_BYTES_MAX} bytes"));
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        return illegal("starts with a digit");
    }
    if name.starts_with(' ') || name.ends_with(' ') {
        return illegal("starts or ends with a space");
    }
    if name.contains(|character: char| character == '/' || character.is_control()) {
        return illegal("has a '/' or a control character");
    }
    if !is_nfc(name) {
        return illegal("is not in Unicode normal form C");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for legal in ["a", "byName", "_x", "über", "a b", "idx_1", "名"] {
            assert_eq!(check_name(legal), Ok(()), "{legal:?}");
        }
        for illegal in ["", "1a", " a", "a ", "a/b", "a\u{0}", "a\n", "u\u{308}", &"x".repeat(257)] {
            assert!(matches!(check_name(illegal), Err(Error::IllegalName(_))), "{illegal:?}");
        }
        assert_eq!(auto_name(1_700_000_000_000_000_001), "idx_1700000000000000001");
    }
}
