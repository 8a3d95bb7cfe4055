//! Collection properties: what creating accepts, what can be changed, and what answers show, in their order.

use persea_vpack::{Builder, Slice, VPackBuf};

use crate::error::{Error, Result};
use crate::key_generator::KeyOptions;

/// Whether a collection holds documents or edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CollectionKind {
    /// Documents.
    #[default]
    Document,
    /// Edges: documents with `_from` and `_to`.
    Edge,
}

impl CollectionKind {
    /// The public type number: 2 for documents, 3 for edges.
    pub fn number(self) -> u64 {
        match self {
            Self::Document => 2,
            Self::Edge => 3,
        }
    }

    /// Reads a type as clients send it: a number, its text, or a word.
    ///
    /// # Errors
    /// [`Error::CollectionTypeInvalid`].
    pub fn from_vpack(value: Slice<'_>) -> Result<Self> {
        match (value.as_str(), value.as_u64()) {
            (Some("document" | "2"), _) | (_, Some(2)) => Ok(Self::Document),
            (Some("edge" | "3"), _) | (_, Some(3)) => Ok(Self::Edge),
            _ => Err(Error::CollectionTypeInvalid(value.to_string())),
        }
    }
}

/// What a new collection is to be like.
///
/// ```
/// use persea_collections::{CollectionKind, CollectionOptions};
/// use persea_vpack::vpack;
///
/// let options = CollectionOptions::from_vpack(vpack!({ "name": "knows", "type": 3 }).as_slice()).unwrap();
/// assert_eq!(options.kind, CollectionKind::Edge);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionOptions {
    /// Name, unique in its database.
    pub name: String,
    /// Documents or edges.
    pub kind: CollectionKind,
    /// Needed for names that start with an underscore.
    pub is_system: bool,
    /// Whether every write waits until it is on disk.
    pub wait_for_sync: bool,
    /// Echoed; documents are always read where they lie.
    pub cache_enabled: bool,
    /// Echoed.
    pub write_concern: u64,
    /// Key generator and whether users may give keys.
    pub key_options: KeyOptions,
    /// Echoed; only restoring sets it to false.
    pub sync_by_revision: bool,
    /// Echoed; only restoring sets it to false.
    pub uses_revisions_as_document_ids: bool,
    /// Identifier to take over when restoring, when it is free.
    pub id: Option<u64>,
    /// Identifier across servers to take over when restoring.
    pub globally_unique_id: Option<String>,
}

impl CollectionOptions {
    /// A document collection with default options.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: CollectionKind::Document,
            is_system: false,
            wait_for_sync: false,
            cache_enabled: false,
            write_concern: 1,
            key_options: KeyOptions::default(),
            sync_by_revision: true,
            uses_revisions_as_document_ids: true,
            id: None,
            globally_unique_id: None,
        }
    }

    /// An edge collection with default options.
    pub fn edge(name: impl Into<String>) -> Self {
        Self { kind: CollectionKind::Edge, ..Self::new(name) }
    }

    /// Reads the body of a create request. Options of clusters and unknown ones are ignored.
    ///
    /// # Errors
    /// [`Error::IllegalName`] without a name, [`Error::InvalidKeyGenerator`], [`Error::BadParameter`] for values of
    /// a wrong type, [`Error::NotImplemented`] for a schema or computed values.
    pub fn from_vpack(body: Slice<'_>) -> Result<Self> {
        if !body.is_object() {
            return Err(Error::BadParameter("collection options must be an object".to_owned()));
        }
        let name = body.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        if name.is_empty() {
            return Err(Error::IllegalName("collection name must be a non-empty string".to_owned()));
        }
        refuse_enforced(body)?;
        let defaults = Self::new(name);
        let kind = given(body, "type").map_or(Ok(CollectionKind::Document), CollectionKind::from_vpack)?;
        let key_options =
            given(body, "keyOptions").map_or_else(|| Ok(KeyOptions::default()), KeyOptions::from_vpack)?;
        Ok(Self {
            kind,
            is_system: boolean(body, "isSystem", false)?,
            wait_for_sync: boolean(body, "waitForSync", false)?,
            cache_enabled: boolean(body, "cacheEnabled", false)?,
            write_concern: write_concern(body)?.unwrap_or(1),
            key_options,
            ..defaults
        })
    }

    /// Reads the parameters of a dumped collection: like [`from_vpack`](Self::from_vpack), and takes over the
    /// identifiers and internal switches.
    ///
    /// # Errors
    /// As [`from_vpack`](Self::from_vpack).
    pub fn from_dump(parameters: Slice<'_>) -> Result<Self> {
        let mut options = Self::from_vpack(parameters)?;
        options.sync_by_revision = boolean(parameters, "syncByRevision", true)?;
        options.uses_revisions_as_document_ids = boolean(parameters, "usesRevisionsAsDocumentIds", true)?;
        options.id = given(parameters, "id").and_then(|id| id.as_str()?.parse().ok());
        options.globally_unique_id =
            given(parameters, "globallyUniqueId").and_then(|id| id.as_str().map(str::to_owned));
        Ok(options)
    }
}

/// The changeable part of a collection's properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PropertyChanges {
    /// New value of `waitForSync`.
    pub wait_for_sync: Option<bool>,
    /// New value of `cacheEnabled`.
    pub cache_enabled: Option<bool>,
    /// New value of `writeConcern`.
    pub write_concern: Option<u64>,
}

