//! Rules of document keys (`_key`) and document identifiers (`collection/key`).

/// Longest document key in bytes.
pub const KEY_BYTES_MAX: usize = 254;

const ALLOWED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        table[byte] = character.is_ascii_alphanumeric();
        byte += 1;
    }
    let punctuation = b"_-.@()+,=;$!*':%";
    let mut position = 0;
    while position < punctuation.len() {
        table[punctuation[position] as usize] = true;
        position += 1;
    }
    table
};

/// Whether `key` may be a document key.
///
/// ```
/// assert!(persea_collections::keys::is_valid_key("user:1%20@(x)"));
/// assert!(!persea_collections::keys::is_valid_key("a/b"));
/// ```
pub fn is_valid_key(key: &str) -> bool {
    let length = key.len();
    length > 0 && length <= KEY_BYTES_MAX && key.bytes().all(|byte| ALLOWED[usize::from(byte)])
}

/// Splits `collection/key` and checks the key. `None` when it is no document identifier.
///
/// ```
/// use persea_collections::keys::split_id;
/// assert_eq!(split_id("users/anna"), Some(("users", "anna")));
/// assert_eq!(split_id("users"), None);
/// ```
pub fn split_id(id: &str) -> Option<(&str, &str)> {
    let (collection, key) = id.split_once('/')?;
    let well_formed = !collection.is_empty() && is_valid_key(key) && !collection.contains('\0');
    well_formed.then_some((collection, key))
}

/// Whether the document with `collection` and `key` has the identifier `id`, without building a string.
pub fn is_id_of(id: &str, collection: &str, key: &str) -> bool {
    id.strip_prefix(collection).and_then(|rest| rest.strip_prefix('/')) == Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_rules() {
        let longest = "k".repeat(KEY_BYTES_MAX);
        for key in ["a", "0", "_", "-", ".", "@", "()", "a:b", "%20", "$!*';=,+", &longest] {
            assert!(is_valid_key(key), "{key}");
        }
        let too_long = "k".repeat(KEY_BYTES_MAX + 1);
        for key in ["", "a b", "ä", "a/b", "\"", "#", "a\0", "<", "&", "\\", &too_long] {
            assert!(!is_valid_key(key), "{key}");
        }
    }

    #[test]
    fn id_rules() {
        assert_eq!(split_id("a/b"), Some(("a", "b")));
        for id in ["", "/", "a/", "/b", "a/b/c", "a", "a/ü"] {
            assert_eq!(split_id(id), None, "{id}");
        }
        assert!(is_id_of("a/b", "a", "b"));
        assert!(!is_id_of("ab/b", "a", "b"));
    }
}
