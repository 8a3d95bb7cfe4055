//! Which conditions which index can answer.
//!
//! Index order is AQL order over all types, and missing attributes are stored as null, so equality, IN and ranges on
//! index fields are answered exactly. Sparse indexes lack documents with a null in any field; they serve only
//! conditions no such document fulfils.

use std::sync::Arc;

use crate::catalog::{CollectionMeta, IndexField, IndexMeta};
use crate::plan::{AttributePath, BinaryOperator, Expr, IndexAccess, IndexKind, KeyBound, KeyTerm, VarId};
use crate::value;
use crate::var_set::VarSet;

/// What one part of a condition says about an attribute of the document.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// `path == value`.
    Equal(AttributePath, Expr),
    /// `path IN list`.
    In(AttributePath, Expr),
    /// `path > value` or `path >= value`.
    Lower(AttributePath, KeyBound),
    /// `path < value` or `path <= value`.
    Upper(AttributePath, KeyBound),
    /// `value IN path[*]…`.
    Contains(IndexField, Expr),
    /// `path != null`.
    NotNull(AttributePath),
    /// Nothing an index knows.
    Other,
}

impl Condition {
    /// Reads a part of a condition on `document`. Variables in `later` are not known where the index is read.
    pub(super) fn new(expr: &Expr, document: VarId, later: &VarSet) -> Self {
        let Expr::Binary(op, left, right) = expr else { return Self::Other };
        if let Some(condition) = Self::sided(*op, left, right, document, later) {
            return condition;
        }
        op.mirrored().and_then(|op| Self::sided(op, right, left, document, later)).unwrap_or(Self::Other)
    }

    fn sided(op: BinaryOperator, left: &Expr, right: &Expr, document: VarId, later: &VarSet) -> Option<Self> {
        let is_known = |expr: &Expr| !expr.reads().intersects(later);
        if op == BinaryOperator::In
            && is_known(left)
            && let Some(field) = expanded_field(right, document)
        {
            return Some(Self::Contains(field, left.clone()));
        }
        let path = document_path(left, document)?;
        if !is_known(right) {
            return None;
        }
        let bound = |inclusive| KeyBound { value: right.clone(), inclusive };
        Some(match op {
            BinaryOperator::Equal => Self::Equal(path, right.clone()),
            BinaryOperator::In => Self::In(path, right.clone()),
            BinaryOperator::Greater => Self::Lower(path, bound(false)),
            BinaryOperator::GreaterEqual => Self::Lower(path, bound(true)),
            BinaryOperator::Less => Self::Upper(path, bound(false)),
            BinaryOperator::LessEqual => Self::Upper(path, bound(true)),
            BinaryOperator::NotEqual if is_null(right) => Self::NotNull(path),
            _ => return None,
        })
    }

    /// Whether the condition fails for documents whose attribute at `field` is null.
    fn excludes_null(&self, field: &IndexField) -> bool {
        match self {
            Self::Equal(path, value) => *path == field.path && is_never_null(value),
            Self::In(path, list) => *path == field.path && has_no_null(list),
            // Nothing is less than null, so whatever is greater than something is not null.
            Self::Lower(path, bound) => {
                *path == field.path && (!bound.inclusive || is_never_null(&bound.value))
            }
            Self::NotNull(path) => *path == field.path,
            Self::Contains(own, value) => own == field && is_never_null(value),
            Self::Upper(..) | Self::Other => false,
        }
    }
}

/// The path of an attribute of `document`, or none for the document itself and anything else.
pub(super) fn document_path(expr: &Expr, document: VarId) -> Option<AttributePath> {
    expr.as_path().filter(|(var, path)| *var == document && !path.is_empty()).map(|(_, path)| path)
}

/// `document.a[*].b` as index field.
fn expanded_field(expr: &Expr, document: VarId) -> Option<IndexField> {
    let Expr::Expansion { source, flatten: 0, current, filter: None, limit: None, map } = expr else {
        return None;
    };
    let mut path = document_path(source, document)?;
    let expanded_after = Some(path.len());
    if let Some(map) = map {
        path.extend(document_path(map, *current)?);
    }
    Some(IndexField { path, expanded_after })
}

