//! Query parameters: ArangoDB's booleans and numbers.

use percent_encoding::percent_decode_str;

use crate::error::ApiError;

/// The query parameters of a request; the last of a name counts.
#[derive(Debug, Default)]
pub struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    /// Decodes `a=1&b=2`.
    pub fn parse(text: &str) -> QueryParameters {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        QueryParameters(pairs.collect())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A boolean: `true`, `1`, `yes`, `on`, `y` in any case are true, everything else is false.
    pub fn bool(&self, name: &str) -> Option<bool> {
        let value = self.get(name)?;
        Some(["true", "1", "yes", "on", "y"].iter().any(|word| value.eq_ignore_ascii_case(word)))
    }

    /// A boolean with a default.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.bool(name).unwrap_or(default)
    }

    /// A parameter that must be there and not empty.
    ///
    /// # Errors
    /// `missing` when it is not.
    pub fn required(&self, name: &str, missing: impl FnOnce() -> ApiError) -> Result<&str, ApiError> {
        self.get(name).filter(|value| !value.is_empty()).ok_or_else(missing)
    }
}

fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::QueryParameters;

    #[test]
    fn values() {
        let query = QueryParameters::parse("a=1&b=false&c&d=x%20y+z&a=Yes");
        assert_eq!(query.bool("a"), Some(true));
        assert_eq!(query.bool("b"), Some(false));
        assert_eq!(query.bool("c"), Some(false));
        assert_eq!(query.get("d"), Some("x y z"));
        assert_eq!(query.bool("missing"), None);
    }
}
