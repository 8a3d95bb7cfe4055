//! `fromPrefix`, `toPrefix` and `overwriteCollectionPrefix`: completing the ends of imported edges.

use persea_vpack::{Builder, VPackBuf};

use crate::error::ApiError;
use crate::http::request::Request;

/// The collection names to put before `_from` and `_to`.
pub struct Prefixes {
    from: Option<String>,
    to: Option<String>,
    overwrite: bool,
}

impl Prefixes {
    /// Reads them from the query string. They mean something only for edge collections.
    pub fn of(request: &Request, is_edge: bool) -> Prefixes {
        let prefix = |name: &str| {
            request.query.get(name).filter(|text| is_edge && !text.is_empty()).map(|text| {
                let text = text.trim_end_matches('/');
                format!("{text}/")
            })
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
    pub fn apply(&self, document: &VPackBuf) -> Result<Option<VPackBuf>, ApiError> {
        if self.from.is_none() && self.to.is_none() {
            return Ok(None);
        }
        let mut builder = Builder::new();
        builder.open_object();
        for (name, value) in document.as_slice().object_iter() {
            builder.key(name);
            let prefix = match name {
                "_from" => self.from.as_deref(),
                "_to" => self.to.as_deref(),
                _ => None,
            };
            match (prefix, value.as_str()) {
                (Some(prefix), Some(end)) => builder.add_str(&self.completed(prefix, end)),
                _ => builder.add_slice(value),
            };
        }
        builder.close();
        Ok(Some(builder.finish().map_err(persea::Error::from)?))
    }

    fn completed(&self, prefix: &str, end: &str) -> String {
        match end.split_once('/') {
            None => format!("{prefix}{end}"),
            Some((_, key)) if self.overwrite => format!("{prefix}{key}"),
            Some(_) => end.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Prefixes;

    #[test]
    fn completing() {
        let mut prefixes = Prefixes { from: None, to: None, overwrite: false };
        assert_eq!(prefixes.completed("a/", "k"), "a/k");
        assert_eq!(prefixes.completed("a/", "b/k"), "b/k");
        prefixes.overwrite = true;
        assert_eq!(prefixes.completed("a/", "b/k"), "a/k");
    }
}
