//! Which entries a document has, and which of them a key range finds.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::cmp::Ordering;

use persea_index::{DecodedKey, EntryBuffers, Error, IndexDefinition, RangeEnd, is_cut};
use persea_order::{Value, compare, equal, sort_key};
use persea_vpack::{Builder, VPackBuf, vpack};
use proptest::prelude::*;

const LIMIT: usize = 1900;

fn index(definition: VPackBuf) -> IndexDefinition {
    IndexDefinition::from_vpack(definition.as_slice()).unwrap().with_identity(1)
}

fn keys_of(index: &IndexDefinition, document: &VPackBuf, limit: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut keys = Vec::new();
    index.entries(document.as_slice(), limit, &mut EntryBuffers::new(), |key| keys.push(key.to_vec()))?;
    Ok(keys)
}

/// `expected` is an array of tuples.
#[track_caller]
fn check(index: &IndexDefinition, document: VPackBuf, expected: VPackBuf) {
    let mut tuples: Vec<Vec<u8>> = Value::from_slice(expected.as_slice())
        .elements()
        .map(|tuple| {
            let mut key = Vec::new();
            tuple.elements().for_each(|value| sort_key(value, &mut key));
            key
        })
        .collect();
    tuples.sort();
    assert_eq!(keys_of(index, &document, LIMIT), Ok(tuples), "{document:?}");
}

#[test]
fn plain_fields() {
    let dense = index(vpack!({ "type": "persistent", "fields": ["a", "b.c"] }));
    check(&dense, vpack!({ "a": 1, "b": { "c": "x" } }), vpack!([[1, "x"]]));
    check(&dense, vpack!({ "a": 1 }), vpack!([[1, null]]));
    check(&dense, vpack!({ "a": null, "b": 5 }), vpack!([[null, null]]));
    check(&dense, vpack!({}), vpack!([[null, null]]));
    check(&dense, vpack!({ "a": [1, 2], "b": { "c": { "d": 1 } } }), vpack!([[[1, 2], { "d": 1 }]]));

    let sparse = index(vpack!({ "type": "persistent", "fields": ["a", "b"], "sparse": true }));
    check(&sparse, vpack!({ "a": 1, "b": false }), vpack!([[1, false]]));
    check(&sparse, vpack!({ "a": 1, "b": null }), vpack!([]));
    check(&sparse, vpack!({ "b": 1 }), vpack!([]));
}

#[test]
fn array_field_with_ordinary_field_sparse() {
    let sparse = index(vpack!({ "type": "persistent", "fields": ["tags[*]", "name"], "sparse": true }));
    check(&sparse, vpack!({ "tags": null, "name": "alice" }), vpack!([]));
    check(&sparse, vpack!({ "tags": [], "name": "alice" }), vpack!([]));
    check(&sparse, vpack!({ "tags": [1, 2, 3] }), vpack!([]));
    check(&sparse, vpack!({ "tags": [1, 2, 3], "name": null }), vpack!([]));
    check(
        &sparse,
        vpack!({ "tags": [1, 2, 3], "name": "alice" }),
        vpack!([[1, "alice"], [2, "alice"], [3, "alice"]]),
    );
    check(&sparse, vpack!({ "tags": [null], "name": "bob" }), vpack!([[null, "bob"]]));
}

#[test]
fn array_field_with_ordinary_field_not_sparse() {
    let dense = index(vpack!({ "type": "persistent", "fields": ["tags[*]", "name"] }));
    check(&dense, vpack!({ "tags": [1, 2] }), vpack!([[1, null], [2, null]]));
    check(&dense, vpack!({ "tags": "x", "name": "bob" }), vpack!([]));
    check(&dense, vpack!({ "tags": { "a": 1 }, "name": "bob" }), vpack!([]));
    check(&dense, vpack!({ "name": "bob" }), vpack!([]));
}

#[test]
fn members_and_their_attributes() {
    let nested = index(vpack!({ "type": "persistent", "fields": ["a.b[*].c"] }));
    check(
        &nested,
        vpack!({ "a": { "b": [{ "c": 1 }, { "c": [2] }, { "d": 3 }, 4] } }),
        vpack!([[null], [1], [[2]]]),
    );
    let members = index(vpack!({ "type": "persistent", "fields": ["a[*]"], "sparse": true }));
    check(&members, vpack!({ "a": [[1, 2], null, 3, 3.0, "3"] }), vpack!([[null], [3], ["3"], [[1, 2]]]));
}

