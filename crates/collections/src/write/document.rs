//! Building the stored form of a document: system attributes first, then the user's, in their order.

use persea_vpack::{Builder, Slice};

use super::merge::MergeRules;
use crate::error::{Error, Result};
use crate::keys::split_id;
use crate::properties::CollectionKind;
use crate::revision::Revision;

/// The system attributes of a document about to be stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct SystemAttributes<'a> {
    pub(super) collection: &'a str,
    pub(super) key: &'a str,
    pub(super) revision: Revision,
    /// `_from` and `_to`, for edges.
    pub(super) ends: Option<(&'a str, &'a str)>,
}

/// Reads and checks `_from` and `_to` of an edge; nothing for document collections.
///
/// With `fallback`, absent ends are taken from there.
pub(super) fn edge_ends<'a>(
    kind: CollectionKind,
    document: Slice<'a>,
    fallback: Option<Slice<'a>>,
) -> Result<Option<(&'a str, &'a str)>> {
    if kind == CollectionKind::Document {
        return Ok(None);
    }
    let end = |name: &str| {
        let given = document.get(name).or_else(|| fallback.and_then(|old| old.get(name)));
        let text = given.and_then(|value| value.as_str()).ok_or(Error::InvalidEdgeAttribute)?;
        split_id(text).map(|_| text).ok_or(Error::InvalidEdgeAttribute)
    };
    Ok(Some((end("_from")?, end("_to")?)))
}

/// Tells the attributes the server sets in collections of this kind.
fn system_attribute_test(kind: CollectionKind) -> fn(&str) -> bool {
    match kind {
        CollectionKind::Document => is_document_attribute,
        CollectionKind::Edge => is_edge_attribute,
    }
}

fn is_document_attribute(name: &str) -> bool {
    name.starts_with('_') && matches!(name, "_key" | "_id" | "_rev")
}

fn is_edge_attribute(name: &str) -> bool {
    name.starts_with('_') && matches!(name, "_key" | "_id" | "_rev" | "_from" | "_to")
}

fn add_system_attributes(attributes: &SystemAttributes<'_>, id: &mut String, builder: &mut Builder) {
    id.clear();
    id.push_str(attributes.collection);
    id.push('/');
    id.push_str(attributes.key);
    builder.key("_key");
    builder.add_str(attributes.key);
    builder.key("_id");
    builder.add_str(id);
    if let Some((from, to)) = attributes.ends {
        builder.key("_from");
        builder.add_str(from);
        builder.key("_to");
        builder.add_str(to);
    }
    builder.key("_rev");
    builder.add_str(attributes.revision.text().as_str());
}

/// Writes the stored form of `document` into `builder`; `id` is left holding the document id.
pub(super) fn build_document(
    kind: CollectionKind,
    attributes: &SystemAttributes<'_>,
    document: Slice<'_>,
    id: &mut String,
    builder: &mut Builder,
) {
    builder.clear();
    builder.open_object();
    add_system_attributes(attributes, id, builder);
    let is_system_attribute = system_attribute_test(kind);
    for (name, value) in document.object_iter() {
        if !is_system_attribute(name) {
            builder.key(name);
            builder.add_slice(value);
        }
    }
    builder.close();
}

/// Writes the stored form of `old` with `patch` merged into it.
pub(super) fn build_merged(
    kind: CollectionKind,
    attributes: &SystemAttributes<'_>,
    old: Slice<'_>,
    patch: Slice<'_>,
    rules: MergeRules,
    id: &mut String,
    builder: &mut Builder,
) -> Result<()> {
    builder.clear();
    builder.open_object();
    add_system_attributes(attributes, id, builder);
    rules.merge_attributes(old, patch, system_attribute_test(kind), builder)?;
    builder.close();
    Ok(())
}

/// The stored revision of a document.
pub(crate) fn stored_revision(document: Slice<'_>) -> Revision {
    document.get("_rev").and_then(|rev| rev.as_str()).and_then(Revision::parse).unwrap_or_default()
}
