//! The path of a request: database prefix, API version prefix, decoded segments.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::error::ApiError;

/// The longest request target that is accepted, in bytes.
pub const TARGET_BYTES_MAX: usize = 16_384;

/// What is encoded in the segments of paths that are sent: everything but the unreserved characters.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A name or key as one segment of a path.
pub fn encoded_segment(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// A request's path, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The database named by `/_db/NAME`, `_system` without one.
    pub database: String,
    /// The segments after the prefix, percent-decoded one by one; no empty ones.
    pub segments: Vec<String>,
}

impl Target {
    /// Takes a path (without the query string) apart.
    ///
    /// # Errors
    /// When a segment is not UTF-8 after decoding.
    pub fn parse(path: &str) -> Result<Target, ApiError> {
        let mut segments = Vec::new();
        for raw in path.split('/').filter(|segment| !segment.is_empty()) {
            let text = percent_decode_str(raw)
                .decode_utf8()
                .map_err(|_| ApiError::bad_request("the request path is not valid UTF-8"))?;
            segments.push(text.into_owned());
        }
        strip_version(&mut segments);
        let mut database = "_system".to_owned();
        if segments.len() >= 2 && segments.first().is_some_and(|first| first == "_db") {
            database = segments.remove(1);
            segments.remove(0);
        }
        strip_version(&mut segments);
        Ok(Target { database, segments })
    }
}

/// Removes `/_arango/v0` and the like; plain paths mean the same.
fn strip_version(segments: &mut Vec<String>) {
    if segments.first().is_some_and(|first| first == "_arango") && segments.len() >= 2 {
        segments.drain(..2);
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    fn check(path: &str, database: &str, segments: &[&str]) {
        let target = Target::parse(path).expect("a valid path");
        assert_eq!(target.database, database, "{path}");
        assert_eq!(target.segments, segments, "{path}");
    }

    #[test]
    fn paths() {
        check("/_api/version", "_system", &["_api", "version"]);
        check("/_db/shop/_api/document/c/k", "shop", &["_api", "document", "c", "k"]);
        check("/_db/m%C3%BCnchen/_api/version", "münchen", &["_api", "version"]);
        check("/_api/document/c/a%2Fb", "_system", &["_api", "document", "c", "a/b"]);
        check("/_arango/v0/_db/shop/_api/version", "shop", &["_api", "version"]);
        check("/_db/shop/_arango/v0/_api/collection/", "shop", &["_api", "collection"]);
        check("/", "_system", &[]);
    }

    #[test]
    fn bad_utf8_is_refused() {
        assert!(Target::parse("/_db/%FF/_api").is_err());
    }
}
