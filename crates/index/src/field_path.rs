//! Attribute paths of index fields: `a`, `a.b`, `tags[*]`, `a.b[*].c`.

use std::fmt;

use persea_order::Value;
use persea_vpack::Slice;

use crate::error::{Error, bad_parameter};

/// Marks the attribute whose array members are indexed one by one.
const EXPANSION: &str = "[*]";

/// A parsed attribute path with at most one `[*]`.
///
/// ```
/// use persea_index::FieldPath;
///
/// let path = FieldPath::parse("a.b[*].c").unwrap();
/// assert_eq!(path.before_expansion().collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(path.after_expansion().collect::<Vec<_>>(), ["c"]);
/// assert_eq!(path.to_string(), "a.b[*].c");
/// assert!(FieldPath::parse("a[*].b[*]").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FieldPath {
    names: Box<[Box<str>]>,
    /// Number of names up to and including the one that carries `[*]`.
    expanded: Option<usize>,
}

impl FieldPath {
    /// Parses the text of a definition.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for an empty path or name, a second `[*]`, brackets anywhere else, and names that
    /// start or end with a colon.
    pub fn parse(text: &str) -> Result<FieldPath, Error> {
        let mut names = Vec::new();
        let mut expanded = None;
        for part in text.split('.') {
            let (name, expands) = match part.strip_suffix(EXPANSION) {
                Some(name) => (name, true),
                None => (part, false),
            };
            check_name(name, text)?;
            names.push(name.into());
            if expands && expanded.replace(names.len()).is_some() {
                return Err(bad_parameter(format!("cannot use multiple [*] in one index field: '{text}'")));
            }
        }
        Ok(FieldPath { names: names.into(), expanded })
    }

    /// The path to the attributes `names`, without expansion. For paths that the program itself knows.
    pub(crate) fn plain(names: &[&str]) -> FieldPath {
        FieldPath { names: names.iter().map(|name| (*name).into()).collect(), expanded: None }
    }

    /// All attribute names from the outermost in; `[*]` is not part of a name.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.names.iter().map(|name| &**name)
    }

    /// True when the path has a `[*]`.
    pub fn is_expanded(&self) -> bool {
        self.expanded.is_some()
    }

    /// Number of names up to and including the one that carries `[*]`; `None` without one.
    pub fn expansion(&self) -> Option<usize> {
        self.expanded
    }

    /// The names up to and including the one that carries `[*]`; all names without one.
    pub fn before_expansion(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.names().take(self.expanded.unwrap_or(self.names.len()))
    }

    /// The names behind `[*]`.
    pub fn after_expansion(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.names().skip(self.expanded.unwrap_or(self.names.len()))
    }

    /// The document's value at the path, `null` when an attribute is missing; with `[*]`, the array itself.
    #[inline]
    pub fn value<'a>(&self, document: Slice<'a>) -> Value<'a> {
        walk(document, self.before_expansion()).map_or(Value::NULL, Value::from_slice)
    }

    /// What the part of the path behind `[*]` finds in one array member; the member itself without such a part.
    #[inline]
    pub(crate) fn member_value<'a>(&self, member: Slice<'a>) -> Value<'a> {
        walk(member, self.after_expansion()).map_or(Value::NULL, Value::from_slice)
    }

    /// The array whose members are indexed; `None` when there is none at that place.
    #[inline]
    pub(crate) fn array<'a>(&self, document: Slice<'a>) -> Option<Slice<'a>> {
        walk(document, self.before_expansion()).filter(|value| value.is_array())
    }

    /// True for the path that is just the attribute `name`.
    pub(crate) fn is_attribute(&self, name: &str) -> bool {
        !self.is_expanded() && self.names().eq([name])
    }
}

fn walk<'a, 'n>(document: Slice<'a>, mut names: impl Iterator<Item = &'n str>) -> Option<Slice<'a>> {
    names.try_fold(document, |value, name| value.get(name))
}

fn check_name(name: &str, text: &str) -> Result<(), Error> {
    if name.is_empty() {
        return Err(bad_parameter(format!("index field with an empty attribute name: '{text}'")));
    }
    if name.contains(['[', ']']) {
        return Err(bad_parameter(format!("can only use [*] at the end of an attribute name: '{text}'")));
    }
    if name.starts_with(':') || name.ends_with(':') {
        return Err(bad_parameter(format!("attribute names must not start or end with ':': '{text}'")));
    }
    Ok(())
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.names().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            f.write_str(name)?;
            if self.expanded == Some(position + 1) {
                f.write_str(EXPANSION)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&[&str], Option<usize>)>) {
        match (FieldPath::parse(text), expected) {
            (Ok(path), Some((names, expanded))) => {
                assert!(path.names().eq(names.iter().copied()), "{text:?} gave {path:?}");
                assert_eq!(path.expansion(), expanded);
                assert_eq!(path.to_string(), text);
            }
            (Err(Error::BadParameter(_)), None) => {}
            (result, _) => panic!("{text:?} gave {result:?}"),
        }
    }

    #[test]
    fn paths() {
        check("a", Some((&["a"], None)));
        check("a.b", Some((&["a", "b"], None)));
        check("a[*]", Some((&["a"], Some(1))));
        check("a[*].b", Some((&["a", "b"], Some(1))));
        check("a.b[*].c.d", Some((&["a", "b", "c", "d"], Some(2))));
        check("größe", Some((&["größe"], None)));
        for wrong in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "[*]",
            "a[*].b[*]",
            "a[*][*]",
            "a[0]",
            "a[*",
            "a[*]b",
            "a]",
            ":a",
            "a.b:",
        ] {
            check(wrong, None);
        }
    }
}
