//! `fromPrefix`, `toPrefix` and `overwriteCollectionPrefix`: completing the ends of imported edges.

use persea_vpack::{Builder, Slice, VPackBuf};

use crate::error::ApiError;
use crate::http::request::Request;

/// The collection names to put before `_from` and `_to`.
pub struct Prefixes {
    from: Option<String>,
    to: Option<String>,
    overwrite: bool,
}

impl Prefixes {
    /// Reads them from the query string.
    pub fn of(request: &Request) -> Prefixes {
        let prefix = |name: &str| {
            let text = request.query.get(name).filter(|text| !text.is_empty())?;
            Some(if text.ends_with('/') { text.to_owned() } else { format!("{text}/") })
        };
        Prefixes {
            from: prefix("fromPrefix"),
            to: prefix("toPrefix"),
            overwrite: request.query.flag("overwriteCollectionPrefix", false),
        }
    }

    /// The document with completed ends, when something changes.
    ///
    /// # Errors
    /// When the document would be too large.
    pub fn apply(&self, document: Slice<'_>) -> Result<Option<VPackBuf>, ApiError> {
        if self.from.is_none() && self.to.is_none() {
            return Ok(None);
        }
        let mut builder = Builder::new();
        builder.open_object();
        for (name, value) in document.object_iter() {
            builder.key(name);
            let prefix = match name {
                "_from" => self.from.as_deref(),
                "_to" => self.to.as_deref(),
                _ => None,
            };
            match prefix.and_then(|prefix| self.completed(prefix, value)) {
                Some(end) => builder.add_str(&end),
                None => builder.add_slice(value),
            };
        }
        builder.close();
        Ok(Some(builder.finish().map_err(persea::Error::from)?))
    }

    /// The full identifier, if `end` is a key, also one given as a number, or has a prefix to be replaced.
    fn completed(&self, prefix: &str, end: Slice<'_>) -> Option<String> {
        let Some(text) = end.as_str() else {
            let number = end.as_i64().map(i128::from).or_else(|| end.as_u64().map(i128::from))?;
            return Some(format!("{prefix}{number}"));
        };
        match text.split_once('/') {
            None => Some(format!("{prefix}{text}")),
            Some((_, key)) if self.overwrite => Some(format!("{prefix}{key}")),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use persea_vpack::vpack;

    use super::Prefixes;

    #[test]
    fn completing() {
        let mut prefixes = Prefixes { from: None, to: None, overwrite: false };
        assert_eq!(prefixes.completed("a/", vpack!("k").as_slice()).as_deref(), Some("a/k"));
        assert_eq!(prefixes.completed("a/", vpack!(7).as_slice()).as_deref(), Some("a/7"));
        assert_eq!(prefixes.completed("a/", vpack!("b/k").as_slice()), None);
        assert_eq!(prefixes.completed("a/", vpack!(null).as_slice()), None);
        assert_eq!(prefixes.completed("a/", vpack!(1.5).as_slice()), None);
        prefixes.overwrite = true;
        assert_eq!(prefixes.completed("a/", vpack!("b/k").as_slice()).as_deref(), Some("a/k"));
    }
}
