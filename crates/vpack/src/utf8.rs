//! UTF-8 checks with a fast path for ASCII.
#![allow(unsafe_code)]

/// The bytes as text, when they are UTF-8.
///
/// Names and most strings are short and ASCII; testing for that is several times cheaper than the general check.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() {
        // SAFETY: every ASCII byte sequence is valid UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).ok()
}
