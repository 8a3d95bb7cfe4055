//! Which document an item of a bulk call means: a key, an identifier, or an object that holds one.

use persea_vpack::Slice;

use crate::error::{Error, Result};
use crate::keys::is_valid_key;

/// The document an item addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selector<'a> {
    /// Document key.
    pub key: &'a str,
    /// `_rev` of the item, when it is an object that holds one.
    pub rev: Option<&'a str>,
}

impl<'a> Selector<'a> {
    /// Reads a key (`"anna"`), an identifier (`"users/anna"`), or an object with `_key` or `_id` and maybe `_rev`.
    ///
    /// # Errors
    /// [`Error::DocumentNotFound`] when an identifier names another collection, [`Error::KeyMissing`] when an object
    /// holds neither, [`Error::IllegalKey`] and [`Error::DocumentTypeInvalid`] for values of a wrong form.
    pub fn from_slice(collection: &str, item: Slice<'a>) -> Result<Self> {
        if let Some(text) = item.as_str() {
            return Ok(Self { key: key_of(collection, text)?, rev: None });
        }
        if !item.is_object() {
            return Err(Error::DocumentTypeInvalid);
        }
        let rev = item.get("_rev").and_then(|rev| rev.as_str());
        if let Some(key) = item.get("_key") {
            let key = key.as_str().ok_or(Error::IllegalKey)?;
            return if is_valid_key(key) { Ok(Self { key, rev }) } else { Err(Error::IllegalKey) };
        }
        let id = item.get("_id").and_then(|id| id.as_str()).ok_or(Error::KeyMissing)?;
        if !id.contains('/') {
            return Err(Error::DocumentHandleBad);
        }
        Ok(Self { key: key_of(collection, id)?, rev })
    }
}

/// The key in `text`, which is a key or an identifier in `collection`.
fn key_of<'a>(collection: &str, text: &'a str) -> Result<&'a str> {
    let key = match text.split_once('/') {
        None => text,
        Some((name, key)) if name == collection => key,
        Some(_) => return Err(Error::DocumentNotFound),
    };
    if is_valid_key(key) { Ok(key) } else { Err(Error::IllegalKey) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use persea_vpack::{VPackBuf, vpack};

    fn check(item: VPackBuf, expected: std::result::Result<(&str, Option<&str>), &str>) {
        let outcome = Selector::from_slice("c", item.as_slice());
        match (outcome, expected) {
            (Ok(selector), Ok((key, rev))) => assert_eq!(selector, Selector { key, rev }),
            (Err(error), Err(text)) => assert_eq!(error.to_string(), text),
            (outcome, expected) => panic!("{outcome:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn items() {
        check(vpack!("k"), Ok(("k", None)));
        check(vpack!("c/k"), Ok(("k", None)));
        check(vpack!({ "_key": "k", "_rev": "r" }), Ok(("k", Some("r"))));
        check(vpack!({ "_id": "c/k" }), Ok(("k", None)));
        check(vpack!("d/k"), Err("document not found"));
        check(vpack!({ "_id": "d/k" }), Err("document not found"));
        check(vpack!({}), Err("missing document key"));
        check(vpack!({ "_key": 1 }), Err("illegal document key"));
        check(vpack!(1), Err("invalid document type"));
        check(vpack!("a b"), Err("illegal document key"));
    }
}
