//! Finds the second occurrence of an attribute name in text that is known to be JSON.

use std::collections::HashSet;

/// Position of the first name that occurs twice in its object; 0 when the two are written differently.
///
/// Runs only after a duplicate was noticed, so it may be slow.
pub(crate) fn locate(text: &[u8]) -> usize {
    let mut open: Vec<Option<HashSet<&[u8]>>> = Vec::new();
    let mut key_due = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => {
                open.pop();
            }
            b'"' => {
                let end = string_end(text, at);
                let name = text.get(at..end).unwrap_or(&[]);
                if key_due
                    && open
                        .last_mut()
                        .is_some_and(|names| names.as_mut().is_some_and(|names| !names.insert(name)))
                {
                    return at;
                }
                at = end - 1;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            key_due = matches!(byte, b'{' | b',') && matches!(open.last(), Some(Some(_)));
        }
        at += 1;
    }
    0
}

/// Offset behind the closing quote of the string that starts at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len().max(start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_occurrence_in_the_same_object() {
        assert_eq!(locate(br#"{"a":1,"a":2}"#), 7);
        assert_eq!(locate(br#"{"a":"a","b":{"a":1},"c":[{"x":1,"x":2}]}"#), 33);
        assert_eq!(locate(br#"["a","a",{"a":["a"]}]"#), 0);
    }
}
