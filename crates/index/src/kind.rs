//! The kinds of indexes, and the type names users see.

use crate::error::{Error, bad_parameter};

/// How an index works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// From `_key` to the document. Every collection has exactly one.
    Primary,
    /// From `_from` and `_to` to the edge and its other end. Every edge collection has exactly one.
    Edge,
    /// An ordered index over any attributes, made by users.
    Persistent,
}

/// A type name that users can write and read. `hash` and `skiplist` are older names of `persistent`, which do the
/// same but are shown as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeName {
    /// `primary`
    Primary,
    /// `edge`
    Edge,
    /// `persistent`
    Persistent,
    /// `hash`
    Hash,
    /// `skiplist`
    Skiplist,
}

/// Types that exist in compatible systems and that this one answers with "not implemented".
const NOT_IMPLEMENTED: [&str; 11] = [
    "ttl",
    "geo",
    "geo1",
    "geo2",
    "fulltext",
    "mdi",
    "mdi-prefixed",
    "zkd",
    "inverted",
    "vector",
    "arangosearch",
];

impl TypeName {
    /// The name as users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            TypeName::Primary => "primary",
            TypeName::Edge => "edge",
            TypeName::Persistent => "persistent",
            TypeName::Hash => "hash",
            TypeName::Skiplist => "skiplist",
        }
    }

    /// How an index of that name works.
    pub fn kind(self) -> IndexKind {
        match self {
            TypeName::Primary => IndexKind::Primary,
            TypeName::Edge => IndexKind::Edge,
            TypeName::Persistent | TypeName::Hash | TypeName::Skiplist => IndexKind::Persistent,
        }
    }

    /// The type of that name.
    ///
    /// # Errors
    ///
    /// [`Error::NotImplemented`] for types of compatible systems, [`Error::BadParameter`] for anything else.
    pub fn parse(text: &str) -> Result<TypeName, Error> {
        let all =
            [TypeName::Primary, TypeName::Edge, TypeName::Persistent, TypeName::Hash, TypeName::Skiplist];
        if let Some(name) = all.into_iter().find(|name| name.as_str() == text) {
            return Ok(name);
        }
        if NOT_IMPLEMENTED.contains(&text) {
            return Err(Error::NotImplemented { type_name: text.to_owned() });
        }
        Err(bad_parameter(format!("invalid index type '{text}'")))
    }
}
