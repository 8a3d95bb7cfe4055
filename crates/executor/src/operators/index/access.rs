//! One access of an index: which of its values to look up, and where its entries come from.

use std::cmp::Ordering;

use persea_collections::{
    Collection, Direction, EdgeDirection, EdgeScan, FieldPath, Index, IndexBounds, IndexScan, LocalId, View,
};
use persea_order::{Value, compare, equal};
use persea_planner::plan::{self, IndexKind, KeyTerm};
use persea_vpack::Slice;

use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::{Compiled, Compiler, Path};
use crate::operators::DocumentOutput;
use crate::runtime::Runtime;

/// What an access reads.
pub(super) enum Source<'q> {
    /// One key of the primary index, given as `_key` or as `_id`.
    Key { by_id: bool },
    /// The edges at one vertex.
    Edges(EdgeDirection),
    /// A range of an index.
    Range(&'q Index),
}

/// One access, with the registers of its values among the parameters.
pub(super) struct Access<'q> {
    pub(super) source: Source<'q>,
    /// For each term its register, and whether it is a list.
    pub(super) terms: Vec<(Register, bool)>,
    pub(super) lower: Option<(Register, bool)>,
    pub(super) upper: Option<(Register, bool)>,
}

/// A scan under way.
pub(super) enum Scan<'q> {
    One(Option<LocalId>),
    Edges(Box<EdgeScan<'q>>),
    Range(Box<IndexScan<'q>>),
}

/// Where a projection can be taken from without reading the document.
pub(super) enum Provider<'q> {
    /// A stored value of the index, and a path inside of it.
    Stored(usize, Path<'q>),
    /// The vertex at the other end of an edge.
    Opposite,
}

impl Access<'_> {
    /// Whether a document lies within the bounds of a row.
    pub(super) fn matches(&self, document: Slice<'_>, bounds: &Batch<'_>, row: usize) -> bool {
        let Source::Range(index) = self.source else { return true };
        let fields = &index.definition().fields;
        let terms = fields.iter().zip(&self.terms).all(|(field, (register, is_list))| {
            let wanted = bounds.value(*register, row);
            any_value(field, document, |value| {
                if *is_list {
                    wanted.elements().any(|member| equal(member, value))
                } else {
                    equal(wanted, value)
                }
            })
        });
        terms
            && fields.get(self.terms.len()).is_none_or(|field| {
                any_value(field, document, |value| {
                    let within = |end: Option<(Register, bool)>, outside: Ordering| {
                        end.is_none_or(|(register, inclusive)| {
                            let ordering = compare(value, bounds.value(register, row));
                            ordering != outside && (inclusive || ordering != Ordering::Equal)
                        })
                    };
                    within(self.lower, Ordering::Less) && within(self.upper, Ordering::Greater)
                })
            })
    }
}

/// Whether a condition holds for the value of an index field, or for any of its values if it is one of an array.
pub(super) fn any_value(
    field: &FieldPath,
    document: Slice<'_>,
    mut holds: impl FnMut(Value<'_>) -> bool,
) -> bool {
    if !field.is_expanded() {
        return holds(field.value(document));
    }
    let document = Value::from_slice(document);
    let array = field.before_expansion().fold(document, |value, name| value.attribute(name));
    array
        .elements()
        .any(|member| holds(field.after_expansion().fold(member, |value, name| value.attribute(name))))
}

/// The key in a string that is a key, or an identifier within the collection.
pub(super) fn key_of<'s>(text: &'s str, by_id: bool, collection: &str) -> Option<&'s str> {
    if !by_id {
        return Some(text);
    }
    let (name, key) = text.split_once('/')?;
    (name == collection).then_some(key)
}

pub(super) fn open<'q>(
    access: &Access<'q>,
    eq: &[Value<'_>],
    bounds: &Batch<'q>,
    row: usize,
    view: &'q View,
    collection: &'q Collection,
    ascending: bool,
) -> Result<Option<Scan<'q>>, Error> {
    let text = eq.first().and_then(Value::as_str);
    Ok(match access.source {
        Source::Key { by_id } => {
            let name = view.collection_name(collection)?;
            match text.and_then(|text| key_of(text, by_id, name)) {
                Some(key) => Some(Scan::One(view.local_id(collection, key)?)),
                None => None,
            }
        }
        Source::Edges(direction) => match text {
            Some(vertex) => Some(Scan::Edges(Box::new(view.edges(collection, direction, vertex)?))),
            None => None,
        },
        Source::Range(index) => {
            let end = |end: Option<(Register, bool)>| {
                end.map(|(register, inclusive)| (bounds.value(register, row), inclusive))
            };
            let bounds = IndexBounds { eq, lower: end(access.lower), upper: end(access.upper) };
            let direction = if ascending { Direction::Forward } else { Direction::Reverse };
            Some(Scan::Range(Box::new(view.index_scan(collection, index, &bounds, direction)?)))
        }
    })
}

pub(super) fn compile_access<'q>(
    access: &'q plan::IndexAccess,
    collection: &'q Collection,
    runtime: &'q Runtime,
    compiler: Compiler<'q>,
    parameters: &mut Vec<Compiled<'q>>,
) -> Result<Access<'q>, Error> {
    let mut parameter = |expr| {
        parameters.push(compiler.compile(expr));
        parameters.len() - 1
    };
    let terms: Vec<(Register, bool)> = access
        .terms
        .iter()
        .map(|term| match term {
            KeyTerm::Equal(expr) => (parameter(expr), false),
            KeyTerm::In(expr) => (parameter(expr), true),
        })
        .collect();
    let lower = access.lower.as_ref().map(|bound| (parameter(&bound.value), bound.inclusive));
    let upper = access.upper.as_ref().map(|bound| (parameter(&bound.value), bound.inclusive));
    let source = match access.kind {
        IndexKind::Primary if !terms.is_empty() => Source::Key { by_id: &*access.field == "_id" },
        IndexKind::Edge if !terms.is_empty() => Source::Edges(if &*access.field == "_to" {
            EdgeDirection::Inbound
        } else {
            EdgeDirection::Outbound
        }),
        _ => {
            let indexes = collection.indexes();
            let index = indexes
                .iter()
                .find(|index| index.id() == access.index)
                .ok_or_else(|| Error::IndexNotFound(access.name.to_string()))?;
            Source::Range(runtime.keep_index(index.clone()))
        }
    };
    Ok(Access { source, terms, lower, upper })
}

/// Where all the projections come from, if none needs the document.
pub(super) fn providers<'q>(
    output: &DocumentOutput<'q>,
    accesses: &[Access<'q>],
) -> Option<Vec<Provider<'q>>> {
    if output.produces_document || output.filter.is_some() || output.projections.is_empty() {
        return None;
    }
    let [access] = accesses else { return None };
    output
        .projections
        .iter()
        .map(|(path, _)| match (&access.source, &**path) {
            (Source::Edges(EdgeDirection::Outbound), ["_to"]) => Some(Provider::Opposite),
            (Source::Edges(EdgeDirection::Inbound), ["_from"]) => Some(Provider::Opposite),
            (Source::Range(index), path) => stored_provider(index, path),
            _ => None,
        })
        .collect()
}

/// The stored value of an index that holds an attribute path or an object around it.
pub(super) fn stored_provider<'q>(index: &'q Index, path: &[&'q str]) -> Option<Provider<'q>> {
    index.definition().stored_values.iter().enumerate().find_map(|(position, stored)| {
        let names: Vec<&str> = stored.names().collect();
        path.strip_prefix(&names[..]).map(|rest| Provider::Stored(position, rest.into()))
    })
}
