//! Naming rules of databases, collections and indexes.

use unicode_normalization::is_nfc;

use crate::error::{Error, Result};

const DATABASE_BYTES_TRADITIONAL_MAX: usize = 64;
const DATABASE_BYTES_EXTENDED_MAX: usize = 128;
const COLLECTION_BYTES_MAX: usize = 256;

/// Which characters names may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamingRules {
    /// ASCII letters, digits, underscore and dash.
    Traditional,
    /// Any normalised UTF-8 text, with few exceptions.
    #[default]
    Extended,
}

/// Checks the name of a user database.
///
/// # Errors
/// [`Error::DatabaseNameInvalid`].
pub fn check_database_name(name: &str, rules: NamingRules) -> Result<()> {
    let legal = match rules {
        NamingRules::Traditional => {
            name.len() <= DATABASE_BYTES_TRADITIONAL_MAX
                && name.starts_with(|first: char| first.is_ascii_alphabetic())
                && is_plain(name)
        }
        NamingRules::Extended => {
            name.len() <= DATABASE_BYTES_EXTENDED_MAX && !name.starts_with('_') && is_extended(name)
        }
    };
    if legal { Ok(()) } else { Err(Error::DatabaseNameInvalid(name.to_owned())) }
}

/// Checks the name of a collection. Names that start with an underscore are kept for system collections.
///
/// # Errors
/// [`Error::IllegalName`].
pub fn check_collection_name(name: &str, is_system: bool, rules: NamingRules) -> Result<()> {
    let body = if is_system { name.strip_prefix('_').unwrap_or(name) } else { name };
    let legal = name.len() <= COLLECTION_BYTES_MAX
        && !body.is_empty()
        && if name.starts_with('_') {
            is_system && is_plain(name)
        } else {
            match rules {
                NamingRules::Traditional => {
                    name.starts_with(|first: char| first.is_ascii_alphabetic()) && is_plain(name)
                }
                NamingRules::Extended => is_extended(name),
            }
        };
    if legal { Ok(()) } else { Err(illegal("collection", name)) }
}

/// Checks the name of an index.
///
/// # Errors
/// [`Error::IllegalName`].
pub fn check_index_name(name: &str, rules: NamingRules) -> Result<()> {
    let legal = !name.is_empty()
        && name.len() <= COLLECTION_BYTES_MAX
        && match rules {
            NamingRules::Traditional => {
                name.starts_with(|first: char| first.is_ascii_alphabetic()) && is_plain(name)
            }
            NamingRules::Extended => is_extended(name),
        };
    if legal { Ok(()) } else { Err(illegal("index", name)) }
}

fn illegal(kind: &str, name: &str) -> Error {
    Error::IllegalName(format!("{kind} name '{name}' is invalid"))
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn is_extended(name: &str) -> bool {
    let first_is_legal = name.chars().next().is_some_and(|first| first != '.' && !first.is_ascii_digit());
    first_is_legal
        && !name.starts_with(char::is_whitespace)
        && !name.ends_with(char::is_whitespace)
        && !name.chars().any(|character| character.is_control() || character == '/' || character == ':')
        && is_nfc(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_names() {
        let check = |name: &str, rules| check_database_name(name, rules).is_ok();
        for name in ["a", "my-db_1", "Größe", "mötör", "a b", "東京"] {
            assert!(check(name, NamingRules::Extended), "{name}");
        }
        for name in ["", "_x", "1a", ".a", " a", "a ", "a/b", "a:b", "a\n", "u\u{308}", &"a".repeat(129)] {
            assert!(!check(name, NamingRules::Extended), "{name}");
        }
        assert!(check("abc", NamingRules::Traditional));
        assert!(!check("ä", NamingRules::Traditional));
        assert!(!check(&"a".repeat(65), NamingRules::Traditional));
    }

    #[test]
    fn collection_names() {
        let check = |name: &str, system| check_collection_name(name, system, NamingRules::Extended).is_ok();
        assert!(check("users", false));
        assert!(check("ünï", false));
        assert!(check("_graphs", true));
        for name in ["", "_graphs", "12", "a/b", "9lives", &"x".repeat(257)] {
            assert!(!check(name, false), "{name}");
        }
        assert!(!check("_", true));
    }
}
