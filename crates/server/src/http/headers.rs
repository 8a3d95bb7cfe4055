//! Headers with a meaning of their own.

/// The revision named by an `If-Match` or `If-None-Match` header; quotes are optional.
pub fn revision(value: &str) -> &str {
    let value = value.trim();
    let value = value.strip_prefix("W/").unwrap_or(value);
    value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value)
}

/// Whether an `Accept` header asks for VelocyPack.
pub fn accepts_vpack(value: &str) -> bool {
    value.to_ascii_lowercase().contains(VPACK)
}

/// Whether a `Content-Type` header announces VelocyPack.
pub fn is_vpack(value: &str) -> bool {
    value.trim_start().to_ascii_lowercase().starts_with(VPACK)
}

/// The media type of VelocyPack.
pub const VPACK: &str = "application/x-velocypack";
/// The media type of JSON.
pub const JSON: &str = "application/json";
/// The media type of empty and text bodies.
pub const TEXT: &str = "text/plain; charset=utf-8";

#[cfg(test)]
mod tests {
    #[test]
    fn revisions() {
        assert_eq!(super::revision("\"_abc\""), "_abc");
        assert_eq!(super::revision(" _abc "), "_abc");
        assert_eq!(super::revision("W/\"_abc\""), "_abc");
    }
}