fn is_null(expr: &Expr) -> bool {
    expr.as_const().is_some_and(|value| value.as_slice().is_null())
}

fn is_never_null(expr: &Expr) -> bool {
    match expr {
        Expr::Const(constant) => !constant.as_slice().is_null(),
        Expr::Array(_) | Expr::Object(_) | Expr::Range(..) | Expr::Expansion { .. } => true,
        _ => false,
    }
}

fn has_no_null(list: &Expr) -> bool {
    match list {
        Expr::Const(constant) => {
            let slice = constant.as_slice();
            !slice.is_array() || slice.array_iter().all(|member| !member.is_null())
        }
        Expr::Range(..) => true,
        Expr::Array(members) => members.iter().all(is_never_null),
        _ => false,
    }
}

/// An index access with the conditions it answers (positions in the list it was made from).
#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) access: IndexAccess,
    /// Conditions the access was made from.
    pub(super) used: Vec<usize>,
    /// Conditions that hold for everything the access finds.
    pub(super) covered: Vec<usize>,
    /// Whether the access may find a document more than once.
    pub(super) repeats: bool,
}

/// The access to `index` that answers as many of the conditions (which all have to hold) as possible.
pub(super) fn match_index(index: &IndexMeta, conditions: &[Condition]) -> Option<Match> {
    if index.in_progress {
        return None;
    }
    match index.kind {
        IndexKind::Primary => match_either(index, &["_key", "_id"], conditions),
        IndexKind::Edge => match_either(index, &["_from", "_to"], conditions),
        IndexKind::Persistent => match_persistent(index, conditions),
        IndexKind::Other => None,
    }
}

/// Primary and edge indexes: one equality or IN on one of two attributes.
fn match_either(index: &IndexMeta, attributes: &[&str], conditions: &[Condition]) -> Option<Match> {
    let found = |wanted: fn(&Condition) -> Option<(&AttributePath, KeyTerm)>| {
        conditions.iter().enumerate().find_map(|(position, condition)| {
            let (path, term) = wanted(condition)?;
            match path.as_slice() {
                [only] if attributes.contains(&&**only) => Some((position, Arc::clone(only), term)),
                _ => None,
            }
        })
    };
    let (position, field, term) = found(|condition| match condition {
        Condition::Equal(path, value) => Some((path, KeyTerm::Equal(value.clone()))),
        _ => None,
    })
    .or_else(|| {
        found(|condition| match condition {
            Condition::In(path, list) => Some((path, KeyTerm::In(list.clone()))),
            _ => None,
        })
    })?;
    Some(Match {
        access: IndexAccess {
            index: index.id,
            name: Arc::clone(&index.name),
            kind: index.kind,
            field,
            terms: vec![term],
            lower: None,
            upper: None,
        },
        used: vec![position],
        covered: vec![position],
        repeats: false,
    })
}

fn match_persistent(index: &IndexMeta, conditions: &[Condition]) -> Option<Match> {
    let lacks = |field: &IndexField| !conditions.iter().any(|condition| condition.excludes_null(field));
    if index.sparse && index.fields.iter().any(lacks) {
        return None;
    }
    // A document without members in an expanded attribute has no entry, so only a condition on that attribute, which
    // such a document can't fulfil, makes the index complete.
    if index
        .fields
        .iter()
        .any(|field| field.expanded_after.is_some() && equality(field, conditions).is_none())
    {
        return None;
    }
    let mut found = Match {
        access: IndexAccess {
            index: index.id,
            name: Arc::clone(&index.name),
            kind: index.kind,
            field: index.fields.first().and_then(|field| field.path.first().cloned())?,
            terms: Vec::new(),
            lower: None,
            upper: None,
        },
        used: Vec::new(),
        covered: Vec::new(),
        repeats: index.fields.iter().any(|field| field.expanded_after.is_some()),
    };
    for field in &index.fields {
        if let Some((position, term)) = equality(field, conditions) {
            found.access.terms.push(term);
            found.used.push(position);
            // An array index also holds null for what is no array, so the condition is checked again.
            if field.expanded_after.is_none() {
                found.covered.push(position);
            }
            continue;
        }
        if field.expanded_after.is_none() {
            add_bounds(&mut found, field, conditions);
        }
        break;
    }
    (!found.used.is_empty()).then_some(found)
}