impl PropertyChanges {
    /// Reads the body of a change request. Unknown attributes are ignored.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for values of a wrong type, [`Error::NotImplemented`] for a schema or computed values.
    pub fn from_vpack(body: Slice<'_>) -> Result<Self> {
        if !body.is_object() {
            return Err(Error::BadParameter("collection properties must be an object".to_owned()));
        }
        refuse_enforced(body)?;
        let optional = |name| given(body, name).map(|_| boolean(body, name, false)).transpose();
        Ok(Self {
            wait_for_sync: optional("waitForSync")?,
            cache_enabled: optional("cacheEnabled")?,
            write_concern: write_concern(body)?,
        })
    }
}

/// Rules that would have to hold for every write are refused as long as nothing enforces them.
fn refuse_enforced(body: Slice<'_>) -> Result<()> {
    if let Some(schema) = given(body, "schema") {
        if !schema.is_object() {
            return Err(Error::SchemaInvalid("schema must be an object".to_owned()));
        }
        if !schema.is_empty() {
            return Err(Error::NotImplemented("schema validation".to_owned()));
        }
    }
    if let Some(computed) = given(body, "computedValues") {
        if !computed.is_array() {
            return Err(Error::BadParameter("computedValues must be an array".to_owned()));
        }
        if !computed.is_empty() {
            return Err(Error::NotImplemented("computed values".to_owned()));
        }
    }
    Ok(())
}

fn write_concern(body: Slice<'_>) -> Result<Option<u64>> {
    let Some(value) = given(body, "writeConcern").or_else(|| given(body, "minReplicationFactor")) else {
        return Ok(None);
    };
    match value.as_u64() {
        Some(number @ 1..=10) => Ok(Some(number)),
        _ => Err(Error::BadParameter("writeConcern must be an integer between 1 and 10".to_owned())),
    }
}

fn given<'a>(body: Slice<'a>, name: &str) -> Option<Slice<'a>> {
    body.get(name).filter(|value| !value.is_null())
}

fn boolean(body: Slice<'_>, name: &str, default: bool) -> Result<bool> {
    match given(body, name) {
        None => Ok(default),
        Some(value) => {
            value.as_bool().ok_or_else(|| Error::BadParameter(format!("{name} must be a boolean")))
        }
    }
}

/// The stored properties of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Properties {
    pub(crate) options: CollectionOptions,
    pub(crate) id: u64,
    pub(crate) globally_unique_id: String,
    pub(crate) object_id: u64,
}

impl Properties {
    /// The short form that lists show.
    pub(crate) fn write_basic(&self, builder: &mut Builder) {
        builder.key("id");
        builder.add_str(itoa::Buffer::new().format(self.id));
        builder.key("name");
        builder.add_str(&self.options.name);
        builder.key("status");
        builder.add_u64(3);
        builder.key("type");
        builder.add_u64(self.options.kind.number());
        builder.key("isSystem");
        builder.add_bool(self.options.is_system);
        builder.key("globallyUniqueId");
        builder.add_str(&self.globally_unique_id);
    }

    /// Every property, in the order of the reference server.
    pub(crate) fn write_full(&self, last_key_value: u64, builder: &mut Builder) {
        let options = &self.options;
        let flag = |builder: &mut Builder, name: &str, value: bool| {
            builder.key(name);
            builder.add_bool(value);
        };
        builder.key("writeConcern");
        builder.add_u64(options.write_concern);
        flag(builder, "waitForSync", options.wait_for_sync);
        flag(builder, "usesRevisionsAsDocumentIds", options.uses_revisions_as_document_ids);
        flag(builder, "syncByRevision", options.sync_by_revision);
        flag(builder, "supportsRBAC", true);
        builder.key("statusString");
        builder.add_str("loaded");
        builder.key("id");
        builder.add_str(itoa::Buffer::new().format(self.id));
        flag(builder, "isSmartChild", false);
        builder.key("schema");
        builder.add_null();
        builder.key("name");
        builder.add_str(&options.name);
        builder.key("type");
        builder.add_u64(options.kind.number());
        builder.key("status");
        builder.add_u64(3);
        flag(builder, "cacheEnabled", options.cache_enabled);
        flag(builder, "isSystem", options.is_system);
        builder.key("internalValidatorType");
        builder.add_u64(0);
        builder.key("globallyUniqueId");
        builder.add_str(&self.globally_unique_id);
        builder.key("keyOptions");
        options.key_options.write_to(last_key_value, builder);
        builder.key("computedValues");
        builder.add_null();
        builder.key("objectId");
        builder.add_str(itoa::Buffer::new().format(self.object_id));
    }

    /// Reads back what [`write_full`](Self::write_full) stored.
    pub(crate) fn from_record(record: Slice<'_>) -> Result<Self> {
        let number = |name: &str| {
            record
                .get(name)
                .and_then(|value| value.as_str()?.parse().ok())
                .ok_or_else(|| Error::Corrupt(format!("collection record without {name}")))
        };
        let options = CollectionOptions::from_dump(record)?;
        let globally_unique_id = options.globally_unique_id.clone().unwrap_or_default();
        Ok(Self { id: number("id")?, object_id: number("objectId")?, globally_unique_id, options })
    }
}

/// Builds one object from the attributes that `write` adds.
pub(crate) fn object(write: impl FnOnce(&mut Builder)) -> Result<VPackBuf> {
    let mut builder = Builder::new();
    builder.open_object();
    write(&mut builder);
    builder.close();
    Ok(builder.finish()?)
}