#[test]
fn several_array_fields_are_combined() {
    let product = index(vpack!({ "type": "persistent", "fields": ["a[*]", "x", "b[*]"] }));
    check(
        &product,
        vpack!({ "a": [1, 2], "x": true, "b": ["p", "q"] }),
        vpack!([[1, true, "p"], [1, true, "q"], [2, true, "p"], [2, true, "q"]]),
    );
    check(&product, vpack!({ "a": [1, 2], "x": true, "b": [] }), vpack!([]));
    let too_many: Vec<u32> = (0..1100).collect();
    let result = keys_of(&product, &vpack!({ "a": too_many.clone(), "b": too_many }), LIMIT);
    assert!(matches!(result, Err(Error::TooManyEntries { .. })));
}

#[test]
fn equal_members() {
    let document = vpack!({ "a": [1, 2, 1.0] });
    for definition in [
        vpack!({ "type": "persistent", "fields": ["a[*]"] }),
        vpack!({ "type": "persistent", "fields": ["a[*]"], "deduplicate": false }),
        vpack!({ "type": "persistent", "fields": ["a[*]"], "unique": true }),
    ] {
        check(&index(definition), document.clone(), vpack!([[1], [2]]));
    }
    let strict =
        index(vpack!({ "type": "persistent", "fields": ["a[*]"], "unique": true, "deduplicate": false }));
    assert!(matches!(keys_of(&strict, &document, LIMIT), Err(Error::DuplicateMember { .. })));
    check(&strict, vpack!({ "a": [1, 2] }), vpack!([[1], [2]]));
}

#[test]
fn stored_values_are_one_array() {
    let stored = index(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": ["b.c", "d"] }));
    let mut builder = Builder::new();
    stored.write_stored_values(vpack!({ "a": 1, "b": { "c": [2] } }).as_slice(), &mut builder);
    assert_eq!(builder.finish().unwrap().as_slice().to_string(), "[[2],null]");
    let none = index(vpack!({ "type": "persistent", "fields": ["a"] }));
    none.write_stored_values(vpack!({ "a": 1 }).as_slice(), &mut builder);
    assert!(builder.is_empty());
}

#[test]
fn field_values_come_back() {
    let two = index(vpack!({ "type": "persistent", "fields": ["a", "b"] }));
    let keys = |document: VPackBuf, limit: usize| keys_of(&two, &document, limit).unwrap().remove(0);
    let mut text = String::new();
    let mut check = |key: &[u8], position: usize, limit: usize, expected: Option<Value<'_>>| match (
        two.field_value(key, position, limit, &mut text),
        expected,
    ) {
        (DecodedKey::Value(value), Some(expected)) => {
            assert!(equal(value, expected), "{value:?} {expected:?}")
        }
        (DecodedKey::Inexact, None) => {}
        (decoded, _) => panic!("{decoded:?}"),
    };
    let key = keys(vpack!({ "a": [{ "x": "é" }, 2], "b": "größe" }), LIMIT);
    check(&key, 0, LIMIT, None);
    check(&key, 1, LIMIT, Some(Value::from_str("größe")));
    let key = keys(vpack!({ "a": "Plain text", "b": 2.5 }), LIMIT);
    check(&key, 0, LIMIT, Some(Value::from_str("Plain text")));
    check(&key, 1, LIMIT, Some(Value::from_f64(2.5)));
    let key = keys(vpack!({ "a": 1, "b": "x".repeat(100) }), 64);
    check(&key, 0, 64, None);
}

#[test]
fn bounds_without_a_condition_take_all_in() {
    let dense = index(vpack!({ "type": "persistent", "fields": ["a"] }));
    let all = dense.bounds(&[], None, None, LIMIT);
    assert_eq!((all.start.as_slice(), all.end.as_ref(), all.recheck), (&[][..], None, false));
    let nothing = dense.bounds(
        &[],
        Some(RangeEnd::exclusive(Value::from_i64(1))),
        Some(RangeEnd::exclusive(Value::from_i64(1))),
        LIMIT,
    );
    assert!(nothing.is_empty());
}