/// The equality (else IN) condition on a field.
fn equality(field: &IndexField, conditions: &[Condition]) -> Option<(usize, KeyTerm)> {
    if field.expanded_after.is_some() {
        return conditions.iter().enumerate().find_map(|(position, condition)| match condition {
            Condition::Contains(own, value) if own == field => {
                Some((position, KeyTerm::Equal(value.clone())))
            }
            _ => None,
        });
    }
    let equal = conditions.iter().enumerate().find_map(|(position, condition)| match condition {
        Condition::Equal(path, value) if *path == field.path => {
            Some((position, KeyTerm::Equal(value.clone())))
        }
        _ => None,
    });
    equal.or_else(|| {
        conditions.iter().enumerate().find_map(|(position, condition)| match condition {
            Condition::In(path, list) if *path == field.path => Some((position, KeyTerm::In(list.clone()))),
            _ => None,
        })
    })
}

fn add_bounds(found: &mut Match, field: &IndexField, conditions: &[Condition]) {
    for (position, condition) in conditions.iter().enumerate() {
        let (slot, bound, tighter) = match condition {
            Condition::Lower(path, bound) if *path == field.path => {
                (&mut found.access.lower, bound, std::cmp::Ordering::Greater)
            }
            Condition::Upper(path, bound) if *path == field.path => {
                (&mut found.access.upper, bound, std::cmp::Ordering::Less)
            }
            _ => continue,
        };
        match slot {
            None => {
                *slot = Some(bound.clone());
                found.used.push(position);
                found.covered.push(position);
            }
            // Of two constant bounds the tighter one implies the other.
            Some(current) => {
                let (Some(one), Some(two)) = (current.value.as_const(), bound.value.as_const()) else {
                    continue;
                };
                let order = persea_order::compare(value::view(two), value::view(one));
                if order == tighter || (order.is_eq() && !bound.inclusive) {
                    *slot = Some(bound.clone());
                }
                found.used.push(position);
                found.covered.push(position);
            }
        }
    }
}

/// Whether a full scan of the index gives all documents ordered by `paths`, where attributes in `fixed` have the same
/// value in all documents.
pub(super) fn gives_order(index: &IndexMeta, paths: &[AttributePath], fixed: &[AttributePath]) -> bool {
    index.kind == IndexKind::Persistent
        && !index.sparse
        && !index.in_progress
        && index.fields.iter().all(|field| field.expanded_after.is_none())
        && order_matches(&index.fields, paths, fixed)
}

/// Whether entries ordered by `fields` are ordered by `paths`, where attributes in `fixed` don't vary.
pub(super) fn order_matches(fields: &[IndexField], paths: &[AttributePath], fixed: &[AttributePath]) -> bool {
    let mut fields = fields.iter().filter(|field| !fixed.contains(&field.path));
    paths
        .iter()
        .filter(|path| !fixed.contains(path))
        .all(|path| fields.next().is_some_and(|field| field.path == *path && field.expanded_after.is_none()))
}

/// The best access for conditions that all have to hold, with its cost; only indexes that `allowed` accepts.
pub(super) fn best_match(
    meta: &CollectionMeta,
    conditions: &[Condition],
    allowed: &dyn Fn(&IndexMeta) -> bool,
) -> Option<(f64, Match)> {
    let mut best: Option<(f64, Match)> = None;
    for index in meta.indexes.iter().filter(|index| allowed(index)) {
        let Some(found) = match_index(index, conditions) else { continue };
        let (items, lookups) = crate::estimate::accesses_estimate(meta, std::slice::from_ref(&found.access));
        let cost = items + lookups;
        let better = match &best {
            None => true,
            // At equal cost the access that answers more conditions is preferred.
            Some((best_cost, best)) => {
                cost < *best_cost || (cost <= *best_cost && found.covered.len() > best.covered.len())
            }
        };
        if better {
            best = Some((cost, found));
        }
    }
    best
}
