//! Definitions: what is accepted, what is refused and how, what is shown.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use persea_index::{Error, FieldPath, IndexDefinition, IndexKind, TypeName};
use persea_vpack::{Slice, VPackBuf, vpack};

fn parse(definition: VPackBuf) -> Result<IndexDefinition, Error> {
    IndexDefinition::from_vpack(definition.as_slice())
}

#[track_caller]
fn refuse(definition: VPackBuf) {
    let text = definition.as_slice().to_string();
    assert!(matches!(parse(definition), Err(Error::BadParameter(_))), "{text}");
}

#[track_caller]
fn accept(definition: VPackBuf) -> IndexDefinition {
    let text = definition.as_slice().to_string();
    parse(definition).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn defaults_of_a_persistent_index() {
    let index = accept(vpack!({ "type": "persistent", "fields": ["a", "b.c"] }));
    assert_eq!(index.kind, IndexKind::Persistent);
    assert_eq!(index.fields, [FieldPath::parse("a").unwrap(), FieldPath::parse("b.c").unwrap()]);
    assert!(!index.unique && !index.sparse && !index.cache_enabled && !index.in_background);
    assert!(index.deduplicate && index.estimates && index.stored_values.is_empty());
    assert_eq!((index.id, index.name.as_str()), (0, ""));
}

#[test]
fn all_options_are_read_and_shown() {
    let index = accept(vpack!({
        "id": "c/77", "type": "hash", "fields": ["a[*].b"], "name": "mine", "unique": true, "sparse": true,
        "deduplicate": false, "estimates": false, "storedValues": ["_id", "x.y"], "cacheEnabled": true,
        "inBackground": true, "unknown": 1
    }));
    assert_eq!((index.id, index.type_name, index.kind), (77, TypeName::Hash, IndexKind::Persistent));
    let shown = index.to_vpack("c", Some(0.5)).unwrap();
    let expected = concat!(
        r#"{"cacheEnabled":true,"deduplicate":false,"estimates":false,"fields":["a[*].b"],"id":"c/77","#,
        r#""inBackground":true,"name":"mine","sparse":true,"storedValues":["_id","x.y"],"type":"hash","unique":true}"#
    );
    assert_eq!(shown.as_slice().to_string(), expected);
    assert_eq!(IndexDefinition::restore(shown.as_slice()).unwrap(), index);
}

#[test]
fn built_in_indexes_are_shown_and_restored() {
    let shown = IndexDefinition::primary().to_vpack("c", Some(1.0)).unwrap();
    let expected = concat!(
        r#"{"fields":["_key"],"id":"c/0","name":"primary","selectivityEstimate":1,"sparse":false,"#,
        r#""type":"primary","unique":true}"#
    );
    assert_eq!(shown.as_slice().to_string(), expected);
    let edge = IndexDefinition::edge().to_vpack("c", Some(0.25)).unwrap();
    let expected = concat!(
        r#"{"fields":["_from","_to"],"id":"c/1","name":"edge","selectivityEstimate":0.25,"sparse":false,"#,
        r#""type":"edge","unique":false}"#
    );
    assert_eq!(edge.as_slice().to_string(), expected);
    for definition in [IndexDefinition::primary(), IndexDefinition::edge()] {
        let shown = definition.to_vpack("c", None).unwrap();
        assert_eq!(IndexDefinition::restore(shown.as_slice()).unwrap(), definition);
        assert!(matches!(parse(shown), Err(Error::BadParameter(_))), "users cannot create it");
    }
}

#[test]
fn types() {
    for name in ["persistent", "hash", "skiplist"] {
        let index = accept(vpack!({ "type": name, "fields": ["a"] }));
        let shown = index.to_vpack("c", None).unwrap();
        assert_eq!(shown.as_slice().get("type").and_then(Slice::as_str), Some(name));
    }
    for name in ["ttl", "geo", "geo1", "geo2", "fulltext", "inverted", "mdi", "mdi-prefixed", "zkd", "vector"]
    {
        let result = parse(vpack!({ "type": name, "fields": ["a"] }));
        assert_eq!(result, Err(Error::NotImplemented { type_name: name.to_owned() }));
    }
    refuse(vpack!({ "type": "bitmap", "fields": ["a"] }));
    refuse(vpack!({ "type": 7, "fields": ["a"] }));
    refuse(vpack!({ "fields": ["a"] }));
    refuse(vpack!([]));
    refuse(vpack!(null));
}

#[test]
fn fields() {
    refuse(vpack!({ "type": "persistent" }));
    refuse(vpack!({ "type": "persistent", "fields": [] }));
    refuse(vpack!({ "type": "persistent", "fields": "a" }));
    refuse(vpack!({ "type": "persistent", "fields": [1] }));
    refuse(vpack!({ "type": "persistent", "fields": [""] }));
    refuse(vpack!({ "type": "persistent", "fields": ["a", "b", "a"] }));
    refuse(vpack!({ "type": "persistent", "fields": ["_id"] }));
    refuse(vpack!({ "type": "persistent", "fields": ["a[*].b[*]"] }));
    accept(vpack!({ "type": "persistent", "fields": ["a[*]", "b[*]", "a"] }));
    accept(vpack!({ "type": "persistent", "fields": ["_key", "_rev", "_from", "_to"] }));
}

#[test]
fn stored_values() {
    let many = |count: usize| (0..count).map(|number| format!("s{number}")).collect::<Vec<_>>();
    accept(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": many(32) }));
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": many(33) }));
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": ["a"] }));
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": ["b", "b"] }));
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": ["b[*]"] }));
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": [1] }));
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": "b" }));
    accept(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": ["_id", "b.c"] }));
    accept(vpack!({ "type": "persistent", "fields": ["a"], "storedValues": null }));
}

#[test]
fn names_and_ids() {
    let named = |name: &str| parse(vpack!({ "type": "persistent", "fields": ["a"], "name": name }));
    assert_eq!(named("byA").unwrap().with_identity(5).name, "byA");
    assert!(matches!(named("1a"), Err(Error::IllegalName(_))));
    assert!(matches!(named(""), Err(Error::IllegalName(_))));
    let unnamed =
        accept(vpack!({ "type": "persistent", "fields": ["a"] })).with_identity(1_812_345_678_901_234_567);
    assert_eq!(unnamed.name, "idx_1812345678901234567");
    refuse(vpack!({ "type": "persistent", "fields": ["a"], "id": "c/x" }));
    assert_eq!(accept(vpack!({ "type": "persistent", "fields": ["a"], "id": "12" })).id, 12);
}

#[test]
fn sameness_counts_type_fields_unique_and_sparse() {
    let base = accept(vpack!({ "type": "persistent", "fields": ["a", "b"] }));
    let same = accept(vpack!({
        "type": "persistent", "fields": ["a", "b"], "name": "x", "storedValues": ["c"], "cacheEnabled": true, "estimates": false
    }));
    assert!(base.is_same_index(&same));
    for other in [
        vpack!({ "type": "hash", "fields": ["a", "b"] }),
        vpack!({ "type": "persistent", "fields": ["b", "a"] }),
        vpack!({ "type": "persistent", "fields": ["a", "b"], "unique": true }),
        vpack!({ "type": "persistent", "fields": ["a", "b"], "sparse": true }),
    ] {
        assert!(!base.is_same_index(&accept(other)));
    }
}