fn scalar() -> impl Strategy<Value = VPackBuf> {
    prop_oneof![
        Just(vpack!(null)),
        any::<bool>().prop_map(|value| vpack!(value)),
        (-3i64..3).prop_map(|value| vpack!(value)),
        (-6i32..6).prop_map(|value| vpack!(f64::from(value) / 2.0)),
        "[aAbé\\x01]{0,3}".prop_map(|value| vpack!(value)),
        // Long enough to be cut, and alike at the start.
        ("[ab]{0,2}", 30usize..60, "[ab]{0,2}")
            .prop_map(|(start, count, end)| vpack!(start + &"x".repeat(count) + &end)),
        (-3i64..3).prop_map(|value| vpack!([value])),
    ]
}

fn as_range_end((value, inclusive): &(VPackBuf, bool)) -> RangeEnd<'_> {
    RangeEnd::from((Value::from_slice(value.as_slice()), *inclusive))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Every match lies in the range; nothing else does, unless the range asks for a check; cut or not.
    #[test]
    fn ranges_find_what_comparisons_find(
        documents in prop::collection::vec((scalar(), scalar()), 12),
        eq in prop::option::of(scalar()),
        lower in prop::option::of((scalar(), any::<bool>())),
        upper in prop::option::of((scalar(), any::<bool>())),
        limit in prop::sample::select(vec![40usize, 64, LIMIT]),
    ) {
        let dense = index(vpack!({ "type": "persistent", "fields": ["a", "b"] }));
        let eq_values: Vec<Value> = eq.iter().map(|value| Value::from_slice(value.as_slice())).collect();
        let lower = lower.as_ref().map(as_range_end);
        let upper = upper.as_ref().map(as_range_end);
        let range = dense.bounds(&eq_values, lower, upper, limit);
        for (a, b) in &documents {
            let document = vpack!({ "a": a, "b": b });
            let keys = keys_of(&dense, &document, limit).unwrap();
            let (a, b) = (Value::from_slice(a.as_slice()), Value::from_slice(b.as_slice()));
            let ranged = if eq_values.is_empty() { a } else { b };
            let matches = eq_values.first().is_none_or(|eq| compare(a, *eq) == Ordering::Equal)
                && lower.is_none_or(|end| match compare(ranged, end.value) {
                    Ordering::Less => false,
                    Ordering::Equal => end.inclusive,
                    Ordering::Greater => true,
                })
                && upper.is_none_or(|end| match compare(ranged, end.value) {
                    Ordering::Less => true,
                    Ordering::Equal => end.inclusive,
                    Ordering::Greater => false,
                });
            let found = range.contains(&keys[0]);
            prop_assert!(found || !matches, "{:?} {:?} missing", a, b);
            prop_assert!(matches || !found || range.recheck, "{:?} {:?} too much", a, b);
            // The local id behind the key changes nothing.
            let mut with_id = keys[0].clone();
            with_id.extend_from_slice(&[0xff; 8]);
            prop_assert_eq!(range.contains(&with_id), found);
            // Two values for two fields make a point; equal tuples give equal keys.
            let mut point = Vec::new();
            prop_assert_eq!(dense.point_key(&[a, b], limit, &mut point), is_cut(&point, limit));
            prop_assert_eq!(&point, &keys[0]);
        }
    }

    #[test]
    fn different_tuples_have_different_keys(
        left in (scalar(), scalar()),
        right in (scalar(), scalar()),
        limit in prop::sample::select(vec![40usize, LIMIT]),
    ) {
        let dense = index(vpack!({ "type": "persistent", "fields": ["a", "b"] }));
        let key = |tuple: &(VPackBuf, VPackBuf)| keys_of(&dense, &vpack!({ "a": tuple.0, "b": tuple.1 }), limit).unwrap();
        let equal = [(&left.0, &right.0), (&left.1, &right.1)].into_iter().all(|(left, right)| {
            compare(Value::from_slice(left.as_slice()), Value::from_slice(right.as_slice())) == Ordering::Equal
        });
        prop_assert_eq!(key(&left) == key(&right), equal);
    }
}
